/** The test designer: turns the acceptance rows into tests before there is code, checked on the base and then frozen. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOfTests } from '../../guard/test-digest.ts';
import { isTestPath } from '../../guard/test-paths.ts';
import { type AcceptanceTests, ANSWERS } from '../../loop/answers.ts';
import type { FrozenTests } from '../../loop/brief.ts';
import { defect } from '../../loop/defect.ts';
import type { Defect } from '../../loop/measurement.ts';
import { treesDirectory } from '../../sandbox/sandbox.ts';
import { layTree, type TreeEntry, treeOf } from '../../trees/repository.ts';
import { cut } from '../report/said.ts';
import { type Bench, callContext, JobError } from '../workspace/environment.ts';
import { install } from '../workspace/install.ts';
import { layTests } from '../workspace/trees.ts';
import { tryBase } from './base-trial.ts';
import { type DesignProblem, draftProblems, problemsOnBase } from './design-check.ts';
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
  return { tests: taken, defects: [] };
}

async function design(bench: Bench): Promise<Design> {
  const { brief, environment } = bench;
  const { skills, role } = ANSWERS['acceptance-tests'];
  const existing = await existingFiles(bench);
  const base = await baseTree(bench);
  await tryBase(bench, base);
  const superseded = await supersededFiles(bench, base);
  const system = skillTexts(bench, skills);
  const request = await userMessage(bench, existing);
  let problems: readonly DesignProblem[] = [];
  let feedback = '';
  for (let attempt = 1; attempt <= brief.limits.designAttempts; attempt += 1) {
    const context = callContext(brief, { phase: 'BUILD', skill: skills[0], role, attempt });
    const asked = { name: 'acceptance-tests', context, system, user: request + feedback } as const;
    const { answer } = await environment.model.answer(asked);
    problems = draftProblems(
      brief,
      answer,
      existing.map(({ path }) => path),
    );
    if (problems.length === 0) problems = await problemsOnBase(bench, answer, base);
    if (problems.length === 0) return { tests: frozenOf(answer, superseded), defects: [] };
    environment.log(`test design, attempt ${attempt}: ${problems.length} problems`);
    feedback = feedbackOn(answer, problems);
  }
  return { tests: undefined, defects: problems.map(defectFrom) };
}

/** The files of the candidate, but for tests that were taken away since, in whose place new ones may stand. */
async function existingFiles({ brief, repository }: Bench): Promise<readonly TreeEntry[]> {
  const stays = new Set((await treeOf(repository, brief.base)).map(({ path }) => path));
  const gone = new Set(brief.retired.map(({ path }) => path).filter((path) => !stays.has(path)));
  return (await treeOf(repository, brief.candidate)).filter(({ path }) => !gone.has(path));
}

/** What is taken out of existing files is frozen with what the designer wrote, so it lies over every tree that is judged. */
function frozenOf(answer: AcceptanceTests, superseded: readonly FrozenTests['files'][number][]): FrozenTests {
  const files = [...answer.files, ...superseded];
  return { ...answer, files, digest: digestOfTests(files) };
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

async function userMessage(bench: Bench, existing: readonly TreeEntry[]): Promise<string> {
  const { brief } = bench;
  const paths = existing.map(({ path }) => path);
  const tests = paths.filter((path) => isTestPath(path, brief.commands.runner));
  const from = `the repository at ${brief.candidate.slice(0, 7)}`;
  return [
    issueOf(brief),
    section('Requirements', requirementsOf(brief)),
    documentsOf(brief, ['acceptance.md', 'spec.md', 'contract']),
    section('Acceptance rows', acceptanceOf(brief)),
    section('Runner and command', `${brief.commands.runner}: \`${brief.commands.test}\``),
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
    rule: 'test-design',
    about: `${requirement ?? ''}:${file ?? ''}:${message.slice(0, 80)}`,
    requirement,
    file,
    message,
    suggestion: 'Write tests that fail by assertion where the behaviour is new and pass where it must stay.',
  });
}
