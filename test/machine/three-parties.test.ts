/** App, GitHub and runner on networks of their own: the whole journey, and what each of them can reach. */
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { prepareDemoRepository } from '../../src/demo/demo-repository.ts';
import { packageFile } from '../../src/settings/package-root.ts';
import { eventually } from '../e2e/acts.ts';
import { commentOn, finish, openLabelledIssue } from '../e2e/journey.ts';
import { checksOn, pullsOf, runsOf } from '../e2e/seen.ts';
import { MODEL_KEY, type Parties, startParties } from './parties.ts';

const PATIENCE_MS = 900_000;

let parties: Parties;
/** The head of the pull request when it was ready first. */
let readyAt: string;
const GITHUB: Pick<Parties, 'as'> = { as: (...asked) => parties.as(...asked) };

// Networks are root's to make.
describe.skipIf(process.getuid?.() !== 0).each([
  ['github.com as it is now', 'newest', 'github.com'],
  ['a GitHub Enterprise Server', 'enterprise-server', 'enterprise-server'],
] as const)('App, GitHub and runner on networks of their own, with %s', (_, profile, server) => {
  beforeAll(async () => {
    parties = await startParties({
      profile,
      repository: 'acme/guestbook',
      source: (directory) => prepareDemoRepository(directory, server),
      script: packageFile('src', 'demo', 'guestbook.yaml'),
    });
  });

  afterAll(() => parties?.close());

  test('the whole journey comes to a ready pull request', { timeout: PATIENCE_MS + 60_000 }, async () => {
    const issue = await openLabelledIssue(GITHUB);
    await finish(GITHUB, issue, PATIENCE_MS);
    readyAt = (await pullsOf(GITHUB)).at(0)?.head.sha ?? '';
    const [pull] = await pullsOf(GITHUB);
    expect(pull?.draft).toBe(false);
    const runs = await runsOf(GITHUB);
    expect(runs.filter(({ conclusion }) => conclusion !== 'success')).toEqual([]);
    const dispatched = runs.filter(({ event }) => event === 'workflow_dispatch');
    expect(new Set(dispatched.map(({ display_title: title }) => title.split(' ')[0]))).toEqual(
      new Set(['loopwright-build', 'loopwright-verify']),
    );
  });

  test('a base that moves after VERIFY is merged and proved again', { timeout: PATIENCE_MS }, async () => {
    const [pull] = await pullsOf(GITHUB);
    const path = '/contents/src/store.js';
    const { content, sha } = z.object({ content: z.string(), sha: z.string() }).parse(await GITHUB.as('GET', path));
    const text = `${Buffer.from(content, 'base64').toString('utf8')}// Kept in memory.\n`;
    await GITHUB.as('PUT', path, {
      message: 'Say where',
      sha,
      branch: 'main',
      content: Buffer.from(text).toString('base64'),
    });
    const evidence = async () =>
      (await checksOn(GITHUB, (await pullsOf(GITHUB)).at(0)?.head.sha ?? '', 'latest')).find(
        ({ name }) => name === 'loopwright / evidence',
      )?.conclusion;
    await eventually(async () => (await evidence()) === 'neutral', 'void evidence', PATIENCE_MS);
    await commentOn(GITHUB, pull?.number ?? 0, '/rerun VERIFY');
    const isProved = async () => {
      const now = (await pullsOf(GITHUB)).at(0);
      return now?.draft === false && now.head.sha !== readyAt && (await evidence()) === 'success';
    };
    await eventually(isProved, 'evidence on the merge', PATIENCE_MS);
    const { behind_by: behind } = z
      .object({ behind_by: z.int() })
      .parse(await GITHUB.as('GET', `/compare/main...${(await pullsOf(GITHUB)).at(0)?.head.sha}`));
    expect(behind).toBe(0);
  });

  /** Who answers whom, on the ports that anything listens on. */
  const REACHED = {
    app: { github: true, runner: false, model: true },
    runner: { github: true, app: true, model: false },
    github: { app: true, runner: false, model: false },
    model: { app: true, github: false, runner: false },
  } as const;

  test.each(Object.entries(REACHED))(
    'the network of the %s reaches nothing but what it must',
    async (party, wanted) => {
      const asks = `const [host] = process.argv.slice(1);
      require('node:net').connect(443, host).setTimeout(3000, () => process.exit(1)).on('error', () => process.exit(1)).on('connect', () => process.exit(0));`;
      const found: Record<string, boolean> = {};
      for (const other of Object.keys(wanted)) {
        const [program, ...argv] = parties.spaces.within(party, [process.execPath, '-e', asks, `${other}.test`]);
        found[other] = (await execa(program, argv, { reject: false })).exitCode === 0;
      }
      const world = await execa(...split(parties.spaces.within(party, [process.execPath, '-e', asks, '192.0.2.1'])), {
        reject: false,
      });
      expect({ ...found, world: world.exitCode === 0 }).toEqual({ ...wanted, world: false });
    },
  );

  test("the model's key is with the App alone", async () => {
    const holds = async (name: string) =>
      (await execa('grep', ['-rlaF', MODEL_KEY, parties.file(name)], { reject: false })).stdout
        .split('\n')
        .filter(Boolean);
    expect(await holds('github')).toEqual([]);
    expect(await holds('runner')).toEqual([]);
  });
});

function split([program, ...argv]: readonly [string, ...string[]]): [string, string[]] {
  return [program, argv];
}
