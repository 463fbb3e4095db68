/** A proof as lines for a terminal. */
import type { Proof, ProofRow } from '../proof/proof.ts';

const HOW: Readonly<Record<NonNullable<ProofRow['how']>, string>> = {
  assertion: 'fails by assertion without the change',
  exception: 'raises without the change',
  missing: 'needs what is not there without the change',
};
const ROLES: Readonly<Record<Exclude<ProofRow['role'], 'proves'>, string>> = {
  keeps: 'passes with and without the change',
  red: 'does not pass on the head',
  flaky: 'does not always pass on the head',
  'left out': 'is not run',
};

/** The rows that show something first; what was not tried is not there. */
export function proofLines(proof: Proof): readonly string[] {
  const { rows, reasons, base, head, runner, sandbox } = proof;
  return [
    `${head.slice(0, 10)} on top of ${base.slice(0, 10)}, tests by ${runner}, sandbox ${sandbox}`,
    '',
    ...rows.map(rowLine),
    ...(rows.length === 0 ? [] : ['']),
    verdictLine(proof),
    ...reasons.map((reason) => `  - ${reason}`),
  ];
}

function rowLine({ test, role, how, said }: ProofRow): string {
  const shown = role === 'proves' && how !== null ? HOW[how] : role === 'proves' ? '' : ROLES[role];
  return `  ${role.padEnd(8)}  ${test}  ${shown}${said === '' ? '' : `: ${said}`}`;
}

function verdictLine({ verdict, rows }: Proof): string {
  const proving = rows.filter(({ role }) => role === 'proves').length;
  const counted = rows.length === 0 ? '' : ` (${proving} of ${rows.length} tests need the change)`;
  return `${verdict.charAt(0).toUpperCase()}${verdict.slice(1)}${counted}${verdict.startsWith('not') ? ':' : '.'}`;
}
