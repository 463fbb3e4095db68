/** Loops and their calls as lines for a terminal. Words of models and people are shown, and never obeyed by it. */
import { stripInvisible } from '../guard/invisible.ts';
import type { Exchanged } from '../guard/transcript.ts';
import { nameOf } from '../loop/terms.ts';
import type { LoopCall, LoopOverview } from '../ports.ts';
import { counted } from '../render/words.ts';

/** One for each; a sentence where there is none. */
export function loopLines(loops: readonly LoopOverview[]): readonly string[] {
  if (loops.length === 0) return ['There are no loops.'];
  const rows = loops.map(({ ref, status, phase, waitingFor, pull, usd, startedAt, title }) => [
    nameOf(ref),
    waitingFor === undefined ? status : `${status} for ${waitingFor}`,
    phase,
    pull === undefined ? '' : `pull request #${pull}`,
    `${usd.toFixed(2)} USD`,
    startedAt.slice(0, 16).replace('T', ' '),
    printable(title),
  ]);
  const widths = rows.reduce<readonly number[]>(
    (widest, row) => row.map((cell, index) => Math.max(widest[index] ?? 0, cell.length)),
    [],
  );
  return rows.flatMap((row, index) => {
    const line = row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
    return [line.trimEnd(), ...waitingLine(loops[index])];
  });
}

function waitingLine(loop: LoopOverview | undefined): readonly string[] {
  return loop?.withheld === undefined ? [] : [`  waits: ${printable(loop.withheld)} Then it goes on by itself.`];
}

/** What a call was for and what it took. */
export function callLines({ at, model, isSettled, usd, ...call }: LoopCall): readonly string[] {
  const { phase, role, skill, attempt, promptTokens, completionTokens, durationMs, estimated } = call;
  const tokens = `${counted(promptTokens, 'token')} in, ${completionTokens} out${estimated === true ? ', estimated' : ''}`;
  const took = isSettled ? `${(durationMs / 1000).toFixed(1)} s` : 'never ended; counted as reserved';
  const costs = usd === undefined ? 'no price' : `${usd.toFixed(4)} USD`;
  const what = `${phase} ${role} (${skill}${attempt > 1 ? `, try ${attempt}` : ''})`;
  return [`${at.slice(0, 19).replace('T', ' ')}  ${what}  ${model ?? 'model not told'}: ${tokens}, ${costs}, ${took}`];
}

export function wordLines(words: Exchanged | null): readonly string[] {
  if (words === null) return ['  Nothing that was said is kept of it.', ''];
  return [
    '  asked:',
    ...indented(words.request),
    `  ${words.ending === 'whole' ? 'answered' : `answer ${words.ending}`}:`,
    ...indented(words.answer),
    '',
  ];
}

function indented(text: string): readonly string[] {
  return text.split('\n').map((line) => `    ${printable(line)}`.trimEnd());
}

/** What would steer a terminal, or stands where nobody sees it, is left out. */
function printable(text: string): string {
  return stripInvisible(text).text;
}
