/** A proof as lines for a terminal. */
import { type Strength, shareOf } from '../loop/strength.ts';
import type { Proof, ProofRow } from '../proof/proof.ts';
import { fileOf } from '../proof/test-ids.ts';
import { ENOUGH, isWeak } from '../proof/verdict.ts';
import { counted } from '../render/words.ts';

const HOW: Readonly<Record<NonNullable<ProofRow['how']>, string>> = {
  assertion: 'fails by assertion without the change',
  exception: 'raises without the change',
  missing: 'cannot be run to its end without the change',
};
const ROLES: Readonly<Partial<Record<ProofRow['role'], string>>> = {
  red: 'does not pass on the head',
  'red before': 'passes neither on the head nor on the base',
  flaky: 'does not always pass on the head',
  'left out': 'is not run',
};

const TRUST: Readonly<Record<Proof['trust'], string>> = {
  sealed: 'its outcomes are sealed against the code under test',
  told: 'its outcomes are its own word, believed because a test that must fail beside them does',
};

/** The rows that show something first; what was not tried is not there, nor why nothing was judged, which is an error's to say. */
export function proofLines(proof: Proof): readonly string[] {
  const { rows, reasons, base, head, runner, trust, sandbox } = proof;
  return [
    `${head.slice(0, 10)} on top of ${base.slice(0, 10)}, tests by ${runner} (${TRUST[trust]}), sandbox ${sandbox}`,
    '',
    ...alikeRows(rows.filter(({ role }) => role !== 'keeps')).flatMap(alikeLines),
    ...keptLines(proof),
    ...exchangedLines(proof),
    ...notAskedLine(proof),
    ...notNeededLine(proof),
    ...(rows.length + proof.kept + proof.redBefore + proof.unrun.length + proof.notAsked + proof.notNeeded === 0
      ? []
      : ['']),
    ...strengthLines(proof.strength),
    ...requirementLines(proof),
    ...toldLines(proof),
    verdictLine(proof),
    ...(proof.verdict === 'not judged' ? [] : reasons.map((reason) => `  - ${reason}`)),
  ];
}

/** They say nothing one by one; `--json` names those of changed files. */
function keptLines({ rows, kept: others, redBefore, redTests, unrun }: Proof): readonly string[] {
  const changed = rows.filter(({ role }) => role === 'keeps').length;
  return [
    ...(changed === 0 ? [] : [keptLine(`${passing(changed)} with and without the change`)]),
    ...(others === 0 ? [] : [keptLine(`${passing(others)} as before, in files that the change did not touch`)]),
    ...(redBefore === 0
      ? []
      : [
          `  red before  ${counted(redBefore, 'test')} ${redBefore === 1 ? 'was' : 'were'} red without the change already, in files that it did not touch${named(redTests)}`,
        ]),
    ...unrun
      .slice(0, MOST_NAMED)
      .map(
        ({ file, reason, alsoWith }) =>
          `  unknown     ${file} cannot be run to its end ${alsoWith ? 'here, with the change or without it' : 'without the change'}, so what it holds is not known: ${reason}`,
      ),
    ...(unrun.length > MOST_NAMED
      ? [`  unknown     ${unrun.length - MOST_NAMED} more such files (\`--json\` names them)`]
      : []),
  ];
}

const MOST_NAMED = 3;

/** The first of them, and how many more there are. */
function named(ids: readonly string[]): string {
  const more = ids.length - MOST_NAMED;
  const shown = ids.slice(0, MOST_NAMED).join(', ');
  return ids.length === 0 ? '' : `: ${shown}${more > 0 ? `, and ${more} more (\`--json\` names them)` : ''}`;
}

const keptLine = (said: string): string => `  ${'keeps'.padEnd(10)}  ${said}`;

function passing(count: number): string {
  return `${counted(count, 'test')} ${count === 1 ? 'passes' : 'pass'}`;
}

/** Only where nothing speaks against the change: else the reasons say more. */
function exchangedLines({ verdict, rows, exchanged }: Proof): readonly string[] {
  if (verdict !== 'proved' && verdict !== 'weakly proved') return [];
  const proving = rows.flatMap(({ role, test }) => (role === 'proves' ? [test] : []));
  const unasked = proving.filter((id) => !exchanged.includes(id));
  const need = `${counted(proving.length, 'test')} that ${proving.length === 1 ? 'needs' : 'need'} the change`;
  return [
    ...(exchanged.length === 0
      ? []
      : [
          `  exchanged   ${exchanged.length} of ${need} ${exchanged.length === 1 ? 'is red with other expectations, as it has' : 'are red with other expectations, as they have'} to be`,
        ]),
    ...(unasked.length === 0
      ? []
      : [`  unknown     ${unasked.length} of ${need} could not be asked with other expectations${named(unasked)}`]),
  ];
}

function notAskedLine({ notAsked }: Proof): readonly string[] {
  if (notAsked === 0) return [];
  return [
    `  not asked   ${counted(notAsked, 'other test file')}, so what they hold is not known (--tests, --directory)`,
  ];
}

function notNeededLine({ notNeeded }: Proof): readonly string[] {
  if (notNeeded === 0) return [];
  return [`  not run     ${counted(notNeeded, 'other test file')}: whatever they say, it is not proved`];
}

/** Tests of one file that show the same are told together. */
function alikeRows(rows: readonly ProofRow[]): readonly (readonly ProofRow[])[] {
  return [
    ...Map.groupBy(rows, ({ test, role, how }) => (role === 'proves' ? `${fileOf(test)} ${how}` : test)).values(),
  ];
}

function alikeLines(rows: readonly ProofRow[]): readonly string[] {
  const [further, ...others] = rows.slice(SHOWN);
  if (further === undefined) return rows.map(rowLine);
  const { test, role, how } = further;
  const each = others.length === 0 ? 'which' : 'each of which';
  const more = counted(others.length + 1, 'more test');
  return [
    ...rows.slice(0, SHOWN).map(rowLine),
    `  ${role.padEnd(10)}  and ${more} of ${fileOf(test)}, ${each} ${how === null ? ROLES[role] : HOW[how]} (\`--json\` names ${others.length === 0 ? 'it' : 'them'})`,
  ];
}

function rowLine({ test, role, how, said }: ProofRow): string {
  const shown = how === null ? ROLES[role] : HOW[how];
  return `  ${role.padEnd(10)}  ${test}  ${shown}${said === '' ? '' : `: ${said}`}`;
}

/** How many survivors, and how many tests alike, a terminal shows; `--json` has them all. */
const SHOWN = 7;

function strengthLines(strength: Strength | null): readonly string[] {
  if (strength === null) return [];
  const { made, noticed, survivors } = strength;
  const more = survivors.length - SHOWN;
  return [
    ...(made === 0
      ? []
      : [
          `${noticed} of ${counted(made, 'fault')} in the changed lines ${made === 1 ? 'is' : 'are'} noticed${survivors.length === 0 ? '.' : `. ${shownFrom(made - noticed, survivors.length)}`}`,
        ]),
    ...survivors.slice(0, SHOWN).flatMap(({ file, line, sentence, patch }) => [
      '',
      `  ${file}:${line}  ${sentence}`,
      // At the margin: git refuses what is copied with spaces before it.
      ...patch.trimEnd().split('\n'),
    ]),
    ...(more > 0 ? ['', `  and ${more} more: --json`] : []),
    ...unmeasuredLines(strength),
    '',
  ];
}

function unmeasuredLines({ survivors, unreached, unmeasured }: Strength): readonly string[] {
  const lines = [
    ...(unreached.length === 0 ? [] : [`No test reaches ${places(unreached)}; what is changed there is not measured.`]),
    ...(unmeasured === 0 ? [] : [`${counted(unmeasured, 'fault')} could not be measured.`]),
  ];
  // Apart from the patch above it, which somebody copies.
  return survivors.length === 0 || lines.length === 0 ? lines : ['', ...lines];
}

/** What does not speak against the change, and is worth a look. */
function toldLines({ findings }: Proof): readonly string[] {
  const told = findings.filter(({ severity }) => severity === 'minor');
  const more = told.length - SHOWN;
  if (told.length === 0) return [];
  return [
    'To look at:',
    ...told.slice(0, SHOWN).map(({ message }) => `  - ${message}`),
    ...(more > 0 ? [`  and ${more} more: --json`] : []),
    '',
  ];
}

function requirementLines({ requirements }: Proof): readonly string[] {
  if (requirements.length === 0) return [];
  const widest = Math.max(...requirements.map(({ requirement }) => requirement.length));
  return [
    ...requirements.map(
      ({ requirement, verdict, tests, strength }) =>
        `  ${requirement.padEnd(widest)}  ${verdict.padEnd(13)}  ${counted(tests.length, 'test')}${strength === null || strength.made === 0 ? '' : `: ${strength.noticed} of ${counted(strength.made, 'fault')} noticed where ${tests.length === 1 ? 'it comes' : 'they come'} to`}`,
    ),
    '',
  ];
}

/** Of each line one is shown: whoever mends its tests for that usually mends them for the others. */
function shownFrom(survived: number, lines: number): string {
  const stay = survived === 1 ? '1 stays' : `${survived} stay`;
  const shown =
    survived === lines
      ? ''
      : `; ${lines === 1 ? 'they are in one line, and one is shown' : 'of each line one is shown'}`;
  return `${stay} unnoticed: your tests are green with ${survived === 1 ? 'it' : 'each'} (git apply)${shown}.`;
}

function places(lines: readonly { readonly file: string; readonly line: number }[]): string {
  const byFile = Map.groupBy(lines, ({ file }) => file);
  return [...byFile].map(([file, own]) => `${file}:${spansOf(own.map(({ line }) => line)).join(',')}`).join(' ');
}

/** `3`, `5-9`. */
function spansOf(lines: readonly number[]): readonly string[] {
  const starts = lines.filter((line) => !lines.includes(line - 1));
  return starts.map((from) => {
    let to = from;
    while (lines.includes(to + 1)) to += 1;
    return to === from ? `${from}` : `${from}-${to}`;
  });
}

function weaknessOf(strength: Strength | null): string {
  if (!isWeak(strength)) return ', as no test comes to most of the changed lines';
  const share = Math.floor(100 * (strength === null ? 0 : (shareOf(strength) ?? 0)));
  return `, as ${share} % of the faults are noticed, and ${100 * ENOUGH} % wanted`;
}

function verdictLine({ verdict, rows, strength }: Proof): string {
  const proving = rows.filter(({ role }) => role === 'proves').length;
  const counted = rows.length === 0 ? '' : ` (${proving} of ${rows.length} tests need the change)`;
  const unknown = verdict === 'proved' && strength === null ? ', and no fault was made in the changed lines' : '';
  const weak = verdict === 'weakly proved' ? weaknessOf(strength) : '';
  return `${verdict.charAt(0).toUpperCase()}${verdict.slice(1)}${weak}${counted}${unknown}${verdict === 'not proved' ? ':' : '.'}`;
}
