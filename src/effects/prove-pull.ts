/** The proof of a pull request, step by step: its run is dispatched, its report taken over, and the verdict told in a check run. */
import { configAt } from '../context/repository-config.ts';
import { ArtifactError, ConfigError } from '../errors.ts';
import type { Ports } from '../ports.ts';
import { type ProofBrief, type ProofReport, type PullProof, proofReport as reportSchema } from '../proof/pull-proof.ts';
import { proofCheck, runningCheck, unjudgedCheck } from '../render/proof-check.ts';
import { WORKFLOWS } from '../settings/config.ts';
import { briefOf, deliveredBy, readReport, untilOf } from './verify-run.ts';

/** How many faults are made at most, and how much of what the tests print is kept. */
const FAULTS = 40;
const OUTPUT_BYTES = 4 * 1024 * 1024;

type World = Pick<Ports, 'github' | 'workspace' | 'gateway' | 'clock'>;

/** Takes the step that is due and gives the proof as it is then; the same where nothing is due. `attempt` counts the tries of the step, from 1. */
export async function provePull(proof: PullProof, world: World, attempt: number): Promise<PullProof> {
  switch (proof.stage) {
    case 'asked':
      return begin(proof, world, attempt);
    case 'running':
      return proof.run === undefined ? ended(proof) : finish(proof, proof.run, world);
    case 'ended':
      return proof;
  }
}

/** Tells why there is no proof, where there is a pull request on which it can be told. */
export async function tellUnjudged(proof: PullProof, reason: string, { github }: World): Promise<PullProof> {
  const isRunning = proof.stage === 'running';
  const head = (isRunning ? proof.run?.head : undefined) ?? (await github.pull(proof, proof.pull)).headSha;
  await github.checks(proof, [unjudgedCheck(proof, head, reason)]);
  return ended(proof);
}

const ended = (proof: PullProof): PullProof => ({ ...proof, stage: 'ended' });

async function begin(proof: PullProof, world: World, attempt: number): Promise<PullProof> {
  const { github, workspace, gateway } = world;
  const { state, headSha: head, baseSha } = await github.pull(proof, proof.pull);
  // Nobody reads any more what the one before it finds.
  if (proof.run !== undefined) await github.cancelRun(proof, proof.run.id);
  if (state === 'closed') return ended(proof);
  const { defaultBranch } = await github.repository(proof);
  const trunk = await github.head(proof, `refs/heads/${defaultBranch}`);
  if (trunk === undefined) throw new ConfigError(`The default branch ${defaultBranch} has no commit.`);
  const { config } = await configAt(proof, trunk, { github });
  const base = await workspace.mergeBase(proof, baseSha, head);
  if (base === undefined)
    throw new ConfigError(`The pull request #${proof.pull} has no history in common with its base.`);
  await github.checks(proof, [runningCheck(proof, head)]);
  const { repositoryId, pull, serial, owner, repo } = proof;
  const { commands, limits } = briefOf(config);
  const brief: ProofBrief = {
    ...{ kind: 'proof', version: 1, repositoryId, pull, serial, base, head, commands },
    limits: { ...limits, outputBytes: OUTPUT_BYTES, faults: FAULTS },
  };
  const inputs = {
    loop: `${owner}/${repo}#${pull}/proof`,
    entry: String(serial),
    phase: 'PROVE',
    ...{ candidate: head, base, job: gateway.jobDigest, brief: await gateway.publish(JSON.stringify(brief)) },
    app: gateway.url,
  };
  const id = await github.dispatch(proof, WORKFLOWS.verify, inputs, attempt);
  return { ...proof, stage: 'running', run: { id, base, head, until: untilOf(config, world) } };
}

async function finish(proof: PullProof, awaited: NonNullable<PullProof['run']>, world: World): Promise<PullProof> {
  const { github } = world;
  const purpose = `the proof of pull request ${proof.pull}`;
  const delivered = await deliveredBy(proof, { ...awaited, purpose }, world);
  if (delivered === undefined) return proof;
  if ('reason' in delivered) return tellUnjudged(proof, delivered.reason, world);
  const report = reportOf(delivered.report, proof, awaited);
  if (report.proof === null)
    return tellUnjudged(proof, report.failure ?? 'The job says nothing of what kept it from its work.', world);
  if (report.sandbox === 'none')
    throw new ArtifactError('The report says that the tests ran without a sandbox. Nothing of it was taken over.');
  await github.checks(proof, [proofCheck(proof, report.proof)]);
  return ended(proof);
}

/** @throws {ArtifactError} when it is no report, or speaks of another change. */
function reportOf(value: unknown, proof: PullProof, { base, head }: NonNullable<PullProof['run']>): ProofReport {
  const data = readReport(reportSchema, value, 'the proof');
  const told = data.proof === null ? [data] : [data, data.proof];
  const isOurs = data.pull === proof.pull && data.serial === proof.serial;
  if (isOurs && told.every((one) => one.base === base && one.head === head)) return data;
  throw new ArtifactError(
    'The report speaks of another change than the one that was to be proved. Nothing of it was taken over.',
  );
}
