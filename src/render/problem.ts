/** The problem report at a stop: what was tried, what is wrong, why it stopped, and what to say next. */

import { fitted, list, oneLine, table } from '../documents/markdown.ts';
import { CONTRADICTION } from '../loop/defect.ts';
import type { Loop } from '../loop/loop.ts';
import type { Defect } from '../loop/measurement.ts';
import { needsApproval } from '../loop/phases.ts';
import type { StartedLoop } from '../loop/stages.ts';
import { defectList } from './defects.ts';
import { costOf, shortDigest } from './words.ts';

const MAX_TRIES = 10;
const MAX_DEFECTS = 12;

export function problemReport(loop: StartedLoop): string {
  const tries = loop.entries
    .slice(-MAX_TRIES)
    .map(({ entry, phase, attempt, outcome, reason }) => [
      String(entry),
      phase,
      String(attempt),
      outcome,
      oneLine(reason),
    ]);
  return fitted([
    { text: `**Stopped, needs a person.** ${loop.note}` },
    {
      text: `### What was found\n\n${found(loop)}`,
    },
    {
      name: 'the tries',
      text: `### What was tried\n\n${tries.length === 0 ? 'Nothing had ended yet.' : table(['entry', 'phase', 'try', 'outcome', 'why'], tries)}`,
    },
    { text: `### What to do\n\n${list(nextSteps(loop), '')}` },
    { text: `So far: ${costOf(loop)}. Packet: \`${shortDigest(loop.review?.packet.digest)}\`. Nothing was merged.` },
  ]);
}

/** What the last red entry found, whatever came after it. A loop that was stored before that was remembered has its feedback. */
function found(loop: Loop): string {
  const { red, entries } = loop;
  const [defects, left] = [foundIn(loop), red?.left ?? 0];
  if (defects.length === 0) return 'Nothing was red; the cause is in the sentence above.';
  const by =
    red === undefined || entries.at(-1)?.entry === red.entry
      ? ''
      : `The last entry that was red is ${red.entry} (${red.phase}):\n\n`;
  return `${by}${defectList(defects.slice(0, MAX_DEFECTS))}${more(defects.length + left)}`;
}

function foundIn({ feedback, red }: Loop): readonly Defect[] {
  return red?.defects ?? feedback;
}

function more(count: number): string {
  return count > MAX_DEFECTS ? `\n\n${count - MAX_DEFECTS} more are in the check run.` : '';
}

/** Rules under which an existing test may be red because of what was asked. */
const OF_EXISTING_TESTS: readonly string[] = ['suite', 'regression', CONTRADICTION];

/** An existing test goes only when people approved it by name, so they settle which of the two is right. */
const CONTRADICTED =
  'If one of those tests asserts the opposite of what was asked, say `/rerun PLAN`: the new plan names it as superseded, and you approve that; or change it on the default branch first.';

/** The commands that help here, the likeliest first. */
function nextSteps(loop: StartedLoop): readonly string[] {
  const { phase, spent, started, approval } = loop;
  const { limits } = started;
  const broke = spent.usd >= limits.usd ? ['`/budget +<usd>` raises the budget; do this first.'] : [];
  const building = needsApproval(phase) && approval !== undefined;
  return [
    ...broke,
    ...(foundIn(loop).some(({ rule }) => OF_EXISTING_TESTS.includes(rule)) ? [CONTRADICTED] : []),
    '`/context <text>` tells the next try something it did not know.',
    building
      ? '`/rerun` grants one more iteration of the approved plan.'
      : `\`/rerun\` grants one more try of ${phase}.`,
    ...(building ? ['`/rerun PLAN` makes a new plan, which you review again.'] : []),
  ];
}
