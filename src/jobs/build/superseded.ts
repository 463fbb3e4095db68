/** Takes the tests that the approved plan supersedes out of their files: by reading, never by a model, and tried on the base. */
import { testCasesIn, withoutTests } from '../../guard/test-cases.ts';
import type { FrozenTests } from '../../loop/brief.ts';
import { runTests } from '../../test-runs/test-run.ts';
import { treeOf } from '../../trees/repository.ts';
import { type Bench, SetupError } from '../workspace/environment.ts';
import { overwrite } from '../workspace/trees.ts';
import { onCopy } from './settle.ts';

type File = FrozenTests['files'][number];

interface Superseded {
  readonly path: string;
  readonly names: readonly string[];
}

/**
 * Their files as they are to be frozen. `base` is a working copy of the base, in which it is seen that nothing else is lost.
 * @throws {SetupError} when a file cannot lose exactly these tests; then only another plan helps.
 */
export async function supersededFiles(bench: Bench, base: string): Promise<readonly File[]> {
  const { brief, environment } = bench;
  const files: File[] = [];
  for (const [path, tests] of Map.groupBy(brief.supersededTests, ({ file }) => file)) {
    const superseded = { path, names: tests.map(({ name }) => name) };
    await tryOnBase(bench, superseded, base);
    const text = await textAt(bench, brief.candidate, path);
    if (text !== undefined) files.push({ path, content: cutBy(bench, superseded, text) });
    environment.log(`took ${superseded.names.length} superseded tests out of ${path}`);
  }
  return files;
}

/** On the candidate people may have taken some of them out already. */
function cutBy({ brief }: Bench, { path, names }: Superseded, text: string): string {
  const { runner } = brief.commands;
  const there = new Set(testCasesIn(text, runner).map(({ name }) => name));
  const left = withoutTests(
    text,
    names.filter((name) => there.has(name)),
    runner,
  );
  if (left === undefined) throw impossible(path, 'they are not there exactly once on the branch');
  return left;
}

/** The runner must report the same tests with the same outcomes, but these. @throws {SetupError} */
async function tryOnBase(bench: Bench, { path, names }: Superseded, base: string): Promise<void> {
  const text = await textAt(bench, bench.brief.base, path);
  const left = text === undefined ? undefined : withoutTests(text, names, bench.brief.commands.runner);
  if (left === undefined) throw impossible(path, 'they are not there exactly once');
  const before = await outcomesIn(bench, base, { path });
  const after = await outcomesIn(bench, base, { path, content: left });
  const unknown = names.find((name) => !before.has(`${path}::${name}`));
  if (unknown !== undefined) throw impossible(path, `the runner reports no test ${JSON.stringify(unknown)}`);
  for (const name of names) before.delete(`${path}::${name}`);
  const differs = [...new Set([...before.keys(), ...after.keys()])].find((id) => before.get(id) !== after.get(id));
  if (differs !== undefined) throw impossible(path, `${differs} would not be as it was`);
}

async function outcomesIn(
  bench: Bench,
  base: string,
  { path, content }: { readonly path: string; readonly content?: string },
): Promise<Map<string, string>> {
  const { brief, environment } = bench;
  const run = await onCopy(
    bench,
    async (directory) => {
      if (content !== undefined) await overwrite(directory, path, content);
      return runTests({
        sandbox: environment.sandbox,
        directory,
        commands: brief.commands,
        files: [path],
        expected: [],
        timeoutMs: brief.limits.suiteTimeoutMs,
        outputBytes: brief.limits.outputBytes,
      });
    },
    base,
  );
  await environment.raw(run.raw);
  if (!run.trusted) throw impossible(path, run.problem ?? 'it could not be run on the base');
  return new Map([...run.results].map(([id, { outcome }]) => [id, outcome]));
}

async function textAt({ repository }: Bench, commit: string, path: string): Promise<string | undefined> {
  const entry = (await treeOf(repository, commit)).find((one) => one.path === path);
  if (entry === undefined) return undefined;
  return (await repository.git(['cat-file', 'blob', entry.id])).toString('utf8');
}

function impossible(path: string, because: string): SetupError {
  return new SetupError(
    `The tests that the plan supersedes cannot be taken out of ${path}, and nothing else with them: ${because}. Say \`/rerun PLAN\`, or change the file on the default branch.`,
  );
}
