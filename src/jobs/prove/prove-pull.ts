/** Proves a pull request in a workflow run: its change by its own tests, without a loop and without a model. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LoopError, SandboxError } from '../../errors.ts';
import type { Proof } from '../../proof/proof.ts';
import { prove } from '../../proof/prove.ts';
import { type ProofBrief, type ProofReport, proofReport } from '../../proof/pull-proof.ts';
import { openSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { loadParsers, parsersFolder } from '../../syntax/parsers.ts';
import { openRepository, type Repository } from '../../trees/repository.ts';
import { egressTo, type JobVariables, preparedIn, programOf } from '../run-job.ts';
import { installed } from './installed.ts';

export interface PullProofJob {
  readonly brief: ProofBrief;
  readonly variables: JobVariables;
  /** Path of this job's own program. */
  readonly bundle: string;
  readonly log: (line: string) => void;
}

/** Writes the report, whatever becomes of the proof: a run without one is told as nothing but its log. */
export async function provePull(job: PullProofJob): Promise<void> {
  const { brief, variables, log } = job;
  const { pull, serial, base, head } = brief;
  const told = await proofOf(job).catch((error: unknown): Told => {
    log(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return { sandbox: 'none', proof: null, failure: failureOf(error) };
  });
  const report = proofReport.parse({ kind: 'proof', version: 1, pull, serial, base, head, ...told });
  await mkdir(variables.LOOPWRIGHT_OUTPUT, { recursive: true });
  await writeFile(join(variables.LOOPWRIGHT_OUTPUT, 'report.json'), `${JSON.stringify(report, null, 1)}\n`);
  log(`proof: ${told.proof?.verdict ?? told.failure}`);
}

type Told = Pick<ProofReport, 'sandbox' | 'proof' | 'failure'>;

async function proofOf({ brief, variables, bundle, log }: PullProofJob): Promise<Told> {
  const workspace = await realpath(variables.LOOPWRIGHT_WORKSPACE);
  const scratch = await realpath(await mkdtemp(join(tmpdir(), 'loopwright-job-')));
  const egress = await egressTo(brief.commands.hosts ?? [], log);
  try {
    const prepared = await preparedIn(variables.RUNNER_TEMP);
    const places = { workspace, scratch, prepared, egress, readOnly: [programOf(bundle)] };
    const sandbox = await openSandbox({ ...places, scripted: false });
    log(`sandbox: ${sandbox.kind}`);
    const repository = await openRepository(workspace, scratch);
    const proof = await provedIn({ brief, sandbox, repository, log });
    return { sandbox: sandbox.kind, proof, failure: null };
  } finally {
    await egress?.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

interface Place {
  readonly brief: ProofBrief;
  readonly sandbox: Sandbox;
  readonly repository: Repository;
  readonly log: (line: string) => void;
}

async function provedIn({ brief, sandbox, repository, log }: Place): Promise<Proof> {
  const { base, head, commands, limits } = brief;
  const { suiteTimeoutMs: timeoutMs, outputBytes, faults } = limits;
  const parsers = await loadParsers(await parsersFolder(await mkdtemp(join(repository.scratch, 'parsers-'))));
  const dependencies = await installed({ brief, sandbox, repository, log });
  const range = { base, head };
  const { build, tests: scope = [] } = commands;
  return prove({
    ...{
      repository,
      sandbox,
      range,
      commands,
      build,
      scope,
      dependencies,
      timeoutMs,
      outputBytes,
      faults,
      parsers,
      log,
    },
  });
}

function failureOf(error: unknown): string {
  if (error instanceof SandboxError || error instanceof LoopError) return error.message;
  const why = error instanceof Error ? error.message : String(error);
  return `The job broke: ${why}. Its log has the details; report it.`;
}
