/** Reduces the workspace to what may be proposed, before anything is measured: what is judged is what would land. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { defectOf, type PatchPolicy, pathRefusal, plannedPolicy, refusalsOf } from '../../guard/patch-policy.ts';
import { isTestPath } from '../../guard/test-paths.ts';
import type { Brief, FileChange, FrozenTests } from '../../loop/brief.ts';
import { defect } from '../../loop/defect.ts';
import type { Defect } from '../../loop/measurement.ts';
import { overwriteInside, placeOf, readRegular, removeInside } from '../../sandbox/inside.ts';
import { treesDirectory } from '../../sandbox/sandbox.ts';
import { treeOf } from '../../trees/repository.ts';
import { changesOf, restorePaths } from '../workspace/changes.ts';
import { type Bench, JobError } from '../workspace/environment.ts';

export interface Settled {
  /** What may be proposed; empty when the change as a whole is refused. */
  readonly changes: readonly FileChange[];
  /** Blocking `path-policy` defects: what was refused and set back. */
  readonly refused: readonly Defect[];
  /** What was set back because no task names it. */
  readonly unplanned: readonly Defect[];
}

const PASSES = 4;

/** Why the builder must not write this path, as a clause; undefined when it may. */
export function writeRefusalOf(brief: Brief, tests: FrozenTests, existing: ReadonlySet<string>) {
  return (path: string): string | undefined => {
    if (isFrozen(tests, path)) return 'it is a frozen test, which nobody may change';
    if (isPlanned(brief, tests, existing, path)) return pathRefusal(path, planPolicy(brief, path));
    const refusal = pathRefusal(path, brief.policy);
    if (refusal !== undefined) return refusal;
    return existing.has(path) && isTestPath(path, brief.commands.runner)
      ? 'it is an existing test; new tests go into new files'
      : `no task names it; the tasks' files are ${filesOf(brief).join(', ')}`;
  };
}

export function isFrozen({ files }: FrozenTests, path: string): boolean {
  return files.some((file) => file.path === path);
}

/** Sets back what must not land, links and protected files first, and lists what is left as changes. */
export async function settle(bench: Bench, tests: FrozenTests): Promise<Settled> {
  const { brief, repository } = bench;
  const existing = new Set((await treeOf(repository, brief.candidate)).map(({ path }) => path));
  const refused: Defect[] = await restoreTests(bench, tests);
  const unplanned: Defect[] = [];
  for (let pass = 1; pass <= PASSES; pass += 1) {
    const found = await changesOf(repository, brief.candidate, brief.policy.maxBytes);
    const judged = found.changes.map((change) => verdictOf(brief, tests, existing, change));
    const wrong = [...found.refused, ...judged.flatMap(({ wrong }) => wrong ?? [])];
    if (wrong.length === 0)
      return finish(
        brief,
        judged.map(({ change }) => change),
        { refused, unplanned },
      );
    refused.push(...wrong.filter(({ rule }) => rule === 'path-policy'));
    unplanned.push(...wrong.filter(({ rule }) => rule !== 'path-policy'));
    await restorePaths(
      repository,
      brief.candidate,
      wrong.flatMap(({ file }) => file ?? []),
    );
    await restoreTests(bench, tests);
  }
  throw new JobError(`The workspace still has files that must not land after ${PASSES} tries to set them back.`);
}

/** Runs something on a copy of the workspace, or of another tree, so that what it leaves behind is not mistaken for the work. */
export async function onCopy<Result>(
  { environment: { workspace, scratch } }: Bench,
  run: (copy: string) => Promise<Result>,
  tree = workspace,
): Promise<Result> {
  const copy = await mkdtemp(join(treesDirectory(scratch), 'copy-'));
  try {
    await cp(tree, copy, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => basename(source) !== '.git',
    });
    return await run(copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/**
 * Takes away the tests of plans that people sent back, and gives those that it took: who changed one keeps it. A file of the base is as it is there
 * again. Nobody else in the job may touch them.
 */
export async function withoutRetired({ brief, repository, environment }: Bench): Promise<Brief['retired']> {
  const onBase = new Map((await treeOf(repository, brief.base)).map(({ path, id }) => [path, id]));
  const taken: Brief['retired'] = [];
  for (const { path, content } of brief.retired) {
    const place = await placeOf(environment.workspace, path);
    const isThere = place.refusal === undefined && place.stats?.isFile() === true;
    if (!isThere || (await readRegular(place.absolute)).toString('utf8') !== content) continue;
    const id = onBase.get(path);
    environment.log(`${path} was frozen under an earlier plan; it is ${id === undefined ? 'taken away' : 'set back'}`);
    if (id === undefined) await removeInside(environment.workspace, path);
    else await overwriteInside(environment.workspace, path, await repository.git(['cat-file', 'blob', id]));
    taken.push({ path, content });
  }
  return taken;
}

/** Puts frozen tests that the builder changed or removed back in place, and says so. */
async function restoreTests({ environment, attempts }: Bench, tests: FrozenTests): Promise<Defect[]> {
  const defects: Defect[] = [];
  for (const { path, content } of tests.files) {
    const place = await placeOf(environment.workspace, path);
    const same = place.refusal === undefined && place.stats?.isFile() === true;
    if (same && (await readRegular(place.absolute)).toString('utf8') === content) continue;
    environment.log(`the frozen test ${path} was changed or removed; it is put back`);
    attempts.set(path, 'put back');
    const again = await overwriteInside(environment.workspace, path, content);
    if (again !== undefined) defects.push(defectOf(path, `the frozen test cannot be put back: ${again}`));
  }
  return defects;
}

function verdictOf(brief: Brief, tests: FrozenTests, existing: ReadonlySet<string>, change: FileChange) {
  const planned = isPlanned(brief, tests, existing, change.path);
  const refusal = pathRefusal(change.path, planned ? planPolicy(brief, change.path) : brief.policy);
  if (refusal !== undefined) return { change, wrong: defectOf(change.path, refusal) };
  return { change, wrong: planned ? undefined : unplannedDefect(change.path, existing.has(change.path)) };
}

function finish(brief: Brief, changes: readonly FileChange[], before: Omit<Settled, 'changes'>): Settled {
  const whole = refusalsOf(changes, plannedPolicy(brief.policy));
  if (whole.length === 0) return { ...before, changes };
  return { ...before, changes: [], refused: [...before.refused, ...whole] };
}

function isPlanned(brief: Brief, tests: FrozenTests, existing: ReadonlySet<string>, path: string): boolean {
  const named = [...tests.files, ...brief.retired].some((file) => file.path === path);
  if (named || filesOf(brief).includes(path)) return true;
  return isTestPath(path, brief.commands.runner) && !existing.has(path);
}

/** A lock file may change where a task names it; every other rule stays. */
function planPolicy(brief: Brief, path: string): PatchPolicy {
  return filesOf(brief).includes(path) ? plannedPolicy(brief.policy) : brief.policy;
}

function filesOf(brief: Brief): readonly string[] {
  return [...new Set(brief.tasks.flatMap(({ files }) => files))];
}

function unplannedDefect(path: string, existed: boolean): Defect {
  return defect({
    rule: 'unplanned-file',
    about: path,
    file: path,
    severity: existed ? 'major' : 'minor',
    message: `\`${path}\` was ${existed ? 'changed' : 'created'}, but no task names it; it was set back before measuring.`,
    suggestion: 'Change only the files that the tasks name, and new tests.',
  });
}
