/** The check run in which a proof of a pull request is told. Pure. */
import { code, fenced, fitted, folded, list, oneLine, table } from '../documents/markdown.ts';
import type { CheckRun } from '../loop/check-run.ts';
import type { Strength, Survivor } from '../loop/strength.ts';
import type { Proof, ProofRow } from '../proof/proof.ts';
import { PROOF_CHECK, type PullProof } from '../proof/pull-proof.ts';

/** Which of the proofs, as a button of the check run says it. */
export function proofId({ repositoryId, pull, serial }: PullProof): string {
  return `proof/${repositoryId}/${pull}/${serial}`;
}

type Facts = Pick<CheckRun, 'status' | 'conclusion' | 'title' | 'summary' | 'text' | 'annotations'>;

function check(proof: PullProof, headSha: string, facts: Facts): CheckRun {
  return { name: PROOF_CHECK, headSha, externalId: proofId(proof), actions: [], ...facts };
}

/** While its run is awaited. */
export function runningCheck(proof: PullProof, headSha: string): CheckRun {
  return check(proof, headSha, {
    status: 'in_progress',
    conclusion: undefined,
    title: 'Running the tests with and without the change',
    summary: `Asked for by ${code(proof.by.login)}. The verdict comes here when the run of \`loopwright-verify\` ends; no model takes part in it.`,
    text: '',
    annotations: [],
  });
}

/** Where nothing could be judged: that is never a pass. */
export function unjudgedCheck(proof: PullProof, headSha: string, reason: string): CheckRun {
  return check(proof, headSha, {
    status: 'completed',
    conclusion: 'action_required',
    title: `Not judged: ${oneLine(reason, 120)}`,
    summary: `Nothing is known about this change.\n\n${fenced('', reason)}\n\nWhen that is mended, comment \`/prove\` or press **Re-run**.`,
    text: '',
    annotations: [],
  });
}

/** What a verdict is on GitHub: weak is no success, and unknown no pass. */
const CONCLUSIONS = {
  proved: 'success',
  'weakly proved': 'neutral',
  'not proved': 'failure',
  'not judged': 'action_required',
} as const;

/** The proof as it was delivered. */
export function proofCheck(asked: PullProof, proof: Proof): CheckRun {
  return check(asked, proof.head, {
    status: 'completed',
    conclusion: CONCLUSIONS[proof.verdict],
    title: titleOf(proof),
    summary: summaryOf(proof),
    text: textOf(proof),
    annotations: annotationsOf(proof),
  });
}

function titleOf({ verdict, rows, strength, reasons }: Proof): string {
  const [reason] = reasons;
  const word = `${verdict.charAt(0).toUpperCase()}${verdict.slice(1)}`;
  if (verdict.startsWith('not')) return oneLine(`${word}: ${reason ?? 'the summary says why'}`, 150);
  const proving = rows.filter(({ role }) => role === 'proves').length;
  const faults = strength === null || strength.made === 0 ? '' : `; ${noticed(strength)}`;
  return `${word}: ${counted(proving, 'test needs', 'tests need')} the change${faults}`;
}

const noticed = ({ noticed, made }: Strength): string => `${noticed} of ${made} faults noticed`;
const counted = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`;

function unrunLine(unrun: Proof['unrun']): readonly string[] {
  if (unrun.length === 0) return [];
  const files = unrun.slice(0, 5).map(({ file }) => code(oneLine(file, 200)));
  const where = unrun.every(({ alsoWith }) => alsoWith) ? 'with the change or without it' : 'without the change';
  return [
    `${counted(unrun.length, 'other test file', 'other test files')} cannot be run to the end ${where}, so what they hold is not known: ${files.join(', ')}${unrun.length > 5 ? ' and others' : ''}.`,
  ];
}

function summaryOf(proof: Proof): string {
  const { base, head, runner, trust, reasons, strength, sandbox, notAsked, notNeeded, unrun, verdict } = proof;
  const told = trust === 'told' ? `, as ${runner} tells them` : '';
  return fitted(
    [
      ...(reasons.length === 0 ? [] : [list(reasons.map(quoted), '')]),
      ...(verdict === 'not proved' && strength === null ? [] : strengthLines(strength)),
      ...exchangedLine(proof),
      ...(notNeeded === 0
        ? []
        : [
            `${counted(notNeeded, 'other test file was', 'other test files were')} not run: whatever they say, it is not proved.`,
          ]),
      ...unrunLine(unrun),
      ...(notAsked === 0
        ? []
        : [
            `${counted(notAsked, 'other test file was', 'other test files were')} not asked (\`commands.tests\`, \`commands.directory\`), so what they hold is not known.`,
          ]),
      `\`${head.slice(0, 10)}\` on top of \`${base.slice(0, 10)}\`; outcomes by ${runner}${told}; sandbox: ${sandbox}; no model took part.`,
    ].map((text) => ({ text })),
  );
}

/** Only where nothing speaks against the change: else the reasons say more. */
function exchangedLine({ verdict, rows, exchanged }: Proof): readonly string[] {
  const proving = rows.filter(({ role }) => role === 'proves').length;
  if (verdict.startsWith('not') || proving === 0) return [];
  const unasked = proving - exchanged.length;
  const others = unasked === 0 ? '' : `; ${unasked} could not be asked that way`;
  return [
    `Asked with other expectations, ${exchanged.length} of ${counted(proving, 'test that needs', 'tests that need')} the change ${exchanged.length === 1 ? 'is red, as it has' : 'are red, as they have'} to be${others}.`,
  ];
}

/** Words of tests and tools are shown as they are. */
const quoted = (text: string): string => (/[<>`*_[\]\\|~]/.test(text) ? code(oneLine(text, 1000)) : text);

function strengthLines(strength: Strength | null): readonly string[] {
  if (strength === null)
    return ['No fault could be made in the changed lines, so nothing is known of how much the tests notice.'];
  const { made, noticed, unmeasured, unreached } = strength;
  return [
    made === 0
      ? 'No test reaches a changed line in which a fault can be made.'
      : `Faults made in the changed lines, one at a time: the tests notice ${noticed} of ${made}.`,
    ...survivorsLine(strength),
    ...(unreached.length === 0 ? [] : [`No test reaches ${unreached.slice(0, MOST_PLACES).map(place).join(', ')}.`]),
    ...(unmeasured === 0 ? [] : [`${counted(unmeasured, 'fault', 'faults')} could not be measured.`]),
  ];
}

/** Of each line one is shown: whoever mends the tests for that usually mends them for the others. */
function survivorsLine({ made, noticed, survivors }: Strength): readonly string[] {
  if (survivors.length === 0) return [];
  const rest = made - noticed - survivors.length;
  const others = rest > 0 ? `; ${rest} more stay unnoticed in the same lines` : '';
  const places = survivors.slice(0, SHOWN).map(place).join(', ');
  const which = survivors.length === 1 ? 'this fault' : 'these faults';
  return [`All tests stay green with ${which}, which **Details** shows for \`git apply\`: ${places}${others}.`];
}

const place = ({ file, line }: Pick<Survivor, 'file' | 'line'>): string => code(`${file}:${line}`);

/** Survivors that are shown beside the code, and places that are named. */
const SHOWN = 7;
const MOST_PLACES = 40;

const SHOWS: Readonly<Record<ProofRow['role'], string>> = {
  proves: 'needs the change',
  keeps: 'passes with and without it',
  red: 'does not pass',
  'red before': 'passes neither with nor before it',
  flaky: 'does not always pass',
  'left out': 'is not run',
};
const HOW: Readonly<Record<NonNullable<ProofRow['how']>, string>> = {
  assertion: 'fails by assertion',
  exception: 'raises',
  missing: 'cannot be run to its end',
};
const MOST_ROWS = 200;

/** Every test that says something, each fault that nobody noticed as a patch, and what else was found. */
function textOf({ rows, strength, findings }: Proof): string {
  const telling = rows.filter(({ role }) => role !== 'keeps');
  const kept = rows.length - telling.length;
  const tests = telling
    .slice(0, MOST_ROWS)
    .map(({ test, role, how, said }) => [
      code(test),
      SHOWS[role],
      how === null ? '' : HOW[how],
      said === '' ? '' : code(said),
    ]);
  const survivors = (strength?.survivors ?? []).slice(0, MOST_PLACES);
  return fitted([
    ...(tests.length === 0 ? [] : [{ text: table(['test', 'it', 'without the change', 'what it said'], tests) }]),
    ...(kept === 0
      ? []
      : [{ text: `${counted(kept, 'changed test passes', 'changed tests pass')} with and without the change.` }]),
    ...findings.map(({ message }) => ({ name: 'a finding', text: `- ${quoted(message)}` })),
    ...survivors.map((one) => ({
      name: `the fault at ${one.file}:${one.line}`,
      text: folded(
        `${escaped(`${one.file}:${one.line}`)}`,
        `${quotedSentence(one.sentence)}\n\n${fenced('diff', one.patch)}`,
      ),
    })),
  ]);
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
/** Ours, with code of the product in backquotes. */
const quotedSentence = (sentence: string): string => oneLine(sentence);

function annotationsOf({ strength, findings }: Proof): CheckRun['annotations'] {
  const placed = findings.flatMap(({ file, line, message, severity }) => {
    const level = severity === 'minor' ? ('notice' as const) : ('failure' as const);
    return file === null ? [] : [{ path: file, line: line ?? 1, level, message }];
  });
  const found = placed.toSorted((one, other) => one.level.localeCompare(other.level));
  const survivors = (strength?.survivors ?? []).slice(0, SHOWN).map(({ file, line, sentence, patch }) => ({
    path: file,
    line,
    level: 'warning' as const,
    message: `No test notices this fault: ${sentence}.\n\n${patch}`,
  }));
  return [...found.slice(0, SHOWN), ...survivors];
}
