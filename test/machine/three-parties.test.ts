/** App, GitHub and runner on networks of their own: the whole journey, and what each of them can reach. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { prepareDemoRepository } from '../../src/demo/demo-repository.ts';
import { packageFile } from '../../src/settings/package-root.ts';
import { eventually } from '../e2e/acts.ts';
import { commentOn, finish, openLabelledIssue } from '../e2e/journey.ts';
import { checksOn, pullsOf, runsOf } from '../e2e/seen.ts';
import { watchHolding } from './holding.ts';
import { MODEL_KEY, type Parties, startParties } from './parties.ts';
import { answering, placesOf, reachedFrom, SAID } from './reach.ts';

const PATIENCE_MS = 900_000;

const EVERYBODY = ['app', 'github', 'model', 'runner', 'world'];
/** Whom each has to reach. */
const REACHED: Readonly<Record<string, readonly string[]>> = {
  app: ['github', 'model'],
  runner: ['github', 'app'],
  github: ['app'],
  model: ['app'],
};

const REPOSITORY = 'acme/guestbook';

let parties: Parties;
let watches: readonly { readonly party: string; readonly watch: ReturnType<typeof watchHolding> }[] = [];
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
      repository: REPOSITORY,
      source: (directory) => prepareDemoRepository(directory, server),
      script: packageFile('src', 'demo', 'guestbook.yaml'),
    });
    const { spaces, file } = parties;
    watches = ['app', 'github', 'runner'].map((party) => ({
      party,
      watch: watchHolding({ spaces, party, folder: file(party) }, [REPOSITORY, MODEL_KEY]),
    }));
  });

  afterAll(async () => {
    await Promise.allSettled(watches.map(({ watch }) => watch.end()));
    await parties?.close();
  });

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

  describe('the network', () => {
    const answerers = new AsyncDisposableStack();

    // Where nobody listens, a call that fails says nothing of who may call.
    beforeAll(async () => {
      for (const party of ['runner', 'world']) answerers.use(await answering(parties.spaces, party));
    });

    afterAll(() => answerers.disposeAsync());

    test('of each of them has the addresses that are called below, and answers there', async () => {
      for (const party of EVERYBODY) {
        const addresses = parties.spaces.addressesOf(party);
        expect(addresses).not.toEqual([]);
        expect(await reachedFrom(parties.spaces, party, addresses)).toEqual(addresses);
      }
    });

    test('of the test reaches the world', async () => {
      const addresses = parties.spaces.addressesOf('world');
      expect(await reachedFrom(parties.spaces, undefined, addresses, SAID)).toEqual(addresses);
    });

    test.each(Object.entries(REACHED))('of the %s reaches nothing but what it must', async (party, wanted) => {
      for (const other of EVERYBODY.filter((one) => one !== party)) {
        const [name, ...addresses] = placesOf(parties.spaces, other);
        const reached = await reachedFrom(parties.spaces, party, [name, ...addresses]);
        if (!wanted.includes(other)) expect(reached, `${other} from the ${party}`).toEqual([]);
        else expect(reached, `${other} from the ${party}`).toEqual([name, expect.stringMatching(/^10\./)]);
      }
    });
  });

  test("the model's key is with the App alone", async () => {
    for (const { party, watch } of watches) {
      const held = await watch.end();
      // Where nothing is found, nothing may have been looked at.
      expect([...(held.get(REPOSITORY) ?? [])].join(), party).toMatch(/environ of|cmdline of/);
      const keys = [...(held.get(MODEL_KEY) ?? [])];
      if (party === 'app') expect(keys.join(), party).toMatch(/environ of/);
      else expect(keys, party).toEqual([]);
    }
  });
});
