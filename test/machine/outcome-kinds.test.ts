/** Each runner tells each kind of outcome apart, in one run of all of them, in the real sandbox. */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTests } from '../../src/test-runs/test-run.ts';
import { type Kind, type Kinds, RUNNER_KINDS, type Told } from './outcome-kinds.ts';
import { openPackageRoom, type PackageRoom } from './package-room.ts';

const OURS = await realpath(join(import.meta.dirname, '..', '..', 'node_modules'));

let room: PackageRoom;
beforeAll(async () => {
  room = await openPackageRoom(['jest@29.7.0', 'mocha@11.7.4', 'tape@5.9.0', 'tap-xunit@2.4.1'], [OURS]);
});
afterAll(() => room.close());

async function lay({ beside, path, text, kinds }: Kinds, chosen: readonly Kind[]) {
  const tests = Object.fromEntries(chosen.map((kind) => [path(kind), text(kinds[kind])]));
  return room.lay({ ...beside, ...tests });
}

const NAMES: Readonly<Record<string, string>> = { unittest: 'Case.test_it', pytest: 'TestCase.test_it' };

/** What was told of each kind's test; every kind's test is asked for. */
async function told(name: keyof typeof RUNNER_KINDS, chosen: readonly Kind[], minutes: number) {
  const kinds: Kinds = RUNNER_KINDS[name];
  const directory = await lay(kinds, chosen);
  await room.link(directory, name === 'vitest' ? OURS : undefined);
  const idOf = (kind: Kind) => `${kinds.path(kind)}::${NAMES[name] ?? 'it'}`;
  const run = await runTests({
    ...{
      sandbox: room.sandbox,
      directory,
      commands: kinds,
      files: chosen.map(kinds.path),
      expected: chosen.map(idOf),
    },
    ...{ timeoutMs: minutes * 60_000, outputBytes: 1_000_000 },
  });
  const found = chosen.map((kind): readonly [Kind, Told] => {
    const { outcome = '', message = '', isRaised = false } = run.results.get(idOf(kind)) ?? {};
    return [kind, { outcome, isRaised, message }];
  });
  return { trusted: run.trusted, problem: run.problem, kinds: Object.fromEntries(found) };
}

/** What each kind has to be told as. */
const TOLD: Readonly<Record<Kind, Told>> = {
  right: { outcome: 'pass', isRaised: false, message: /^$/ },
  wrong: { outcome: 'fail', isRaised: false, message: /1[\s\S]*2|2[\s\S]*1/ },
  raises: { outcome: 'load-error', isRaised: true, message: /out of it/ },
  unloadable: { outcome: 'load-error', isRaised: false, message: /nowhere/ },
  skipped: { outcome: 'not-run', isRaised: false, message: /^skipped/ },
  empty: { outcome: 'load-error', isRaised: false, message: /^no tests were found in/ },
  killed: { outcome: 'load-error', isRaised: false, message: /ended|terminated|killed|signal/i },
  flooded: { outcome: 'fail', isRaised: false, message: /1[\s\S]*2|2[\s\S]*1/ },
  hangs: { outcome: 'load-error', isRaised: false, message: /stopped after|timed out|exceeded timeout|timeout of/i },
};

function wanted(name: keyof typeof RUNNER_KINDS, chosen: readonly Kind[]) {
  const { instead = {} }: Kinds = RUNNER_KINDS[name];
  const entries = chosen.map((kind) => {
    const all = { ...TOLD[kind], ...instead[kind] };
    return [kind, { ...all, message: expect.stringMatching(all.message) }] as const;
  });
  return Object.fromEntries(entries);
}

const RUNNERS = Object.keys(RUNNER_KINDS) as readonly (keyof typeof RUNNER_KINDS)[];
const AT_ONCE: readonly Kind[] = ['right', 'wrong', 'raises', 'unloadable', 'skipped', 'empty', 'killed', 'flooded'];

describe.each(RUNNERS)('%s', (name) => {
  test('tells apart an assertion, an exception, a failed import, a skip, no test, a killed process and a flood', async () => {
    const { trusted, problem, kinds } = await told(name, AT_ONCE, 3);
    expect({ trusted, problem }).toEqual({ trusted: true, problem: undefined });
    expect(kinds).toEqual(wanted(name, AT_ONCE));
  });

  test('tells a test that does not end, beside those that do', async () => {
    const chosen = ['right', 'hangs', 'wrong'] as const;
    const { trusted, problem, kinds } = await told(name, chosen, 0.75);
    expect({ trusted, problem }).toEqual({ trusted: true, problem: undefined });
    expect(kinds).toEqual(wanted(name, chosen));
  });
});
