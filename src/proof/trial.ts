/** Tests that pass on the head, asked once more on a copy of it in which some of the product is other. */
import type { RunnerCommands } from '../runners/runner.ts';
import { overwriteInside } from '../sandbox/inside.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { runTests, type TestRun } from '../test-runs/test-run.ts';
import { onCopy } from '../trees/copies.ts';
import type { Repository } from '../trees/repository.ts';
import { built } from './build.ts';
import type { Change } from './change.ts';

/** Tests that pass on the head, which a fault may make fail. */
export interface Guards {
  /** By file, ids `file::name`. */
  readonly tests: ReadonlyMap<string, readonly string[]>;
  /** What a run of them takes on the head. */
  readonly durationMs: number;
  /** They are run without the other tests of their files. */
  readonly chosen?: boolean;
  /** What one of them may take with a fault; where that is not known, a share of the whole time. */
  readonly testMs?: number | undefined;
}

export interface TrialRequest {
  readonly repository: Repository;
  readonly sandbox: Sandbox;
  readonly commands: RunnerCommands;
  readonly build: string | null;
  readonly change: Change;
  /** The tree of the head. */
  readonly head: string;
  /** No run of few files takes longer, whatever the head takes. */
  readonly timeoutMs: number;
  readonly outputBytes: number;
}

/** Of files, by path. */
export type Texts = ReadonlyMap<string, string>;

/** Runs something on a copy of the head with these texts: `broken` where that cannot be built, `refused` where a file is none to write. */
export function onChanged<Result>(
  request: TrialRequest,
  textsFor: (copy: string) => Texts,
  run: (copy: string) => Promise<Result>,
): Promise<Result | 'broken' | 'refused'> {
  return onCopy(request.repository.scratch, request.head, async (copy) => {
    for (const [file, text] of textsFor(copy)) {
      const isExecutable = request.change.headFiles.get(file)?.startsWith('100755') === true;
      // The change decides what lies there: a link would lead anywhere.
      if ((await overwriteInside(copy, file, Buffer.from(text), isExecutable)) !== undefined) return 'refused';
    }
    return (await built(request, copy)) === undefined ? run(copy) : 'broken';
  });
}

/** The time is for so many files; for as many again there is as much again. */
const FILES_IN_TIME = 25;

/** What a run of the files may take. */
export function timeFor(files: readonly string[], timeoutMs: number): number {
  return timeoutMs * Math.max(1, Math.ceil(files.length / FILES_IN_TIME));
}

/** A fault may make a test wait for what never comes; nothing else of a run takes that much longer. */
const PATIENCE = 10;
const SHORTEST_MS = 20_000;

/** Asks the tests in a tree, `patiently` where nothing is wrong with it. */
export function ask(
  request: TrialRequest,
  directory: string,
  { tests, durationMs, chosen, testMs }: Guards,
  how: 'patiently' | 'hastily' = 'hastily',
): Promise<TestRun> {
  const { sandbox, commands, outputBytes } = request;
  const files = [...tests.keys()];
  const timeoutMs = timeFor(files, request.timeoutMs);
  const hasty = Math.min(timeoutMs, Math.max(SHORTEST_MS, PATIENCE * durationMs));
  return runTests({
    ...{ sandbox, directory, commands, outputBytes },
    ...{ files, expected: idsOf({ tests }), onlyExpected: chosen },
    ...(how === 'patiently' ? { timeoutMs } : { timeoutMs: hasty, testMs, tellsApart: false, untilRed: chosen }),
  });
}

export function idsOf({ tests }: Pick<Guards, 'tests'>): readonly string[] {
  return [...tests.values()].flat();
}

/** Those of the tests that pass; none of a run that proves nothing. */
export function passingIn({ trusted, results }: TestRun, guards: Guards): Guards {
  const left = [...guards.tests].map(
    ([file, ids]) => [file, ids.filter((id) => trusted && results.get(id)?.outcome === 'pass')] as const,
  );
  return { ...guards, tests: new Map(left.filter(([, ids]) => ids.length > 0)) };
}
