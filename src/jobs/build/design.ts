/** The test designer: turns the acceptance rows into tests before there is code, checked on the base and then frozen. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOfTests } from '../../guard/test-digest.ts';
import { isTestFile } from '../../guard/test-paths.ts';
import { type AcceptanceTests, ANSWERS } from '../../loop/answers.ts';
import type { Commands, FrozenTests } from '../../loop/brief.ts';
import { defect, TEST_DESIGN, UNNOTICED } from '../../loop/defect.ts';
import type { Defect } from '../../loop/measurement.ts';
import { treesDirectory } from '../../sandbox/sandbox.ts';
import { layTree, type TreeEntry, treeOf } from '../../trees/repository.ts';
import { cut } from '../report/said.ts';
import { type Bench, callContext, JobError } from '../workspace/environment.ts';
import { install } from '../workspace/install.ts';
import { layTests } from '../workspace/trees.ts';
import { tryBase } from './base-trial.ts';
import { type DesignProblem, draftProblems, problemsByRules, problemsOnBase } from './design-check.ts';
import { repositorySections } from './design-material.ts';
import {
  acceptanceOf,
  contextOf,
  documentsOf,
  feedbackOf,
  filesText,
  issueOf,
  material,
  requirementsOf,
  section,
  skillTexts,
  supersededOf,
} from './prompt.ts';
import { supersededFiles } from './superseded.ts';

export interface Design {
  /** Undefined when no draft was right within the tries. */
  readonly tests: FrozenTests | undefined;
  readonly defects: readonly Defect[];
}

const LIST_CHARACTERS = 6000;

/**
 * Tests of an earlier iteration are taken over as they are; else they are designed. Either way they are in the workspace
 * afterwards, so that the builder can run them. @throws {ModelError} @throws {JobError}
 */
export async function frozenTestsOf(bench: Bench): Promise<Design> {
  const found = await takenOrDesigned(bench);
  if (found.tests !== undefined) await layTests(bench.environment.workspace, found.tests);
  return found;
}

async function takenOrDesigned(bench: Bench): Promise<Design> {
  const taken = bench.brief.previous?.tests;
  if (taken === undefined || taken === null) return design(bench);
  if (digestOfTests(taken.files) !== taken.digest)
    throw new JobError(`The frozen tests of the brief do not have the digest ${taken.digest}; design them anew.`);
  bench.environment.log(`took over ${taken.tests.length} frozen tests`);
  const unnoticed = bench.brief.defects.filter(({ rule }) => rule === UNNOTICED);
  return unnoticed.length === 0 ? { tests: taken, defects: [] } : strengthened(bench, taken, unnoticed);
}

async function design(bench: Bench): Promise<Design> {
  const existing = await existingFiles(bench);
  const base = await baseTree(bench);
  await tryBase(bench, base);
  const superseded = await supersededFiles(bench, base);
  const needed = bench.brief.requirements.filter(({ kind }) => kind !== 'metric').map(({ id }) => id);
  const request = await userMessage(bench, existing);
  const { answer, problems } = await drafted(bench, {
    request,
    existing: existing.map(({ path }) => path),
    needed,
    base,
  });
  if (answer === undefined) return { tests: undefined, defects: problems.map(defectFrom) };
  const files = [...answer.files, ...superseded];
  // What is taken out of existing files is frozen with what the designer wrote, so it lies over every tree that is judged.
  return { tests: { ...answer, files, digest: digestOfTests(files) }, defects: [] };
}

/**
 * Further tests, beside those that are frozen, for faults that these do not notice. Nothing is replaced, so nothing can become weaker. Where no draft is
 * right, the tests stay as they are, and the builder goes on.
 */
async function strengthened(bench: Bench, taken: FrozenTests, unnoticed: readonly Defect[]): Promise<Design> {
  const existing = await existingFiles(bench);
  const base = await baseTree(bench);
  await layTests(base, taken);
  const needed = [...new Set(unnoticed.flatMap(({ requirement }) => requirement ?? []))];
  const request = [
    await userMessage(bench, existing),
    section(
      'Tests that are frozen already; they stay, and yours come beside them in new files',
      filesText(taken.files),
    ),
    feedbackOf('Faults that they do not notice; write further tests for these requirements only', unnoticed),
  ].join('');
  const paths = [...existing, ...taken.files].map(({ path }) => path);
  const { answer, problems } = await drafted(bench, { request, existing: paths, needed, base });
  // They stay open, so that the next build asks again.
  if (answer === undefined) return { tests: taken, defects: [...problems.map(defectFrom), ...unnoticed] };
  bench.environment.log(`${answer.tests.length} further tests beside ${taken.tests.length} frozen ones`);
  const files = [...taken.files, ...answer.files];
  const added = [
    ...(taken.added ?? []),
    ...answer.tests.map((test) => ({
      test: `${test.file}::${test.name}`,
      because:
        unnoticed.find(({ requirement }) => requirement === test.requirement)?.message ??
        'another requirement asked for it',
    })),
  ];
  const tests = [...taken.tests, ...answer.tests];
  return { tests: { files, tests, added, digest: digestOfTests(files) }, defects: [] };
}

interface Drafting {
  readonly request: string;
  /** Paths where nothing may be written. */
  readonly existing: readonly string[];
  /** Requirements that need a test. */
  readonly needed: readonly string[];
  /** A working copy of the base. */
  readonly base: string;
}

interface Drafted {
  /** Undefined when no draft was right within the tries. */
  readonly answer: AcceptanceTests | undefined;
  /** Of the last draft. */
  readonly problems: readonly DesignProblem[];
}

/** Asks until a draft is right by reading it and on the base, as often as the limit allows. @throws {ModelError} */
async function drafted(bench: Bench, { request, existing, needed, base }: Drafting): Promise<Drafted> {
  const { brief, environment } = bench;
  const { skills, role } = ANSWERS['acceptance-tests'];
  const system = skillTexts(bench, skills);
  let problems: readonly DesignProblem[] = [];
  let feedback = '';
  for (let attempt = 1; attempt <= brief.limits.designAttempts; attempt += 1) {
    const context = callContext(brief, { phase: 'BUILD', skill: skills[0], role, attempt });
    const asked = { name: 'acceptance-tests', context, system, user: request + feedback } as const;
    const { answer } = await environment.model.answer(asked);
    problems = draftProblems(brief, answer, { existing, needed });
    // All that is wrong is told at once: tries are few.
    if (problems.length === 0)
      problems = [...(await problemsByRules(bench, answer)), ...(await problemsOnBase(bench, answer, base))];
    if (problems.length === 0) return { answer, problems };
    environment.log(`test design, attempt ${attempt}: ${problems.length} problems`);
    feedback = feedbackOn(answer, problems);
  }
  return { answer: undefined, problems };
}

/** The files of the candidate, but for tests that were taken away since, in whose place new ones may stand. */
async function existingFiles({ brief, repository }: Bench): Promise<readonly TreeEntry[]> {
  const stays = new Set((await treeOf(repository, brief.base)).map(({ path }) => path));
  const gone = new Set(brief.retired.map(({ path }) => path).filter((path) => !stays.has(path)));
  return (await treeOf(repository, brief.candidate)).filter(({ path }) => !gone.has(path));
}

/** A working copy of the base commit, with its dependencies, where drafts are tried. */
async function baseTree(bench: Bench): Promise<string> {
  const { brief, environment, repository } = bench;
  const folder = join(treesDirectory(environment.scratch), 'design-base');
  await mkdir(folder, { recursive: true });
  await layTree(repository, brief.base, folder);
  await install(bench, folder, { where: ` on the base ${brief.base}`, isUntouched: true });
  return folder;
}

function runnerOf({ runner, test, directory }: Commands): string {
  const where = directory
    ? `, run in \`${directory}\`; new tests lie below it, and are named by their path from the root`
    : '';
  return `${runner}: \`${test}\`${where}`;
}

async function userMessage(bench: Bench, existing: readonly TreeEntry[]): Promise<string> {
  const { brief } = bench;
  const paths = existing.map(({ path }) => path);
  const tests = paths.filter((path) => isTestFile(path, brief.commands.runner));
  const from = `the repository at ${brief.candidate.slice(0, 7)}`;
  return [
    issueOf(brief),
    section('Requirements', requirementsOf(brief)),
    documentsOf(brief, ['acceptance.md', 'spec.md', 'contract']),
    section('Acceptance rows', acceptanceOf(brief)),
    section('Runner and command', runnerOf(brief.commands)),
    material('Existing test files (they must not change)', from, tests.map((path) => `- ${path}`).join('\n')),
    supersededOf(brief),
    material('Other files', from, cut(paths.filter((path) => !tests.includes(path)).join('\n'), LIST_CHARACTERS)),
    await repositorySections(bench, existing),
    contextOf(brief),
    feedbackOf('Problems found earlier', brief.defects),
  ].join('');
}

function feedbackOn(answer: AcceptanceTests, problems: readonly DesignProblem[]): string {
  return [
    section('Your last answer', filesText(answer.files)),
    section('Its tests', answer.tests.map((test) => JSON.stringify(test)).join('\n')),
    section(
      'Problems of your last answer; send a whole new answer without them',
      problems.map(({ message }) => `- ${message}`).join('\n'),
    ),
  ].join('');
}

function defectFrom({ requirement, file, message }: DesignProblem): Defect {
  return defect({
    rule: TEST_DESIGN,
    about: `${requirement ?? ''}:${file ?? ''}:${message.slice(0, 80)}`,
    requirement,
    file,
    message,
    suggestion: 'Write tests that fail by assertion where the behaviour is new and pass where it must stay.',
  });
}
