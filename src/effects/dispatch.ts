/** BUILD and VERIFY: write the brief, dispatch the workflow on the default branch. */

import { groundMoved } from '../context/branch-push.ts';
import { readConfig } from '../context/repository-config.ts';
import { requireStart } from '../context/served.ts';
import { documentNamed, documentTexts } from '../documents/document-texts.ts';
import { acceptanceRow, specification } from '../documents/documents.ts';
import { storedReport } from '../documents/stored-report.ts';
import { shownContext, shownFeedback } from '../drafting/material.ts';
import { visibleText } from '../guard/incoming.ts';
import { CHANGE_LIMITS } from '../guard/patch-policy.ts';
import { ANSWERS } from '../loop/answers.ts';
import { type Brief, type BuildReport, buildReport, type FrozenTests, seedReport } from '../loop/brief.ts';
import { purseOf } from '../loop/costs.ts';
import type { EffectOf } from '../loop/effect.ts';
import type { Event } from '../loop/event.ts';
import { PHASES } from '../loop/phases.ts';
import { isBuilt, type ReviewedLoop } from '../loop/stages.ts';
import { isStrengthening, strengthAsked } from '../loop/strengthening.ts';
import { idOf, nameOf } from '../loop/terms.ts';
import type { Ports, Store } from '../ports.ts';
import { WORKFLOWS } from '../settings/config.ts';

/** What a job may be told to do; the job enforces them and the App checks what it can. */
const LIMITS = {
  agentSteps: 60,
  outputBytes: 100_000,
  designAttempts: 3,
  reviewRevisions: 2,
} as const;
export const BUILDER_SKILLS = [
  'ground-rules',
  'incremental-implementation',
  'coding-principles',
  'systematic-debugging',
  'performance-optimization',
  'code-simplification',
] as const;

/** Which phase of the job program a job is. */
const PHASE_OF = { build: 'BUILD', verify: 'VERIFY' } as const;
type Job = keyof typeof PHASE_OF;

/**
 * Starts the run of an entry, unless the ground moved under its approval. The run's title names loop and entry, so a repeated dispatch finds the run
 * that is there already; `attempt` tells whether an earlier one may have started it.
 */
export async function dispatch(
  { job }: EffectOf<'dispatch'>,
  loop: ReviewedLoop,
  ports: Ports,
  attempt: number,
): Promise<Event> {
  // A stopped loop hears of no push, and a webhook may be lost.
  const moved = job === 'build' ? await groundMoved(loop, ports) : undefined;
  if (moved !== undefined) return moved;
  const { run } = loop.built;
  // Its webhook may be faster than the answer to an earlier try.
  const runId = run?.entry === loop.entry ? run.id : await runStarted(job, loop, ports, attempt);
  return { type: 'dispatched', at: ports.clock.now().toISOString(), entry: loop.entry, runId };
}

async function runStarted(job: Job, loop: ReviewedLoop, ports: Ports, attempt: number): Promise<number> {
  const brief = await briefOf(job, loop, ports);
  const digest = await ports.gateway.publish(JSON.stringify(brief));
  const inputs = {
    loop: nameOf(loop.ref),
    entry: String(loop.entry),
    phase: PHASE_OF[job],
    candidate: brief.candidate,
    base: brief.base,
    job: ports.gateway.jobDigest,
    brief: digest,
    app: ports.gateway.url,
    model: ports.modelFacts.jobUrl,
  };
  const isNew = await ports.store.begins(idOf(loop.ref), `dispatch/${job}/${loop.entry}`);
  return ports.github.dispatch(loop.ref, WORKFLOWS[job], inputs, isNew ? 'new' : attempt);
}

async function briefOf(job: Job, loop: ReviewedLoop, ports: Ports): Promise<Brief> {
  const { store, modelFacts } = ports;
  const config = await usableConfig(loop, ports);
  const { reports, seeded } = loop.built;
  const build = await storedReport(store, reports.build, buildReport);
  const seed = await storedReport(store, reports.seed, seedReport);
  const { base, thresholds = {} } = loop.started;
  const judges = job === 'verify';
  return {
    version: 2,
    loop: subjectOf(loop),
    key: idOf(loop.ref),
    phase: PHASE_OF[job],
    entry: loop.entry,
    iteration: loop.counters.iterations,
    candidate: judges && isBuilt(loop) ? loop.built.candidate.sha : loop.review.head,
    base: base.sha,
    surface: loop.surface ?? 'library',
    commands: config.commands,
    documents: [...(await documentTexts(loop, store))],
    ...(await planOf(loop, store)),
    supersededTests: loop.supersededTests ?? [],
    previous: await previousOf(build, loop, ports),
    tests: judges ? testsOf(build) : null,
    seed: judges ? (seed?.seed ?? null) : null,
    seeded: [...((await storedReport(store, seeded, seedReport))?.changes ?? [])],
    retired: await retiredTests(job, loop, store),
    defects: [...shownFeedback(loop)],
    waivers: loop.waivers,
    context: [...shownContext(loop)],
    skills: jobSkills(ports.skills),
    model: modelOf(modelFacts),
    purse: purseOf(loop) ?? null,
    policy: { protectedPaths: config.protected, ...CHANGE_LIMITS },
    limits: {
      ...LIMITS,
      modelSilenceMs: modelFacts.silenceMs ?? Math.ceil(config.limits.modelSeconds * 1000),
      commandTimeoutMs: config.limits.commandSeconds * 1000,
      suiteTimeoutMs: config.limits.suiteSeconds * 1000,
    },
    thresholds,
    strength: strengthAsked(loop),
  };
}

/** @throws {ConfigError} where it could not be worked with. */
async function usableConfig(loop: ReviewedLoop, ports: Ports) {
  const config = await readConfig(loop, ports);
  requireStart(loop.surface, config.commands);
  return config;
}

function modelOf({ name, scripted, jobAudience: audience }: Ports['modelFacts']): Brief['model'] {
  return { name, scripted, ...(audience === undefined ? {} : { audience }) };
}

function subjectOf({ ref, started }: ReviewedLoop): Brief['loop'] {
  const { owner, repo, issue } = ref;
  return { id: nameOf(ref), owner, repo, issue, title: visibleText(started.issue.title).text };
}

/** What the next build goes on from, and the commit that it was made on. */
async function previousOf(
  build: BuildReport | undefined,
  loop: ReviewedLoop,
  { workspace }: Pick<Ports, 'workspace'>,
): Promise<Brief['previous']> {
  if (build === undefined) return null;
  const { candidate: head, changes, tests, unfinished } = build;
  const failed =
    failedAsTree(loop) &&
    (head === loop.review.head || loop.trees.includes(await workspace.codeTree(loop.ref, loop.review.head)));
  return { head, changes, tests, unfinished, failed };
}

/** The last entry judged a tree and refused it, and no person granted that tree another try. */
function failedAsTree({ entries, trees }: ReviewedLoop): boolean {
  const last = entries.at(-1);
  if (last?.outcome !== 'failed' || isStrengthening(last)) return false;
  return PHASES[last.phase].judges === 'tree' && trees.length > 0;
}

function testsOf(build: { readonly tests: FrozenTests | null } | undefined): FrozenTests | null {
  return build?.tests ?? null;
}

/** Each frozen test of a plan that was taken back, as it was frozen last; a build takes them away. */
async function retiredTests(
  job: Job,
  { built: { retired = [] } }: ReviewedLoop,
  store: Store,
): Promise<Brief['retired']> {
  if (job !== 'build') return [];
  const builds = await Promise.all(retired.map((digest) => storedReport(store, digest, buildReport)));
  const files = builds.flatMap((build) => build?.tests?.files ?? []);
  return [...new Map(files.map((file) => [file.path, file])).values()];
}

/** What the approved documents say in structured form. */
async function planOf(loop: ReviewedLoop, store: Store): Promise<Pick<Brief, 'requirements' | 'tasks' | 'acceptance'>> {
  const requirements = specification.shape.requirements.parse(
    JSON.parse((await documentNamed(loop, 'requirements.json', store)) ?? '[]'),
  );
  const acceptance = acceptanceRow
    .array()
    .parse(JSON.parse((await documentNamed(loop, 'acceptance.json', store)) ?? '[]'));
  return {
    requirements: requirements.map(({ id, kind, statement }) => ({ id, kind, statement })),
    tasks: loop.tasks,
    acceptance,
  };
}

/** The skills that a job's calls chain, by name. */
function jobSkills(skills: ReadonlyMap<string, string>): Record<string, string> {
  const asked = Object.values(ANSWERS).flatMap(({ phase, skills: chain }) =>
    phase === 'BUILD' || phase === 'SEED_DATA' ? [...chain] : [],
  );
  return Object.fromEntries([...asked, ...BUILDER_SKILLS].map((name) => [name, skills.get(name) ?? '']));
}
