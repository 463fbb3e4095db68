/** How hostile the world of a seed is: each kind of trouble with a probability of its own, and often not there at all. */
import type { Random } from './random.ts';

export interface Odds {
  /** A request to GitHub fails for a moment, or gets no answer although it was performed. */
  readonly fails: number;
  readonly unanswered: number;
  /** The start of a run gets no answer. */
  readonly startUnanswered: number;
  /** A read tells what was so some seconds ago. */
  readonly stale: number;
  /** Of a webhook: it is not taken in, comes twice, comes late. */
  readonly lost: number;
  readonly doubled: number;
  readonly late: number;
  /** Of a model's answer. */
  readonly modelFails: number;
  readonly draftFails: number;
  /** Of a run: its gates are red, it dies, it never ends. */
  readonly buildFails: number;
  readonly runDies: number;
  readonly runHangs: number;
  /** Mean time between two kills of a process, in hours; infinite when nobody kills. */
  readonly hoursBetweenKills: number;
  /** That a process is killed just after it saved something, before it could do what comes next. */
  readonly killsAtSave: number;
  /** Mean time between two acts of people that nobody asked for, in minutes. */
  readonly minutesBetweenActs: number;
  /** That somebody acts within seconds of a step of the loop: when effects are in flight. */
  readonly pounces: number;
  /** Of people: to send back what they could approve; and that two of them decide on the same packet, each for themselves. */
  readonly rejects: number;
  readonly disagrees: number;
  readonly processes: number;
  readonly issues: number;
  readonly adverseHours: number;
  /** Jobs of the repository's own CI, and how often one is red. */
  readonly ciJobs: number;
  readonly ciFails: number;
  readonly ciStalls: number;
  readonly quickStatus: boolean;
  readonly silentSuite: boolean;
  readonly usdPerCall: number;
  /** How long GitHub computes whether a pull request can be merged. */
  readonly mergeableMs: number;
}

/** Draws the odds of one seed. About one seed in eight has a friendly world: it shows that the good way is still open. */
export function drawOdds(random: Random): Odds {
  const friendly = random.chance(0.12);
  const sometimes = (most: number, present = 0.5): number =>
    random.chance(present) && !friendly ? random.between(0, most) : 0;
  return {
    fails: sometimes(0.08),
    unanswered: sometimes(0.06),
    startUnanswered: sometimes(0.6, 0.4),
    stale: sometimes(0.5),
    lost: sometimes(0.3),
    doubled: sometimes(0.3),
    late: sometimes(0.4),
    modelFails: sometimes(0.1),
    draftFails: sometimes(0.3),
    buildFails: sometimes(0.5),
    runDies: sometimes(0.3),
    runHangs: sometimes(0.15, 0.3),
    hoursBetweenKills: friendly || random.chance(0.4) ? Number.POSITIVE_INFINITY : random.between(0.05, 2),
    killsAtSave: sometimes(0.03, 0.3),
    minutesBetweenActs: friendly ? Number.POSITIVE_INFINITY : 2 * 15 ** random.unit(),
    pounces: sometimes(0.12),
    rejects: sometimes(0.4),
    disagrees: sometimes(0.8),
    processes: random.chance(0.25) ? 2 : 1,
    issues: random.chance(0.3) ? random.integer(2, 3) : 1,
    adverseHours: random.between(0.7, 5),
    ciJobs: random.chance(0.3) ? 0 : random.integer(1, random.chance(0.2) ? 24 : 6),
    ciFails: sometimes(0.15),
    ciStalls: sometimes(0.1, 0.2),
    quickStatus: random.chance(0.4),
    silentSuite: random.chance(0.3),
    usdPerCall: random.chance(0.8) ? 0.01 : random.between(0.05, 0.3),
    mergeableMs: random.chance(0.3) ? random.between(60_000, 300_000) : 15_000,
  };
}
