/** The answer to `/status`: where the loop is, in a few lines. */
import { type Loop, nameOf } from '../loop/loop.ts';
import { phaseStates } from './phase-states.ts';
import { costOf, countsOf, gateText, nowOf } from './words.ts';

export function statusText(loop: Loop): string {
  if (loop.status === 'idle') return 'No loop is running here.';
  const current = phaseStates(loop).find(({ phase }) => phase === loop.phase);
  const gates = (current?.gates ?? []).map(gateText);
  return [
    `${nameOf(loop.ref)} is in ${loop.phase} (${countsOf(loop)}). ${nowOf(loop)}`,
    ...(gates.length === 0 ? [] : [`Gates: ${gates.join('; ')}.`]),
    `So far: ${costOf(loop)}.`,
  ].join('\n\n');
}
