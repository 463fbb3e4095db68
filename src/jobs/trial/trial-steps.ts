/** Tries a base step by step: what fails is told, and keeps from being tried only what cannot do without it. */
import { lstat, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { scopeOf } from '../../guard/test-scope.ts';
import { TRIAL_STEPS, type TrialBrief, type TrialStep, type TrialStepName } from '../../onboarding/trial.ts';
import { treesDirectory } from '../../sandbox/sandbox.ts';
import { suiteCommand } from '../../test-runs/test-run.ts';
import { filesToTry, NO_TEST, triedSentence, tryRunner } from '../../test-runs/tried-runner.ts';
import { onCopy } from '../../trees/copies.ts';
import { layTree, treeOf } from '../../trees/repository.ts';
import type { Opened } from '../in-sandbox.ts';
import { endingOf, shown } from './ending.ts';

export interface Trying extends Pick<Opened, 'sandbox' | 'repository'> {
  readonly brief: TrialBrief;
  readonly log: (line: string) => void;
}

/** One of each, in their order. */
export async function trialSteps(trying: Trying): Promise<readonly TrialStep[]> {
  const base = await laidBase(trying);
  const steps: TrialStep[] = [];
  for (const step of TRIAL_STEPS) {
    const isLost = steps.some((before) => before.outcome === 'failed' && NEEDED.has(before.step));
    const { outcome, durationMs, said } = await toldOf(WORK[step](base), isLost);
    const told = { step, outcome, seconds: Math.round(durationMs / 100) / 10, said: shown(said) };
    trying.log(lineOf(told));
    steps.push(told);
  }
  return steps;
}

interface Base extends Trying {
  /** Where it is laid, and then installed and built. */
  readonly tree: string;
  /** What the commit has, links left out. */
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
}

type Told = Pick<TrialStep, 'outcome' | 'said'> & { readonly durationMs: number };
type Work = () => Promise<Told>;

/** Without them there is nothing that could be tested. */
const NEEDED: ReadonlySet<TrialStepName> = new Set(['install', 'build']);

/** Undefined where there is nothing to do. */
const WORK: Readonly<Record<TrialStepName, (base: Base) => Work | undefined>> = {
  install: (base) => onTree(base, base.brief.commands.install),
  build: (base) => onTree(base, base.brief.commands.build),
  suite: (base) => () => wholeSuite(base),
  'suite again': (base) => () => wholeSuite(base),
  runner: (base) => () => singleTests(base),
};

/** What is not done takes no time, and has nothing to say. */
async function toldOf(work: Work | undefined, isLost: boolean): Promise<Told> {
  if (work === undefined) return { outcome: 'none', said: '', durationMs: 0 };
  return isLost ? { outcome: 'not tried', said: '', durationMs: 0 } : work();
}

/** The sizes are read before anything of the base has run. */
async function laidBase(trying: Trying): Promise<Base> {
  const { brief, repository } = trying;
  const tree = await mkdtemp(join(treesDirectory(repository.scratch), 'base-'));
  await layTree(repository, brief.base, tree);
  const paths = (await treeOf(repository, brief.base)).filter(({ mode }) => mode.startsWith('100'));
  const files = paths.map(async ({ path }) => ({ path, bytes: (await lstat(join(tree, path))).size }));
  return { ...trying, tree, files: await Promise.all(files) };
}

function onTree({ brief, sandbox, tree: directory }: Base, command: string | null): Work | undefined {
  if (command === null) return undefined;
  const { commandTimeoutMs: timeoutMs, outputBytes } = brief.limits;
  return async () => endingOf(await suiteCommand({ sandbox, directory, command, timeoutMs, outputBytes }));
}

/** On a copy, so that neither run finds what another left behind. */
async function wholeSuite({ brief, sandbox, repository, tree }: Base): Promise<Told> {
  const { test: command, directory: folder } = brief.commands;
  const { suiteTimeoutMs: timeoutMs, outputBytes } = brief.limits;
  const asked = { sandbox, folder, command, timeoutMs, outputBytes };
  return endingOf(await onCopy(repository.scratch, tree, (directory) => suiteCommand({ ...asked, directory })));
}

async function singleTests(base: Base): Promise<Told> {
  const { brief, sandbox, repository, tree, log } = base;
  const { commands, limits } = brief;
  const began = performance.now();
  const files = askable(base);
  if (typeof files === 'string') return { outcome: 'failed', said: files, durationMs: 0 };
  const { suiteTimeoutMs: timeoutMs, outputBytes } = limits;
  const asked = { sandbox, commands, files, timeoutMs, outputBytes, log };
  const tried = await onCopy(repository.scratch, tree, (directory) => tryRunner({ ...asked, directory }));
  const outcome = tried.type === 'seen' ? 'passed' : 'failed';
  return { outcome, said: triedSentence(commands.runner, tried), durationMs: performance.now() - began };
}

/** The runner's test files that may be asked, the best to try first. A sentence where there are none. */
function askable({ brief: { commands }, files }: Base): readonly string[] | string {
  const { runner, tests = [], directory } = commands;
  const all = filesToTry(files, runner);
  const { asked } = scopeOf(all, commands);
  if (asked.length > 0) return asked;
  if (all.length === 0) return `${runner}: ${NO_TEST}, none of the files is named as its tests are`;
  const named = [
    ...tests.map((glob) => `${glob} (commands.tests)`),
    ...(directory ? [`${directory} (commands.directory)`] : []),
  ].join(' or ');
  return `${runner}: no test file is at ${named}; the repository has ${all.length}, such as ${all[0]}`;
}

function lineOf({ step, outcome, seconds, said }: TrialStep): string {
  const [first = ''] = said.split('\n');
  const took = outcome === 'passed' || outcome === 'failed' ? ` in ${seconds} s` : '';
  return `${step}: ${outcome}${took}${first === '' ? '' : `, ${first}`}`;
}
