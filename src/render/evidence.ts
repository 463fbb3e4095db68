/** The evidence matrix: what proves each requirement, from the report of VERIFY. */

import { code, list, oneLine, paragraph, sections, table } from '../documents/markdown.ts';
import { supersededTable } from '../documents/plan-documents.ts';
import type { VerifyReport } from '../loop/brief.ts';
import { FROZEN_TEST } from '../loop/defect.ts';
import type { Defect } from '../loop/measurement.ts';
import { strengthText, survivorsText } from './strength.ts';
import { thresholdText, valueText } from './words.ts';

/** evidence.md, with what is remarked of the build; says in its first line when there was no sandbox. */
export function evidenceDocument(report: VerifyReport, remarks: readonly Defect[] = []): string {
  const { evidence, acceptance, candidate, base, sandbox, missingWalls = [] } = report;
  const judged = `Candidate \`${candidate}\` was judged against base \`${base}\`.`;
  const contained =
    sandbox === 'none'
      ? '**Sandbox: none.** The code ran without a sandbox.'
      : 'The code ran in a sandbox (bubblewrap).';
  return sections('Evidence', [
    ['How it was judged', [contained, ...missingWalls.map((sentence) => oneLine(sentence, 300)), judged].join(' ')],
    [
      'Requirements',
      evidence.length === 0
        ? 'No requirement was proved.'
        : [evidenceTable(report), evidenceLegend(report), ...faultsNoticed(report), ...strengthText(report)].join(
            '\n\n',
          ),
    ],
    ...survivorsSection(report),
    ...addedSection(report),
    ...supersededSection(report),
    ...attemptsSection(remarks),
    [
      'Acceptance',
      acceptance.length === 0 ? 'No acceptance row was performed.' : acceptance.map(acceptanceItem).join('\n'),
    ],
    ['Measurements', `${measurementsTable(report)}${rawPlace(report)}`],
  ]);
}

function survivorsSection(report: VerifyReport): readonly (readonly [string, string])[] {
  const texts = survivorsText(report);
  return texts.length === 0 ? [] : [['Faults that no test noticed', texts.join('\n\n')]];
}

/** Tests that came after the approval: people see which, and what asked for them. */
function addedSection({ addedTests = [] }: VerifyReport): readonly (readonly [string, string])[] {
  if (addedTests.length === 0) return [];
  const items = addedTests.map(({ test, because }) => `${code(test)}: ${oneLine(because, 400)}`);
  return [['Tests that were added, because those before them did not notice enough', list(items, '')]];
}

function supersededSection(report: VerifyReport): readonly (readonly [string, string])[] {
  const text = supersededText(report);
  return text === '' ? [] : [['Tests that were replaced', text]];
}

function attemptsSection(remarks: readonly Defect[]): readonly (readonly [string, string])[] {
  const text = attemptsText(remarks);
  return text === '' ? [] : [['Frozen tests that the builder tried to change', text]];
}

/** What was tried on frozen tests; empty where nothing was. */
export function attemptsText(remarks: readonly Defect[]): string {
  const tried = remarks.filter(({ rule }) => rule === FROZEN_TEST);
  if (tried.length === 0) return '';
  const lines = tried.map(({ file, message }) => `${code(file ?? '')}: ${message}`);
  return `They were judged as they were frozen.\n\n${list(lines, '')}`;
}

/** The existing tests that were taken out, with the reason, and which of them nothing contradicts; empty when there are none. */
export function supersededText({ supersededTests = [] }: Pick<VerifyReport, 'supersededTests'>): string {
  if (supersededTests.length === 0) return '';
  const needless = supersededTests.filter(({ head }) => head === 'pass').map(({ name }) => code(name));
  const note =
    needless.length === 0
      ? []
      : [`**Look at ${needless.join(', ')}**: put back, it passes with the change too, so nothing contradicts it.`];
  const opening = 'These existing tests asserted the old behaviour. They were approved with the packet and taken out:';
  return [opening, supersededTable(supersededTests), ...note].join('\n\n');
}

function measurementsTable({ measurements }: VerifyReport): string {
  return table(
    ['name', 'value', 'unit', 'read from', 'raw output'],
    measurements.map(({ name, value, unit, source, raw }) => [
      name,
      valueText(value),
      unit,
      oneLine(source, 1000),
      `\`${raw.slice(7, 19)}\``,
    ]),
  );
}

/** A file of the repository cannot lead there: its links stay among the files. */
function rawPlace({ run }: VerifyReport): string {
  return run === undefined
    ? ''
    : `\n\nEach raw output is a file \`raw/\` whose name begins so, in the artifact \`verify\` of workflow run ${run}.`;
}

/** What was done to the product where a test noticed it, by requirement. */
export function faultsNoticed({ evidence }: Pick<VerifyReport, 'evidence'>): readonly string[] {
  const noticed = evidence.flatMap(({ requirement, fault }) =>
    fault === undefined ? [] : [`${requirement}: ${code(oneLine(fault))}`],
  );
  return noticed.length === 0 ? [] : [`Faults that these tests noticed:\n\n${list(noticed, '')}`];
}

/** A row of the acceptance; each of its steps stands on a line of its own. */
function acceptanceItem({ id, requirement, passed, detail }: VerifyReport['acceptance'][number]): string {
  const name = `- ${passed ? '✓' : '✗'} ${id} (${requirement})`;
  const steps = detail.split('\n');
  return steps.length === 1
    ? `${name}: ${detail}`
    : [`${name}:`, ...steps.map((step) => `  - ${paragraph(step)}`)].join('\n');
}

/** One row per requirement: its test on the base, on the head, and where it must fail: with the change reverted and under mutation. */
export function evidenceTable({ evidence, strengths = [] }: Pick<VerifyReport, 'evidence' | 'strengths'>): string {
  const weak = new Set(strengths.filter((one) => one.weak).map(({ requirement }) => requirement));
  return table(
    ['id', 'kind', 'proved by', 'base', 'head', 'counter-check', 'verdict'],
    evidence.map(({ requirement, kind, test, base, head, reverted, mutated, value, proven, reason }) => [
      requirement,
      kind,
      code(test),
      ...(kind === 'metric'
        ? ['', valueText(value ?? undefined), '']
        : [base, head, counterCheck({ kind, reverted, mutated })]),
      verdictText({ kind, proven, reason, isWeak: weak.has(requirement) }),
    ]),
  );
}

/** What the rows of a table tried: nothing is said of a trial that none of them has, and who lacks one is named. */
export function evidenceLegend({ evidence }: Pick<VerifyReport, 'evidence'>): string {
  const [changes, keeps, metrics] = (['change', 'keep', 'metric'] as const).map((kind) =>
    evidence.filter((row) => row.kind === kind),
  );
  return [
    ...triedIn(changes, CHANGE_WORDS),
    ...triedIn(keeps, KEEP_WORDS),
    ...(metrics?.length ? [METRIC_WORDS] : []),
    ...(evidence.some(({ trust }) => trust === 'told') ? [TOLD_WORDS] : []),
  ].join(' ');
}

const TOLD_WORDS =
  'The runner *tells* its outcomes itself, with a test beside them that must fail: they are not sealed against the code under test.';
const METRIC_WORDS =
  "A `metric` is measured on the head and held to its own number; the gate of that name has the operator's, which every loop must keep.";

interface Words {
  readonly always: string;
  readonly withFault: string;
  readonly lacking: string;
}

const CHANGE_WORDS: Words = {
  always: 'The test of a `change` must fail on the base, pass on the head, and fail again with the change reverted',
  withFault: ' and with a fault made in it',
  lacking: 'No fault was tried in the change of',
};
const KEEP_WORDS: Words = {
  always: 'The test of a `keep` must pass on the base and on the head',
  withFault: ', and fail with a fault made in the product',
  lacking: 'No fault was tried in the product for',
};

function triedIn(rows: VerifyReport['evidence'] = [], { always, withFault, lacking }: Words): readonly string[] {
  if (rows.length === 0) return [];
  const without = rows.filter(({ mutated }) => mutated === 'not-run').map(({ requirement }) => requirement);
  const names = [...new Set(without)].join(', ');
  const rule = `${always}${without.length === rows.length ? '' : withFault}.`;
  return without.length === 0 ? [rule] : [rule, `${lacking} ${names}.`];
}

/** Where nothing of a change can be mutated, being reverted is all that is asked of it. */
function counterCheck({
  kind,
  reverted,
  mutated,
}: Pick<VerifyReport['evidence'][number], 'kind' | 'reverted' | 'mutated'>): string {
  if (kind === 'keep') return `mutated: ${mutated}`;
  return mutated === 'not-run' ? `reverted: ${reverted}` : `reverted: ${reverted}, mutated: ${mutated}`;
}

/** The columns show why a test proves; of a number they show only the number, so its target is said. */
function verdictText({
  kind,
  proven,
  reason,
  isWeak,
}: Pick<VerifyReport['evidence'][number], 'kind' | 'proven' | 'reason'> & { readonly isWeak: boolean }): string {
  if (!proven) return `**not proven**: ${reason}`;
  if (isWeak) return '**weakly proved**';
  return kind === 'metric' && reason !== '' ? `proven: ${thresholdText(reason)}` : 'proven';
}
