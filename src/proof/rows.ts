/** What each changed test shows, from its outcomes with and without the change. Pure. */
import type { Outcome } from '../loop/brief.ts';
import type { TestResult } from '../test-runs/test-run.ts';
import type { How, ProofRow, Role } from './proof.ts';

/** One run's results by test id. */
export type Results = ReadonlyMap<string, TestResult>;

/** One row for each test that the head has; `head` are its runs, at least one. */
export function proofRows(head: readonly Results[], without: Results): readonly ProofRow[] {
  const ids = [...new Set(head.flatMap((run) => [...run.keys()]))].sort();
  return ids.map((test) => {
    const runs = head.map((run) => run.get(test) ?? UNKNOWN);
    const before = without.get(test) ?? UNKNOWN;
    const role = roleOf(runs, before);
    const telling = role === 'proves' ? before : (runs.find(({ outcome }) => outcome !== 'pass') ?? UNKNOWN);
    return {
      test,
      role,
      without: before.outcome,
      head: runs.map(({ outcome }) => outcome),
      how: role === 'proves' ? howOf(before) : null,
      said: role === 'keeps' ? '' : firstLine(telling.message),
    };
  });
}

/** Of a test that is red on the head and was so on the base, in its own file there, nobody says that the change broke it. */
export function withRedBefore(rows: readonly ProofRow[], base: Results): readonly ProofRow[] {
  return rows.map((row) => {
    const before = base.get(row.test)?.outcome;
    const wasRed = row.role === 'red' && (before === 'fail' || before === 'load-error');
    return wasRed ? { ...row, role: 'red before' } : row;
  });
}

const UNKNOWN: TestResult = { outcome: 'not-run', message: 'it was not reported' };

function roleOf(runs: readonly TestResult[], before: TestResult): Role {
  const outcomes = new Set(runs.map(({ outcome }) => outcome));
  if (outcomes.size > 1) return 'flaky';
  if (outcomes.has('not-run')) return 'left out';
  if (!outcomes.has('pass')) return 'red';
  return ROLES[before.outcome];
}

/** Of a test that passes on the head, by its outcome without the change. */
const ROLES: Readonly<Record<Outcome, Role>> = {
  pass: 'keeps',
  fail: 'proves',
  'load-error': 'proves',
  'not-run': 'left out',
};

/** How the runners' languages say that something is not there. */
const MISSING =
  /is not a function|is not defined|is not a constructor|does not provide an export named|cannot find (?:module|package)|failed to (?:load|resolve)|\b(?:ImportError|ModuleNotFoundError|NameError)\b|has no attribute|unexpected keyword argument/i;

/** Of a result that is not green. */
export function howOf({ outcome, message, isRaised }: TestResult): How {
  if (outcome === 'fail') return 'assertion';
  return isRaised === true && !MISSING.test(message) ? 'exception' : 'missing';
}

const LONGEST = 200;

/** What a failure said, as a line that people read. */
export function firstLine(message: string): string {
  const [first = '', ...more] = message.replace(HEADING, '').trim().split('\n');
  return `${first} ${valuesIn(first, more)}`.trim().slice(0, LONGEST).toWellFormed();
}

/** Tools say what they compared behind their sentence: as a difference, or with names. */
function valuesIn(first: string, more: readonly string[]): string {
  const named = more.filter((line) => NAMED.test(line)).map((line) => line.trim().replaceAll(/\s+/g, ' '));
  if (named.length > 0) return named.join(', ');
  if (!first.endsWith(':')) return '';
  const differing = more.filter((line) => DIFFERING.test(line)).map((line) => line.trim());
  return differing.length > 0 ? differing.join(' ') : (more.find((line) => line.trim() !== '') ?? '').trim();
}

/** Jest writes it above what it has to say of a file that cannot be loaded. */
const HEADING = /^\s*● Test suite failed to run\s+/;
/** As Jest and Vitest name them. */
const NAMED = /^\s*(?:Expected|Received)(?: [a-z]+)*:/;
/** As Node shows them, below the line that says which is which. */
const DIFFERING = /^\s*[-+] (?!(?:actual|expected)\b)\S/;
