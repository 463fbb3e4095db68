/** What a proposed change must keep to before it may land; the job applies the same rules, so what breaks them here was forged. */

import { readConfig } from '../context/repository-config.ts';
import { storedReport } from '../documents/stored-report.ts';
import { ArtifactError } from '../errors.ts';
import { CHANGE_LIMITS, type PatchPolicy, plannedPolicy, refusalsOf } from '../guard/patch-policy.ts';
import { frozenProblem } from '../guard/test-digest.ts';
import { isTestPath } from '../guard/test-paths.ts';
import {
  type BuildReport,
  buildReport,
  type Commands,
  type FileChange,
  type FrozenTests,
  type Report,
} from '../loop/brief.ts';
import { UNNOTICED } from '../loop/defect.ts';
import type { StartedLoop } from '../loop/stages.ts';
import type { Ports } from '../ports.ts';

type Judges = Pick<Ports, 'github' | 'store' | 'workspace'>;

/** @throws {ArtifactError} when the change touches what it must not, or the frozen tests are not the frozen ones. */
export async function assertProposal(report: Report, loop: StartedLoop, ports: Judges): Promise<void> {
  if (report.kind === 'verify') return;
  const { commands, protected: protectedPaths } = await readConfig(loop, ports);
  const policy = { protectedPaths, ...CHANGE_LIMITS };
  const planned = new Set(loop.tasks.flatMap(({ files }) => files));
  assertPaths(report.changes, planned, policy);
  if (report.kind === 'build') {
    assertNamed(report.changes, { planned, tests: report.tests, commands });
    await assertFrozen(report, loop, ports);
  } else assertSeedOnly(report.changes, planned, commands);
}

/** A lock file may change where the plan names it; every other rule holds for every path. */
function assertPaths(changes: readonly FileChange[], planned: ReadonlySet<string>, policy: PatchPolicy): void {
  const named = changes.filter(({ path }) => planned.has(path));
  const [refusal] = [
    ...refusalsOf(named, plannedPolicy(policy)),
    ...refusalsOf(
      changes.filter(({ path }) => !planned.has(path)),
      policy,
    ),
    ...(changes.length > policy.maxFiles ? refusalsOf(changes, plannedPolicy(policy)) : []),
  ];
  if (refusal !== undefined) throw new ArtifactError(`${refusal.message} The proposed patch was refused as a whole.`);
}

interface Named {
  readonly planned: ReadonlySet<string>;
  readonly tests: FrozenTests | null;
  readonly commands: Commands;
}

/** Only what the approved plan names may change, besides tests. */
function assertNamed(changes: readonly FileChange[], { planned, tests, commands }: Named): void {
  const frozen = new Set(tests?.files.map(({ path }) => path));
  const stray = changes.find(
    ({ path }) => !planned.has(path) && !frozen.has(path) && !isTestPath(path, commands.runner),
  );
  if (stray !== undefined)
    throw new ArtifactError(
      `\`${stray.path}\` changed although no task of the approved plan names it. The proposed patch was refused as a whole.`,
    );
}

/** Seed data comes beside the product; it changes neither the product nor its tests. */
function assertSeedOnly(changes: readonly FileChange[], planned: ReadonlySet<string>, { runner }: Commands): void {
  const stray = changes.find(({ path }) => planned.has(path) || isTestPath(path, runner));
  if (stray !== undefined)
    throw new ArtifactError(
      `The seed changes \`${stray.path}\`, which belongs to the product. It was refused as a whole.`,
    );
}

/** The tests are those that were frozen first under this plan, and they will lie on the candidate letter by letter. */
async function assertFrozen(report: BuildReport, loop: StartedLoop, ports: Judges): Promise<void> {
  const { tests } = report;
  if (tests === null) return;
  const problem = (await replacedTests(tests, loop, ports)) ?? (await alteredTests(report, tests, loop, ports));
  if (problem !== undefined) throw new ArtifactError(`${problem} Nothing of it was taken over.`);
}

async function replacedTests(tests: FrozenTests, loop: StartedLoop, { store }: Judges): Promise<string | undefined> {
  const earlier = (await storedReport(store, loop.built.reports.build, buildReport))?.tests ?? undefined;
  // VERIFY asked for further tests.
  const mayAdd = loop.feedback.some(({ rule }) => rule === UNNOTICED);
  return frozenProblem(tests, { earlier, mayAdd });
}

/** A test that an earlier candidate brought onto the branch is no change any more; then it must be there as it was frozen. */
async function alteredTests(
  { changes, candidate }: BuildReport,
  { files }: FrozenTests,
  loop: StartedLoop,
  { workspace }: Judges,
): Promise<string | undefined> {
  if (changes.length === 0) return undefined;
  const proposed = new Map(changes.map((change) => [change.path, change]));
  for (const { path, content } of files) {
    const change = proposed.get(path);
    const text = change === undefined ? await workspace.read(loop.ref, candidate, path) : textOf(change);
    if (text !== content) return `The frozen test ${path} would not lie on the candidate as it was frozen.`;
  }
  return undefined;
}

function textOf({ content }: FileChange): string | undefined {
  return content === null ? undefined : Buffer.from(content, 'base64').toString('utf8');
}
