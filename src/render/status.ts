/** The answer to `/status`: where the loop is, in a few lines. */
import type { Loop } from '../loop/loop.ts';
import { isStarted } from '../loop/stages.ts';
import { nameOf } from '../loop/terms.ts';
import { phaseStates } from './phase-states.ts';
import { costOf, countsOf, gatesSentence, nowOf } from './words.ts';

export function statusText(loop: Loop): string {
  if (!isStarted(loop)) return 'No loop is running here.';
  const current = phaseStates(loop).find(({ phase }) => phase === loop.phase);
  const gates = gatesSentence(current?.gates ?? []);
  return [
    `${nameOf(loop.ref)} is in ${loop.phase} (${countsOf(loop)}). ${nowOf(loop)}`,
    ...(gates === '' ? [] : [`Gates: ${gates}.`]),
    `So far: ${costOf(loop)}.`,
  ].join('\n\n');
}
