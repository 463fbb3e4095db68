/** The jobs BUILD and SEED_DATA, each test with a small real repository of its own, and what the next iteration takes over of the one before it. */
import { afterEach, beforeEach, onTestFinished } from 'vitest';
import type { Brief, BuildReport } from '../../../src/loop/brief.ts';
import {
  APPROVED,
  briefFor,
  type Checkout,
  checkout,
  DESIGN,
  runBuild,
  runSeed,
  write,
} from '../../jobs/build-fixture.ts';
import type { Script } from '../../jobs/scripted-model.ts';

/** Tests as they should be designed, and reviews that find nothing. */
export const ANSWERS = { 'acceptance-tests': [DESIGN], ...APPROVED };

/** The turns of a builder who writes the product's file and has nothing else to do. */
export const writing = (text: string) => [[write('src/greet.js', text)]];

/** Where a job works, and which parts of its brief are not as usual. */
export interface Ground extends Partial<Brief> {
  readonly on?: Checkout;
}

/** Called once in a test file: from then on each of its tests begins with a new repository, which is removed after it. */
export function jobOnRepository() {
  let current: Checkout;
  beforeEach(async () => {
    current = await checkout();
  });
  afterEach(() => current.remove());
  return {
    place: () => current,
    /** Builds; where the script has no answers, with those that let a build pass. */
    build: (script: Script, { on = current, ...brief }: Ground = {}) =>
      runBuild(on, briefFor(on, brief), { answers: ANSWERS, ...script }),
    /** Seeds with this answer on top of a build report, if there is one. */
    seed: (answer: unknown, built: BuildReport | undefined) =>
      runSeed(current, briefFor(current), { answers: { 'seed-data': [answer] } }, built),
  };
}

/** The same repository once more, as the job of the next iteration finds it; removed with the test. */
export async function anotherCheckout(): Promise<Checkout> {
  const another = await checkout();
  onTestFinished(another.remove);
  return another;
}

/** What the brief of the next iteration says about the one before it. */
export function previousOf(
  { changes, tests, unfinished }: BuildReport,
  head: string,
  failed = false,
): NonNullable<Brief['previous']> {
  return { head, changes, tests, unfinished, failed };
}

/** The text that a report proposes for a file; undefined where it proposes none. */
export function proposedIn({ changes }: Pick<BuildReport, 'changes'>, path: string): string | undefined {
  const content = changes.find((change) => change.path === path)?.content;
  return typeof content === 'string' ? Buffer.from(content, 'base64').toString() : undefined;
}
