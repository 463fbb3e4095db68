/** What comes of an effect that GitHub refuses: an event that people are told of, another try, or a line in the log. */
import { describe, expect, test } from 'vitest';
import { perform } from '../../src/engine/perform.ts';
import { GoneError } from '../../src/errors.ts';
import type { Effect } from '../../src/loop/effect.ts';
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
