/** Proves a pull request in a workflow run: its change by its own tests, without a loop and without a model. */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Proof } from '../../proof/proof.ts';
import { prove } from '../../proof/prove.ts';
import { type ProofBrief, type ProofReport, proofReport } from '../../proof/pull-proof.ts';
import { loadParsers, parsersFolder } from '../../syntax/parsers.ts';
import { type AskedJob, deliver, inSandbox, loggedFailure, type Opened } from '../in-sandbox.ts';
import { installed } from './installed.ts';

export type PullProofJob = AskedJob<ProofBrief>;

/** Writes the report, whatever becomes of the proof: a run without one is told as nothing but its log. */
export async function provePull(job: PullProofJob): Promise<void> {
  const { brief, variables, log } = job;
  const { pull, serial, base, head } = brief;
  const told = await proofOf(job).catch((error: unknown): Told => {
    return { sandbox: 'none', proof: null, failure: loggedFailure(error, log) };
  });
  await deliver(proofReport.parse({ kind: 'proof', version: 1, pull, serial, base, head, ...told }), variables);
  log(`proof: ${told.proof?.verdict ?? told.failure}`);
}

type Told = Pick<ProofReport, 'sandbox' | 'proof' | 'failure'>;

function proofOf(job: PullProofJob): Promise<Told> {
  return inSandbox(job, async (opened) => {
    const proof = await provedIn({ brief: job.brief, log: job.log, ...opened });
    return { sandbox: opened.sandbox.kind, proof, failure: null };
  });
}

interface Place extends Opened {
  readonly brief: ProofBrief;
  readonly log: (line: string) => void;
}

async function provedIn({ brief, sandbox, repository, prepared, log }: Place): Promise<Proof> {
  const { base, head, commands, limits } = brief;
  const { suiteTimeoutMs: timeoutMs, outputBytes, faults } = limits;
  const parsers = await loadParsers(await parsersFolder(await mkdtemp(join(repository.scratch, 'parsers-'))));
  const dependencies = await installed({ brief, sandbox, repository, prepared, log });
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
