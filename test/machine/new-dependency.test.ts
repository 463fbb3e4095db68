/** A loop that adds a package, with App, GitHub, runner and registry on networks of their own. */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { writeSetup } from '../../src/settings/setup-files.ts';
import { finish, openLabelledIssue } from '../e2e/journey.ts';
import { pullsOf, runsOf } from '../e2e/seen.ts';
import { eventually } from '../eventually.ts';
import { type Parties, startParties, type Within } from './parties.ts';

const FIXTURE = join(import.meta.dirname, '..', 'fixtures', 'labels');
const PATIENCE_MS = 900_000;
const REGISTRY = 'https://registry.test/';

let parties: Parties;
const GITHUB: Pick<Parties, 'as'> = { as: (...asked) => parties.as(...asked) };

/** The repository as a person would set it up: its lock file is written where the registry is reached. */
async function laid(directory: string, within: Within): Promise<string> {
  const path = join(directory, 'labels');
  await cp(join(FIXTURE, 'repository'), path, { recursive: true });
  await writeFile(join(path, '.npmrc'), `registry=${REGISTRY}\n`);
  await writeSetup(path, { force: false });
  await within('runner', ['npm', 'install', '--package-lock-only', '--no-audit', '--no-fund'], path);
  const git = (...argv: readonly string[]) =>
    execa('git', ['-c', 'user.name=Rosa', '-c', 'user.email=rosa@labels.example', ...argv], { cwd: path });
  await git('init', '--quiet', '--initial-branch', 'main');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'Print labels');
  return path;
}

// Networks are root's to make.
describe.skipIf(process.getuid?.() !== 0)('an issue that wants a package', () => {
  beforeAll(async () => {
    parties = await startParties({
      profile: 'newest',
      repository: 'acme/labels',
      source: laid,
      script: join(FIXTURE, 'script.yaml'),
      packages: join(FIXTURE, 'packages.json'),
    });
  });

  afterAll(() => parties?.close());

  test('comes to a ready pull request with the package in it', { timeout: PATIENCE_MS + 60_000 }, async () => {
    const [title = '', ...lines] = (await readFile(join(FIXTURE, 'issue.md'), 'utf8')).split('\n');
    const issue = await openLabelledIssue(GITHUB, { title: title.replace('# ', ''), body: lines.join('\n') });
    await finish(GITHUB, issue, PATIENCE_MS);
    const runs = await runsOf(GITHUB);
    expect(runs.filter(({ conclusion }) => conclusion !== 'success')).toEqual([]);
    const builds = runs.filter(({ display_title: name }) => name.startsWith('loopwright-build'));
    // The first one names the package and does not install it.
    expect(builds).toHaveLength(2);
  });

  test('whose lock file npm wrote, from the registry of the base', async () => {
    const head = (await pullsOf(GITHUB)).at(0)?.head.sha;
    const file = z
      .object({ content: z.string() })
      .parse(await GITHUB.as('GET', `/contents/package-lock.json?ref=${head}`));
    const lock = JSON.parse(Buffer.from(file.content, 'base64').toString('utf8'));
    expect(lock.packages['node_modules/dashed']).toEqual({
      version: '1.0.0',
      resolved: `${REGISTRY}dashed/-/dashed-1.0.0.tgz`,
      integrity: expect.stringMatching(/^sha512-/),
    });
  });

  test('was told to people before they approved', async () => {
    const number = (await pullsOf(GITHUB)).at(0)?.number;
    const comments = z
      .array(z.object({ body: z.string() }))
      .parse(await GITHUB.as('GET', `/issues/${number}/comments`));
    expect(comments.map(({ body }) => body).join('\n')).toContain('**Approving lets `package-lock.json` change**');
  });

  test('is proved for anybody who asks, with the package that the base does not have', {
    timeout: PATIENCE_MS,
  }, async () => {
    const pull = (await pullsOf(GITHUB)).at(0);
    await GITHUB.as('POST', `/issues/${pull?.number}/labels`, { labels: ['prove'] });
    const checks = z.object({
      check_runs: z.array(
        z.object({
          name: z.string(),
          status: z.string(),
          output: z.object({ title: z.string(), summary: z.string() }),
        }),
      ),
    });
    let told: string | undefined;
    await eventually(
      async () => {
        const { check_runs } = checks.parse(await GITHUB.as('GET', `/commits/${pull?.head.sha}/check-runs`));
        const proof = check_runs.find(({ name }) => name === 'loopwright / proof');
        told = proof?.status === 'completed' ? `${proof.output.title}\n${proof.output.summary}` : undefined;
        return told !== undefined;
      },
      'the proof',
      PATIENCE_MS,
    );
    expect(told).toMatch(/^(?:Proved|Weakly proved)/);
  });

  test('only the runner reaches the registry', async () => {
    const asks = `require('node:net').connect(443, 'registry.test').setTimeout(3000, () => process.exit(1)).on('error', () => process.exit(1)).on('connect', () => process.exit(0));`;
    const reaches = async (party: string) => {
      const [program, ...argv] = parties.spaces.within(party, [process.execPath, '-e', asks]);
      return (await execa(program, argv, { reject: false })).exitCode === 0;
    };
    expect([await reaches('runner'), await reaches('app'), await reaches('github'), await reaches('model')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
