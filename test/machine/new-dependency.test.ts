/** A loop that adds a package, with App, GitHub, runner and registry on networks of their own. */
import { appendFile, cp, glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { verifyReport } from '../../src/loop/brief.ts';
import { SETUP_ACTION, writeSetup } from '../../src/settings/setup-files.ts';
import { finish, openLabelledIssue } from '../e2e/journey.ts';
import { pullsOf, runsOf } from '../e2e/seen.ts';
import { eventually } from '../eventually.ts';
import { ASKED, type Parties, type Stand, startParties } from './parties.ts';
import { placesOf, reachedFrom } from './reach.ts';

const FIXTURE = join(import.meta.dirname, '..', 'fixtures', 'labels');
const PATIENCE_MS = 900_000;
const REGISTRY = 'https://registry.test/';

/** Asks the registry for a canary in the name of whom it is told, at each of its places, and says where it was given something. */
const reachOf = (places: readonly string[]) => `import { connect } from 'node:tls';

const ask = (who, host) => new Promise((resolve) => {
  const call = connect({ host, port: 443, servername: 'registry.test', rejectUnauthorized: false });
  call.on('secureConnect', () => call.write('GET /canary/' + who + '/' + host + ' HTTP/1.0\\r\\n\\r\\n'));
  call.on('data', () => resolve([host])).on('error', () => resolve([])).on('close', () => resolve([]));
  call.setTimeout(10_000, () => call.destroy());
});

export const reached = async (who) => (await Promise.all(${JSON.stringify(places)}.map((host) => ask(who, host)))).flat();

const [, program, who] = process.argv;
if (program.endsWith('reach.mjs')) console.log(who + ' reaches ' + ((await reached(who)).join(' and ') || 'nothing'));
`;
const SETUP_STEP = `
    - name: See that the registry is reached here
      shell: bash
      working-directory: \${{ inputs.workspace }}
      run: node reach.mjs set-up
`;

let parties: Parties;
const GITHUB: Pick<Parties, 'as'> = { as: (...asked) => parties.as(...asked) };

/** The repository as a person would set it up: its lock file is written where the registry is reached, and its set-up says who that is. */
async function laid(directory: string, { within, spaces }: Stand): Promise<string> {
  const path = join(directory, 'labels');
  await cp(join(FIXTURE, 'repository'), path, { recursive: true });
  await writeFile(join(path, '.npmrc'), `registry=${REGISTRY}\n`);
  await writeFile(join(path, 'reach.mjs'), reachOf(placesOf(spaces, 'registry')));
  await writeSetup(path, { force: false });
  await appendFile(join(path, SETUP_ACTION), SETUP_STEP);
  await within('runner', ['npm', 'install', '--package-lock-only', '--no-audit', '--no-fund'], path);
  const git = (...argv: readonly string[]) =>
    execa('git', ['-c', 'user.name=Rosa', '-c', 'user.email=rosa@labels.example', ...argv], { cwd: path });
  await git('init', '--quiet', '--initial-branch', 'main');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'Print labels');
  return path;
}

/** What the registry was asked for so far. */
async function asked(): Promise<readonly string[]> {
  return (await readFile(parties.file(ASKED), 'utf8')).split('\n');
}

/** What the artifacts of this name hold, of every run. */
async function filesIn(name: string): Promise<readonly (readonly [string, string])[]> {
  const files = await Array.fromAsync(glob(`**/artifacts/${name}.zip`, { cwd: parties.file('github') }));
  const zips = await Promise.all(files.map((file) => readFile(join(parties.file('github'), file))));
  const entries = zips.flatMap((zip) => Object.entries(unzipSync(zip)));
  return entries.map(([path, bytes]) => [path, new TextDecoder().decode(bytes)] as const);
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

  describe('the registry', () => {
    test('is reached by the runner alone', async () => {
      const [name, ...addresses] = placesOf(parties.spaces, 'registry');
      const reached = (party: string) => reachedFrom(parties.spaces, party, [name, ...addresses]);
      expect(await reached('runner')).toEqual([name, ...addresses]);
      for (const party of ['app', 'github', 'model', 'world']) expect(await reached(party), party).toEqual([]);
    });

    test('is asked by the set-up, and where packages are installed', async () => {
      const paths = await asked();
      for (const place of placesOf(parties.spaces, 'registry')) expect(paths).toContain(`/canary/set-up/${place}`);
      expect(paths).toContain('/dashed/-/dashed-1.0.0.tgz');
    });

    test('is asked by nothing that was generated: neither by the agent, nor by its code in BUILD and VERIFY', async () => {
      const canaries = (await asked()).filter((path) => path.startsWith('/canary/'));
      expect(canaries.filter((path) => !path.startsWith('/canary/set-up/'))).toEqual([]);
      // They did ask, and say what came of it.
      const said = (await filesIn('build')).map(([, text]) => text).join('\n');
      for (const line of ['agent reaches nothing', '✔ no registry is reached from a test'])
        expect(said).toContain(line);
      // Beside the report of the loop's own run there is that of the proof.
      const reports = (await filesIn('verify')).filter(([path]) => path.endsWith('report.json'));
      const verified = reports.flatMap(([, text]) => verifyReport.safeParse(JSON.parse(text)).data ?? []);
      expect(verified.map(({ acceptance }) => acceptance.find(({ id }) => id === 'A-4')?.passed)).toEqual([true]);
    });
  });
});
