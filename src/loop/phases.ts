/**
 * The process as plain data: each phase is a set of traits, and `decide` knows phases by these alone. It can be written out as JSON and read in
 * again; `graph.ts` says where its edges lead and what bounds them.
 */
import { z } from 'zod';
import { type PhaseName, phaseName } from './terms.ts';

export const phaseSchema = z.strictObject({
  /** What is done on entering: `draft` in the App, `publish` the packet, `run` a workflow, `collect` a second report, `land` a candidate and then run. */
  work: z.enum(['draft', 'publish', 'run', 'collect', 'land']),
  pass: z.union([phaseName, z.literal('done')]),
  /** Where a failed gate or a failed effect leads, while the counter allows; `done` where a failure undoes nothing. */
  fail: z.union([phaseName, z.literal('done')]),
  /** Gates whose red only an earlier phase can mend, and which: its tries bound that way too. */
  mends: z.record(z.string(), phaseName).optional(),
  /** What bounds the failures: tries of a draft in this round, or iterations of the approved plan. */
  counts: z.enum(['drafts', 'iterations']),
  /** What entering begins. An iteration also starts from the kept reports alone. */
  opens: z.literal('iteration').optional(),
  /** Passing it begins a review round. */
  passOpens: z.literal('round').optional(),
  /** May only be entered under an approved packet, and loses its ground when that packet is void. */
  needs: z.literal('approval').optional(),
  /** Stays until a person decides. */
  waits: z.literal('approval').optional(),
  /** Where a person sends it back to: by default, or by the word before the colon (`spec: …`, `plan: …`). */
  back: z.strictObject({ default: phaseName, spec: phaseName, plan: phaseName }).optional(),
  /** Where it starts anew when the ground moved under its approval, or its iterations are used up. */
  replan: phaseName.optional(),
  /** Which job it has run in Actions, */
  job: z.enum(['build', 'verify']).optional(),
  /** and which report of a run it is judged by. */
  report: z.enum(['build', 'seed', 'verify']).optional(),
  /** The phase whose run it reads a second report of; that run stays the loop's. */
  runOf: phaseName.optional(),
  /** Judges a candidate: what fails here is its tree. */
  judges: z.literal('tree').optional(),
  /** May ask people before it drafts. */
  asks: z.literal('questions').optional(),
  /** Its draft is followed by a promotion of the candidate and the repository's own checks. */
  promotes: z.literal('candidate').optional(),
});
export type Phase = z.infer<typeof phaseSchema>;

/** A whole process; for now its phases have fixed names. */
export const processSchema = z.record(phaseName, phaseSchema);
export type Process = Readonly<Record<PhaseName, Phase>>;

export const PHASES: Process = {
  DISCOVER: {
    work: 'draft',
    pass: 'DEFINE',
    fail: 'DISCOVER',
    counts: 'drafts',
    passOpens: 'round',
    asks: 'questions',
  },
  DEFINE: { work: 'draft', pass: 'PLAN', fail: 'DEFINE', counts: 'drafts' },
  PLAN: {
    work: 'draft',
    pass: 'ARCH_REVIEW',
    fail: 'PLAN',
    mends: { spec_findings: 'DEFINE' },
    counts: 'drafts',
  },
  ARCH_REVIEW: {
    work: 'publish',
    pass: 'BUILD',
    fail: 'DEFINE',
    counts: 'drafts',
    waits: 'approval',
    back: { default: 'DEFINE', spec: 'DEFINE', plan: 'PLAN' },
    replan: 'PLAN',
  },
  BUILD: {
    work: 'run',
    pass: 'SEED_DATA',
    fail: 'BUILD',
    counts: 'iterations',
    opens: 'iteration',
    needs: 'approval',
    replan: 'PLAN',
    job: 'build',
    report: 'build',
  },
  SEED_DATA: {
    work: 'collect',
    pass: 'VERIFY',
    fail: 'BUILD',
    counts: 'iterations',
    needs: 'approval',
    replan: 'PLAN',
    report: 'seed',
    runOf: 'BUILD',
  },
  VERIFY: {
    work: 'land',
    pass: 'SHIP',
    fail: 'BUILD',
    counts: 'iterations',
    needs: 'approval',
    replan: 'PLAN',
    job: 'verify',
    report: 'verify',
    judges: 'tree',
  },
  SHIP: {
    work: 'draft',
    pass: 'REFLECT',
    fail: 'BUILD',
    counts: 'iterations',
    needs: 'approval',
    replan: 'PLAN',
    judges: 'tree',
    promotes: 'candidate',
  },
  REFLECT: {
    work: 'draft',
    pass: 'done',
    fail: 'done',
    counts: 'drafts',
    back: { default: 'BUILD', spec: 'DEFINE', plan: 'PLAN' },
  },
};

/** The first phase of a loop. */
export const FIRST: PhaseName = 'DISCOVER';

/** Fixed bounds of PRODUCT.md "Words and counting"; iterations per plan come with the loop's limits. */
export const LIMITS = {
  plans: 2,
  rounds: 5,
  interviews: 2,
  drafts: 3,
  /** Runs that died with their machine, over the whole loop, before a person is asked why. */
  cancellations: 5,
  /** Pushes of people that set an iteration back to its beginning, over the whole loop; then a bot is likely at work. */
  interruptions: 20,
  /** Bases that are merged into what was proved already, over the whole loop; then it is handed over as proved on an older one. */
  merges: 3,
} as const;

/** The phase that begins an iteration: where a failed candidate is mended. */
export const ITERATION: PhaseName = named(({ opens }) => opens === 'iteration');

/** The phase in which people decide on the packet. */
export const REVIEW: PhaseName = named(({ waits }) => waits === 'approval');

/** The phase in which a candidate is proved. */
export const PROOF: PhaseName = named(({ work }) => work === 'land');

/** Whether the phase may only be entered under an approved packet. */
export function needsApproval(name: PhaseName): boolean {
  return PHASES[name].needs === 'approval';
}

/** Whether a failure here undoes nothing: the loop has reached its end. */
export function onlyLooksBack(name: PhaseName): boolean {
  return PHASES[name].fail === 'done';
}

function named(has: (phase: Phase) => boolean): PhaseName {
  const [found, ...more] = phaseName.options.filter((name) => has(PHASES[name]));
  if (found === undefined || more.length > 0) throw new Error('the process needs exactly one phase of each trait');
  return found;
}
