/** How a command of a trial ended, and the end of what it said, as people and a report can take it. Pure. */
import { stripVTControlCharacters } from 'node:util';
import type { TrialStep } from '../../onboarding/trial.ts';
import type { CommandResult } from '../../sandbox/sandbox.ts';

interface Ending extends Pick<TrialStep, 'outcome' | 'said'> {
  readonly durationMs: number;
}

/** Exit code 0 is green, and says nothing; of all else what it said last, on both its outputs. */
export function endingOf(result: CommandResult): Ending {
  const { exitCode, signal, timedOut, truncated, durationMs } = result;
  if (exitCode === 0) return { outcome: 'passed', said: '', durationMs };
  const how = exitCode === undefined ? `ended by ${signal}` : `exit code ${exitCode}`;
  const ending = timedOut ? `not ended after ${Math.max(1, Math.round(durationMs / 1000))} s` : how;
  const first = `[${ending}${truncated ? ', output cut' : ''}]`;
  return { outcome: 'failed', said: `${first}\n${bothEnds(result, MOST - first.length - 1)}`, durationMs };
}

/** What the report holds of a step. */
const MOST = 4000;

/** Cleaned, and where it is too long, without its beginning. */
export function shown(text: string): string {
  return endOf(plain(text), MOST);
}

/** What is printed on one output may not crowd out the other: tools differ in where they say what is wrong. */
function bothEnds({ stdout, stderr }: CommandResult, most: number): string {
  const [out, error] = [plain(stdout), plain(stderr)];
  if (out === '' || error === '') return endOf(out + error, most);
  const half = Math.floor(most / 2);
  const ownMost = Math.max(half, most - out.length - 1);
  const own = endOf(error, ownMost);
  return `${endOf(out, most - own.length - 1)}\n${own}`;
}

const CUT = '… ';

function endOf(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${CUT}${text.slice(text.length - most + CUT.length)}`.toWellFormed();
}

/** Without colours, and of a line that was drawn over only what stood there last. */
function plain(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r', line.length - 2) + 1).replaceAll(CONTROL, ''))
    .join('\n')
    .trim();
}

/** All but the tab. */
const CONTROL = /[^\P{Cc}\t]/gu;
