/** One conversation of the builder per task, in the order of the plan. */
import { posix } from 'node:path';
import type { Task } from '../../documents/documents.ts';
import type { Brief, FrozenTests } from '../../loop/brief.ts';
import { defect } from '../../loop/defect.ts';
import type { Defect } from '../../loop/measurement.ts';
import { treeOf } from '../../trees/repository.ts';
import { saveTranscript } from '../report/transcripts.ts';
import { presentFiles } from '../workspace/changes.ts';
import { type Bench, callContext, JobError } from '../workspace/environment.ts';
import { install } from '../workspace/install.ts';
import { lockPackages } from '../workspace/new-packages.ts';
import { newRequirements } from '../workspace/new-requirements.ts';
import { NPM_LOCK } from '../workspace/npm-lock.ts';
import { REQUIREMENTS } from '../workspace/pip-requirements.ts';
import { converse, type Ending, UNFINISHED } from './agent.ts';
import {
  acceptanceOf,
  contextOf,
  documentsOf,
  feedbackOf,
  filesText,
  issueOf,
  requirementsOf,
  section,
  skillTexts,
} from './prompt.ts';
import { isFrozen, writeRefusalOf } from './settle.ts';

export interface TaskRequest {
  readonly tests: FrozenTests;
  readonly task: Task;
  /** What was wrong with the work so far. */
  readonly feedback: readonly Defect[];
  /** 0 for the first conversation of this entry, then the number of the revision. */
  readonly revision: number;
}

const SKILLS = ['incremental-implementation', 'coding-principles'] as const;
const TASK_MS = 30 * 60_000;

/**
 * Lets the builder work on one task in the workspace. What it says about its result is not believed.
 * Returns why it did not finish, which matters only when the numbers are red. @throws {ModelError}
 */
export async function workOn(bench: Bench, request: TaskRequest): Promise<readonly Defect[]> {
  const { brief, environment, repository } = bench;
  const { task, tests, revision } = request;
  const existing = new Set((await treeOf(repository, brief.candidate)).map(({ path }) => path));
  const refusalOf = writeRefusalOf(brief, tests, existing);
  environment.log(`${task.id} ${task.title}${revision === 0 ? '' : `, revision ${revision}`}`);
  const ending = await converse({
    model: environment.model,
    context: callContext(brief, { phase: 'BUILD', skill: SKILLS[0], role: 'builder', attempt: brief.iteration }),
    system: skillTexts(bench, SKILLS),
    user: userMessage(brief, request),
    tools: {
      workspace: environment.workspace,
      sandbox: environment.sandbox,
      listFiles: () => presentFiles(repository, brief.candidate),
      writeRefusal: (path) => {
        if (isFrozen(tests, path) && !bench.attempts.has(path)) bench.attempts.set(path, 'refused');
        return refusalOf(path);
      },
      installPackages: installerFor(bench, task),
      commandTimeoutMs: brief.limits.commandTimeoutMs,
      outputBytes: brief.limits.outputBytes,
      log: environment.log,
    },
    steps: brief.limits.agentSteps,
    until: environment.now() + TASK_MS,
    now: environment.now,
    save: (messages) => saveTranscript(environment.output, `${task.id}-${revision}`, messages),
  });
  environment.log(`${task.id}: the conversation ended: ${ending}`);
  return unfinished(task, ending);
}

/** Where people approved that the lock file changes, or what pip installs. */
function installerFor(bench: Bench, { files }: Task): (() => Promise<readonly string[]>) | undefined {
  const locks = files.filter((path) => posix.basename(path) === NPM_LOCK);
  if (locks.length === 0 && !files.includes(REQUIREMENTS)) return undefined;
  const { workspace, sandbox } = bench.environment;
  return async () => {
    const locked = locks.length === 0 ? [] : await lockPackages(bench, workspace, locks);
    // What was asked for before, and no more, is not there any longer.
    sandbox.python?.show(undefined);
    const required = await newRequirements(bench, workspace);
    await install(bench, workspace);
    return [...locked, ...required];
  };
}

function unfinished({ id, title, requirements }: Task, ending: Ending): readonly Defect[] {
  const ended = UNFINISHED[ending];
  if (ended === undefined) return [];
  return [
    defect({
      rule: 'builder',
      about: id,
      requirement: requirements[0],
      severity: 'major',
      message: `The builder did not finish ${id} (${title}): ${ended.why}.`,
      suggestion: ended.remedy,
    }),
  ];
}

/** Tasks such that each comes after those that it depends on. @throws {JobError} when they wait for each other. */
export function inOrder(tasks: readonly Task[]): readonly Task[] {
  const ordered: Task[] = [];
  let waiting = tasks;
  while (waiting.length > 0) {
    const ready = waiting.filter(({ dependsOn }) => dependsOn.every((id) => !waiting.some((task) => task.id === id)));
    if (ready.length === 0)
      throw new JobError(`The tasks ${waiting.map(({ id }) => id).join(', ')} wait for each other; plan them anew.`);
    ordered.push(...ready);
    waiting = waiting.filter((task) => !ready.includes(task));
  }
  return ordered;
}

/** The tasks that the defects are about: by requirement or by file; all when one defect names neither, or none is matched. */
export function affectedTasks(tasks: readonly Task[], defects: readonly Defect[]): readonly Task[] {
  const weighty = defects.filter(({ severity }) => severity !== 'minor');
  const about = (task: Task, { requirement, file }: Defect) =>
    (requirement !== null && task.requirements.includes(requirement)) || (file !== null && task.files.includes(file));
  if (weighty.length === 0 || weighty.some((defect) => !tasks.some((task) => about(task, defect)))) return tasks;
  return tasks.filter((task) => weighty.some((defect) => about(task, defect)));
}

function userMessage(brief: Brief, { task, tests, feedback }: TaskRequest): string {
  const { commands } = brief;
  const where = commands.directory ? ` (in ${commands.directory})` : '';
  const given = (['install', 'build', 'test', 'start'] as const).flatMap((name) =>
    commands[name] === null ? [] : [`- ${name}${name === 'test' ? where : ''}: \`${commands[name]}\``],
  );
  return [
    issueOf(brief),
    section(`Task ${task.id}: ${task.title}`, task.detail),
    section('Files that this task creates or changes', task.files.map((file) => `- ${file}`).join('\n')),
    section('Requirements', requirementsOf(brief, task.requirements)),
    documentsOf(brief, ['contract']),
    section('Acceptance rows', acceptanceOf(brief, task.requirements)),
    section('Frozen tests; they must pass and must not change', filesText(tests.files)),
    feedbackOf('Problems to solve', feedback),
    contextOf(brief),
    section('Commands', given.join('\n')),
  ].join('');
}
