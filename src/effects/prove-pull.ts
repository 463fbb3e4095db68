/** The proof of a pull request, step by step: its run is dispatched, its report taken over, and the verdict told in a check run. */
import { configAt } from '../context/repository-config.ts';
import { ArtifactError, ConfigError } from '../errors.ts';
import { cleanedReport } from '../guard/model-text.ts';
import type { Ports } from '../ports.ts';
import { type ProofBrief, type ProofReport, type PullProof, proofReport as reportSchema } from '../proof/pull-proof.ts';
import { proofCheck, runningCheck, unjudgedCheck } from '../render/proof-check.ts';
import { type RepositoryConfig, WORKFLOWS } from '../settings/config.ts';
import { MAX_ZIP_BYTES, unpack } from './artifact.ts';
import { assertOurs } from './our-run.ts';

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
  const { github, workspace, gateway, clock } = world;
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
  const brief: ProofBrief = {
    ...{ kind: 'proof', version: 1, repositoryId, pull, serial, base, head },
    commands: briefCommands(config.commands),
    limits: {
      commandTimeoutMs: Math.ceil(config.limits.commandSeconds * 1000),
      suiteTimeoutMs: Math.ceil(config.limits.suiteSeconds * 1000),
      outputBytes: OUTPUT_BYTES,
      faults: FAULTS,
    },
  };
  const inputs = {
    loop: `${owner}/${repo}#${pull}/proof`,
    entry: String(serial),
    phase: 'PROVE',
    ...{ candidate: head, base, job: gateway.jobDigest, brief: await gateway.publish(JSON.stringify(brief)) },
    app: gateway.url,
  };
  const id = await github.dispatch(proof, WORKFLOWS.verify, inputs, attempt);
  const until = new Date(clock.now().getTime() + config.limits.runMinutes * 60_000).toISOString();
  return { ...proof, stage: 'running', run: { id, base, head, until } };
}

function briefCommands(all: RepositoryConfig['commands']): ProofBrief['commands'] {
  const { install, build, test, runner, junit, tests, directory, hosts } = all;
  return { install, build, test, runner, junit, tests, directory, hosts };
}

async function finish(proof: PullProof, awaited: NonNullable<PullProof['run']>, world: World): Promise<PullProof> {
  const { github, clock } = world;
  const run = await github.run(proof, awaited.id);
  if (run.status !== 'completed') {
    if (clock.now().toISOString() < awaited.until) return proof;
    await github.cancelRun(proof, run.id);
    return tellUnjudged(proof, `The run ${run.id} did not finish in time and was cancelled.`, world);
  }
  assertOurs(run, { purpose: `the proof of pull request ${proof.pull}`, workflow: WORKFLOWS.verify });
  const zip = await github.artifact(proof, run.id, 'verify', MAX_ZIP_BYTES);
  if (zip === undefined) {
    const how = run.conclusion ?? 'unknown';
    return tellUnjudged(proof, `The run ${run.id} ended as ${how} without a report; its log says why.`, world);
  }
  const report = reportOf(unpack(zip).report, proof, awaited);
  if (report.proof === null)
    return tellUnjudged(proof, report.failure ?? 'The job says nothing of what kept it from its work.', world);
  if (report.sandbox === 'none')
    throw new ArtifactError('The report says that the tests ran without a sandbox. Nothing of it was taken over.');
  await github.checks(proof, [proofCheck(proof, report.proof)]);
  return ended(proof);
}

/** @throws {ArtifactError} when it is no report, or speaks of another change. */
function reportOf(value: unknown, proof: PullProof, { base, head }: NonNullable<PullProof['run']>): ProofReport {
  const parsed = reportSchema.safeParse(cleanedReport(value));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ArtifactError(
      `The report of the proof breaks its schema at "${issue?.path.join('.') || 'report.json'}": ${issue?.message ?? 'unknown'}. Nothing of it was taken over.`,
    );
  }
  const { data } = parsed;
  const told = data.proof === null ? [data] : [data, data.proof];
  const isOurs = data.pull === proof.pull && data.serial === proof.serial;
  if (isOurs && told.every((one) => one.base === base && one.head === head)) return data;
  throw new ArtifactError(
    'The report speaks of another change than the one that was to be proved. Nothing of it was taken over.',
  );
}
