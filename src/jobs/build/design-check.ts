/** Checks a draft of the test designer: first by reading it, then by running it on the base. */
import { newLinesOf } from '../../guard/added-lines.ts';
import { pathRefusal } from '../../guard/patch-policy.ts';
import { isTestPath } from '../../guard/test-paths.ts';
import { isBelow } from '../../guard/test-scope.ts';
import { withoutWaiver } from '../../guard/waivers.ts';
import { weakeningDefects } from '../../guard/weakening.ts';
import type { AcceptanceTests } from '../../loop/answers.ts';
import type { Brief, Outcome } from '../../loop/brief.ts';
import { hasAssertion } from '../../rules/assertions.ts';
import { scanChange } from '../../rules/scan-change.ts';
import { readTests } from '../../rules/test-change.ts';
import { removeInside, writeInside } from '../../sandbox/inside.ts';
import { runTests } from '../../test-runs/test-run.ts';
import { cut } from '../report/said.ts';
import type { Bench } from '../workspace/environment.ts';

export interface DesignProblem {
  readonly requirement?: string;
  readonly file?: string;
  readonly message: string;
}

type Test = AcceptanceTests['tests'][number];

/** What a test must do on the base: new behaviour is missed by assertion, behaviour that stays is there. */
const WANTED: Readonly<Record<Test['kind'], { readonly outcome: Outcome; readonly because: string }>> = {
  change: {
    outcome: 'fail',
    because: 'must fail there by assertion',
  },
  keep: { outcome: 'pass', because: 'must pass there, because its behaviour exists already' },
};

/** Loading failed, or something other than an assertion was thrown: the runner's message says which. */
const STOPPED = 'stops on the base with an error that is no assertion';
const REMEDY =
  '\nIf a module or symbol is missing there: look it up inside the test, and assert that it is there. If the product throws there what it shall accept: catch that inside the test, and assert on what came instead, as `assert.doesNotThrow` does.';

/** What is wrong with a draft without running it. */
export function draftProblems(
  brief: Brief,
  draft: AcceptanceTests,
  { existing, needed }: { readonly existing: readonly string[]; readonly needed: readonly string[] },
): readonly DesignProblem[] {
  return [
    ...draft.files.flatMap((file) => fileProblems(brief, file, existing)),
    ...repeated(draft.files.map(({ path }) => path)).map((path) => ({ file: path, message: `${path} is sent twice.` })),
    ...draft.tests.flatMap((test) => testProblems(brief, draft, test)),
    ...repeated(draft.tests.map(idOf)).map((id) => ({ message: `The test ${id} is listed twice.` })),
    ...needed
      .filter((id) => !draft.tests.some(({ requirement }) => requirement === id))
      .map((id) => ({ requirement: id, message: `${id} has no test.` })),
  ];
}

/** What the rules that judge the candidate later would find in a draft's files: nobody could mend them there any more. */
export async function problemsByRules(
  { brief, environment }: Bench,
  { files }: AcceptanceTests,
): Promise<readonly DesignProblem[]> {
  const parsers = await environment.parsers();
  const added = files.flatMap(({ path, content }) => newLinesOf(path, undefined, content));
  const texts = new Map(files.map(({ path, content }) => [path, content]));
  const isTest = (file: string) => isTestPath(file, brief.commands.runner);
  const { trees } = readTests(parsers, { added, texts, isTest });
  const found = [
    ...scanChange(parsers, added, texts).defects,
    ...weakeningDefects({ added, trees, isTest, head: new Map() }),
  ];
  // Whoever drafts mends it, so that nobody has to lift it.
  return found.map(withoutWaiver).map(({ file, message, suggestion }) => ({
    ...(file === null ? {} : { file }),
    message: suggestion === null ? message : `${message} ${suggestion}`,
  }));
}

/** What is wrong with a draft when it runs on a working copy of the base; its files are removed again. */
export async function problemsOnBase(
  { brief, environment }: Bench,
  draft: AcceptanceTests,
  base: string,
): Promise<readonly DesignProblem[]> {
  try {
    for (const { path, content } of draft.files) {
      const refusal = await writeInside(base, path, content);
      if (refusal !== undefined) return [{ file: path, message: `${path} cannot be written: ${refusal}.` }];
    }
    const run = await runTests({
      sandbox: environment.sandbox,
      directory: base,
      commands: brief.commands,
      files: draft.files.map(({ path }) => path),
      expected: draft.tests.map(idOf),
      timeoutMs: brief.limits.suiteTimeoutMs,
      outputBytes: brief.limits.outputBytes,
    });
    await environment.raw(run.raw);
    if (!run.trusted) return [{ message: `The tests could not be run on the base: ${run.problem ?? 'no result'}.` }];
    return draft.tests.flatMap((test) => outcomeProblems(test, run.results.get(idOf(test))));
  } finally {
    for (const { path } of draft.files) await removeInside(base, path);
  }
}

/** The id under which a test's result is reported. */
export function idOf({ file, name }: { readonly file: string; readonly name: string }): string {
  return `${file}::${name}`;
}

function fileProblems(
  { policy, tasks, commands }: Brief,
  { path }: AcceptanceTests['files'][number],
  existing: readonly string[],
): readonly DesignProblem[] {
  const refusal = pathRefusal(path, policy);
  const checks: readonly (readonly [boolean, string])[] = [
    [refusal !== undefined, `${path} must not be written: ${refusal}.`],
    [existing.includes(path), `${path} exists already; tests go into new files.`],
    [!isTestPath(path, commands.runner), `${path} is not where the runner ${commands.runner} has its tests.`],
    [
      !isBelow(path, commands.directory),
      `${path} is not in ${commands.directory}, the folder in which tests are run (commands.directory).`,
    ],
    [tasks.some(({ files }) => files.includes(path)), `${path} is a file of a task, not a test.`],
  ];
  return checks.flatMap(([wrong, message]) => (wrong ? [{ file: path, message }] : []));
}

function testProblems({ requirements }: Brief, draft: AcceptanceTests, test: Test): readonly DesignProblem[] {
  const { requirement, file, kind, name } = test;
  const known = requirements.find(({ id }) => id === requirement);
  const content = draft.files.find(({ path }) => path === file)?.content;
  const checks: readonly (readonly [boolean, string])[] = [
    [known === undefined, `The test ${idOf(test)} is for ${requirement}, which is not a requirement.`],
    [
      known !== undefined && known.kind !== kind,
      `The test ${idOf(test)} has kind ${kind}, but ${requirement} has kind ${known?.kind}.`,
    ],
    [content === undefined, `The test ${idOf(test)} is in a file that was not sent.`],
    [content !== undefined && !hasAssertion(content, name), `The test ${idOf(test)} asserts nothing.`],
    [/[\n\r]/.test(name), `The name of the test ${JSON.stringify(name)} has a line break.`],
  ];
  return checks.flatMap(([wrong, message]) => (wrong ? [{ requirement, file, message }] : []));
}

function outcomeProblems(
  test: Test,
  result: { readonly outcome: Outcome; readonly message: string } | undefined,
): readonly DesignProblem[] {
  const { outcome, because } = WANTED[test.kind];
  const actual = result?.outcome ?? 'not-run';
  if (actual === outcome) return [];
  const said = result?.message ? `: ${cut(result.message, 1500)}` : '';
  const found = actual === 'load-error' ? STOPPED : `has the outcome ${actual} on the base`;
  const remedy = actual === 'load-error' && outcome === 'fail' ? REMEDY : '';
  const message = `The ${test.kind} test ${idOf(test)} ${found}, but ${because}${said}${remedy}`;
  return [{ requirement: test.requirement, file: test.file, message }];
}

function repeated(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
