/** What comes of an effect that GitHub refuses: an event that people are told of, another try, or a line in the log. */
import { describe, expect, test } from 'vitest';
import { perform } from '../../src/engine/perform.ts';
import { GoneError, WithheldError } from '../../src/errors.ts';
import type { Effect } from '../../src/loop/effect.ts';
import type { Withheld } from '../../src/loop/terms.ts';
import type { Ports } from '../../src/ports.ts';
import { doors } from '../intake/door.ts';
import { building } from '../loop/stands.ts';

const openDoor = doors();
const loop = building();
const { entry } = loop;
const words = 'GitHub answered 404 to GET /repos/acme/shop/actions/workflows/loopwright-build.yml/runs: Not Found';
const gone = new GoneError(words, { status: 404, cause: new Error('Not Found') });
const DISPATCH: Effect = { type: 'dispatch', key: 'd', job: 'build', entry };
const REACT: Effect = { type: 'react', key: 'r', commentId: 99, content: '+1' };

const ARCHIVED = { reason: 'acme/shop is archived.', isWhole: true };
const MISSING = { reason: 'It lacks `statuses: read`.', isWhole: false };
const refused = new WithheldError('GitHub answered 403: Resource not accessible by integration', { status: 403 });

/** Performs an effect, for the `attempt`th time, on a GitHub that never had what it needs. */
async function performed(effect: Effect, attempt: number) {
  const { ports: door } = await openDoor();
  const refuse = async () => Promise.reject(gone);
  const ports: Ports = {
    ...door,
    modelFacts: { ...door.modelFacts, jobUrl: 'http://127.0.0.1/v1' },
    github: { ...door.github, head: refuse, react: refuse },
  };
  return perform(effect, { loop, ports, tries: { attempt, failed: { gone: attempt - 1 } } });
}

describe('what GitHub does not have', () => {
  test.each([
    [DISPATCH, 1, 5],
    [DISPATCH, 2, 15],
    [REACT, 1, 5],
  ] as const)('is asked for again: %o, try %i, after %i s', async (effect, attempt, seconds) => {
    expect(await performed(effect, attempt)).toEqual({ type: 'again', error: gone, kind: 'gone', seconds, calls: [] });
  });

  test('and what a phase waits for is told in the words of GitHub, with where to look', async () => {
    const reason = `${words}. See that Loopwright's two workflow files are on the default branch (\`loopwright init\` writes them).`;
    const event = { type: 'failed', entry, cause: 'setup', reason, calls: [] };
    expect(await performed(DISPATCH, 3)).toMatchObject({ type: 'settled', event });
  });

  test('and what only answers somebody is dropped, and the log says why', async () => {
    expect(await performed(REACT, 3)).toEqual({ type: 'settled', event: undefined, dropped: words });
  });

  test('and a branch that somebody deleted is missed in our own words', async () => {
    const { ports: door } = await openDoor();
    const modelFacts = { ...door.modelFacts, jobUrl: 'http://127.0.0.1/v1' };
    const event = { type: 'failed', cause: 'setup', reason: 'The branch loopwright/12 is gone; restore it.' };
    const outcome = await perform(DISPATCH, {
      loop,
      ports: { ...door, modelFacts },
      tries: { attempt: 3, failed: { gone: 2 } },
    });
    expect(outcome).toMatchObject({ type: 'settled', event });
  });
});

describe('a head of which no webhook told', () => {
  const found = async (effect: Effect, failed: Readonly<Record<string, number>>) => {
    const { ports: door, world } = await openDoor();
    world.heads['refs/heads/loopwright/12'] = 'c'.repeat(40);
    const modelFacts = { ...door.modelFacts, jobUrl: 'http://127.0.0.1/v1' };
    const github = {
      ...door.github,
      pull: async () => ({
        ...(await door.github.pull(loop.ref, 13)),
        state: 'open' as const,
        headSha: 'c'.repeat(40),
      }),
    };
    return perform(effect, { loop, ports: { ...door, github, modelFacts }, tries: { attempt: 1, failed } });
  };

  test.each([
    [{}, 1],
    [{ unheard: 1 }, 2],
    [{ unheard: 2, gone: 1 }, 4],
    [{ unheard: 3 }, 8],
  ])('is looked at again first, for its webhook may say whose it is: after %o in %i s', async (failed, seconds) => {
    expect(await found(DISPATCH, failed)).toMatchObject({ type: 'again', kind: 'unheard', seconds, calls: [] });
  });

  test("and then it is somebody's, so that nothing waits for a webhook that was lost", async () => {
    const outcome = await found(DISPATCH, { unheard: 4 });
    expect(outcome).toMatchObject({ type: 'settled', event: { type: 'pushed', sha: 'c'.repeat(40) } });
    expect(outcome).not.toHaveProperty('event.by');
  });

  test('is told at once where a loop that had ended has not listened', async () => {
    expect(await found({ type: 'redraft', key: 'r', entry }, {})).toMatchObject({ event: { type: 'pushed' } });
  });
});

describe('what the App may not', () => {
  async function refusedWith(error: Error, withheld: Withheld | undefined, failed: Record<string, number> = {}) {
    const { ports: door, world } = await openDoor();
    world.withheld = withheld;
    const react = async () => Promise.reject(error);
    const ports: Ports = { ...door, github: { ...door.github, react } };
    return perform(REACT, { loop, ports, tries: { attempt: 1, failed } });
  }

  test.each([
    ['archived', refused, ARCHIVED],
    ['without a permission', refused, MISSING],
    ['out of the installation, so that nothing is there', gone, ARCHIVED],
  ])('waits, and says why: %s', async (_, error, withheld) => {
    expect(await refusedWith(error, withheld, { gone: 2 })).toEqual({ type: 'withheld', ...withheld, calls: [] });
  });

  test('a permission that is missing for something else explains nothing that is gone', async () => {
    expect(await refusedWith(gone, MISSING, { gone: 2 })).toMatchObject({ type: 'settled', dropped: words });
  });

  test('is tried once more where nothing is withheld, as a token may be of the past, and is then refused', async () => {
    expect(await refusedWith(refused, undefined)).toMatchObject({ type: 'again', kind: 'withheld' });
    expect(await refusedWith(refused, undefined, { withheld: 1 })).toMatchObject({ type: 'settled', event: undefined });
  });
});
