/** The job's program, started by the workflow: `node job.mjs build`, or another job of the table. */
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { ConfigError } from '../errors.ts';
import type { Report } from '../loop/brief.ts';
import { trialBrief } from '../onboarding/trial.ts';
import { probeBrief } from '../probe/runner-report.ts';
import { proofBrief } from '../proof/pull-proof.ts';
import { takeJobEnvironment } from '../settings/env.ts';
import { build } from './build/build.ts';
import { seeRunner } from './probe/see-runner.ts';
import { provePull } from './prove/prove-pull.ts';
import { briefJson, type JobRequest, type JobVariables, runJob } from './run-job.ts';
import { draftSeed, seed } from './seed/seed.ts';
import { tryBaseAlone } from './trial/try-base-alone.ts';
import { probe } from './verify/probe.ts';
import { verify } from './verify/verify.ts';

/** What can be asked for, and how; each resolves to the exit code. A verdict is in the report, never in the exit code. */
const COMMANDS: Readonly<Record<string, () => Promise<number>>> = {
  build: make,
  'draft-seed': () => run('seed', draftSeed),
  seed: () => run('seed', seed),
  verify: judge,
  probe,
};

/** What is judged without a model, and outside of a loop. */
const modelless = z.discriminatedUnion('kind', [proofBrief, trialBrief]);

process.exitCode = await main(process.argv[2] ?? '');

async function main(name: string): Promise<number> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return command();
  process.stderr.write(`There is no job ${JSON.stringify(name)}; use one of ${Object.keys(COMMANDS).join(', ')}.\n`);
  return 2;
}

/** The same workflow makes what a loop has planned, and shows how its jobs stand on their runner: the brief says which. */
function make(): Promise<number> {
  return orTold(async () => {
    const variables = takeJobEnvironment();
    const asked = await briefJson(variables.LOOPWRIGHT_BRIEF).then(probeBrief.safeParse, () => undefined);
    if (asked?.success !== true) return run('build', build, variables);
    await seeRunner({ variables, bundle: fileURLToPath(import.meta.url), log });
    return 0;
  });
}

/** One workflow judges what a loop has built, the pull request of anybody, and a base that nobody has worked on: the brief says which. */
async function judge(): Promise<number> {
  const variables = takeJobEnvironment();
  const asked = await briefJson(variables.LOOPWRIGHT_BRIEF).then(modelless.safeParse, () => undefined);
  if (asked?.success !== true) return run('verify', verify, variables);
  const job = { variables, bundle: fileURLToPath(import.meta.url), log };
  if (asked.data.kind === 'proof') await provePull({ brief: asked.data, ...job });
  else await tryBaseAlone({ brief: asked.data, ...job });
  return 0;
}

function run(kind: Report['kind'], job: JobRequest['job'], known?: JobVariables): Promise<number> {
  return orTold(async () => {
    const variables = known ?? takeJobEnvironment();
    await runJob({ kind, job, variables, bundle: fileURLToPath(import.meta.url), log });
    return 0;
  });
}

async function orTold(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

/** One line per event. Names in it may come from a model, so nothing may start a line or look like a workflow command. */
function log(line: string): void {
  const safe = line.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ').replaceAll('##[', '## [');
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${safe}\n`);
}
