/** What the rows of a proof come to. Pure. */
import type { Defect } from '../loop/measurement.ts';
import { type Strength, shareOf } from '../loop/strength.ts';
import type { Proof, ProofRow, Role } from './proof.ts';
import { firstLine } from './rows.ts';

/** The share of faults that the tests must notice, where there are enough of them to tell. */
export const ENOUGH = 0.8;

export interface Grounds {
  /** Changed paths. */
  readonly product: readonly string[];
  readonly tests: readonly string[];
  readonly rows: readonly ProofRow[];
  /** Tests that the change did not touch, that pass on the base and no longer on the head, with what they said. */
  readonly lost: ReadonlyMap<string, string>;
  /** Changed test files that cannot be loaded on the head, and why. */
  readonly broken: ReadonlyMap<string, string>;
  readonly findings: readonly Defect[];
  readonly strength: Strength | null;
  /** Tests that are red already where nothing but spaces comes into the changed files, as far as that was tried. */
  readonly readers: ReadonlySet<string>;
  /** Only that things stay is asked, by a list of requirements: then no test has to need the change. */
  readonly onlyKeeps: boolean;
}

/** What is known before any fault was made. */
export type GroundsBefore = Omit<Grounds, 'strength' | 'readers'>;

/** Proved only where nothing speaks against it; each thing that does is a sentence. */
export function verdictOf(grounds: Grounds): Pick<Proof, 'verdict' | 'reasons'> {
  const others = reasonsWithoutStrength(grounds);
  // Where something else speaks against it, no fault was tried.
  const reasons = others.length > 0 ? others : [...onlyReading(grounds), ...onlyMissing(grounds)];
  if (reasons.length > 0) return { verdict: 'not proved', reasons: [...reasons] };
  const { strength } = grounds;
  return { verdict: isWeak(strength) || isMostlyUnreached(strength) ? 'weakly proved' : 'proved', reasons: [] };
}

/** What speaks against it however strong its tests are: where something does, nobody needs to measure that. */
export function reasonsWithoutStrength(grounds: GroundsBefore): readonly string[] {
  return REASONS.flatMap((reasonsOf) => reasonsOf(grounds));
}

/** Whether the tests notice too few of the faults that were made, or come to none of their places; without a fault nothing can be said. */
export function isWeak(strength: Strength | null): boolean {
  return strength !== null && (shareOf(strength) ?? 1) < ENOUGH;
}

/** More changed lines that no test comes to than faults where they do: what is measured speaks for the smaller part. */
function isMostlyUnreached(strength: Strength | null): boolean {
  return strength !== null && strength.unreached.length > strength.made;
}

const REASONS: readonly ((grounds: GroundsBefore) => readonly string[])[] = [
  ({ product }) =>
    product.length === 0 ? ['The range changes nothing but tests, so there is no change to prove.'] : [],
  ({ tests, onlyKeeps }) =>
    tests.length === 0 && !onlyKeeps
      ? [
          'No test was added or changed, so nothing can show that the change is needed; what lies outside of folders for tests counts as product. Where it only keeps what is, name the tests of that by --requirements FILE, as `R-1: { keep: [test/a.test.js] }`.',
        ]
      : [],
  ({ broken }) =>
    [...broken].map(([file, why]) => `${file} cannot be run on the head: ${firstLine(why)}${unbuilt(why)}`),
  ({ tests, rows, broken }) =>
    tests.length > 0 && rows.length === 0 && broken.size === 0
      ? [`No test was found in what was changed of the tests, nor in a test file that names it: ${tests.join(', ')}.`]
      : [],
  ({ rows, onlyKeeps }) =>
    rows.length > 0 && ofRole(rows, 'proves').length === 0 && !onlyKeeps
      ? [`No test in changed files fails without the change and passes with it (${rows.length} run).`]
      : [],
  ({ rows }) => ofRole(rows, 'red').map(({ test, said }) => `${test} does not pass on the head: ${said}`),
  ({ rows }) => ofRole(rows, 'flaky').map(({ test, head }) => `${test} is not stable on the head: ${head.join(', ')}.`),
  ({ lost }) => [...lost].map(([test, said]) => `${test} passes on the base and no longer on the head: ${said}`),
  ({ findings }) => findings.filter(({ severity }) => severity !== 'minor').map(({ message }) => message),
];

/** Tests often ask for what only a build makes. */
export function unbuilt(why: string): string {
  const isMissing =
    /cannot find (?:module|package)|failed to (?:load|resolve)|ERR_MODULE_NOT_FOUND|ModuleNotFoundError/i.test(why);
  return isMissing ? ' (has it to be installed, or made by `--build CMD`? What git ignores is not there.)' : '';
}

/** A test of the text of a file shows nothing of what that does. */
function onlyReading({ rows, readers }: Grounds): readonly string[] {
  const proving = ofRole(rows, 'proves').map(({ test }) => test);
  if (proving.length === 0 || !proving.every((test) => readers.has(test))) return [];
  return [
    `The tests that need the change read its text, for they are red already where only spaces come into it; nothing shows what it does: ${proving.join(', ')}.`,
  ];
}

/** A test that cannot even be loaded without the change would fail whatever it asserts: only a noticed fault shows that it looks at anything. */
function onlyMissing({ rows, strength }: Grounds): readonly string[] {
  const proving = ofRole(rows, 'proves');
  const isOnlyMissing = proving.length > 0 && proving.every(({ how }) => how === 'missing');
  if (!isOnlyMissing || (strength !== null && strength.noticed > 0)) return [];
  const tried =
    strength === null
      ? 'no fault could be made'
      : `none of ${strength.made + strength.unreached.length} faults was noticed`;
  return [
    `The tests fail without the change only because what they use is not there (${proving[0]?.said ?? ''}), and ${tried} in the changed lines, so nothing shows what they assert.`,
  ];
}

function ofRole(rows: readonly ProofRow[], role: Role): readonly ProofRow[] {
  return rows.filter((row) => row.role === role);
}
