/** The plan's documents as people read them. Pure. */

import type { Budget, Estimate } from './budget.ts';
import type { AcceptanceRow, Analysis, Plan, SupersededTest, Task } from './documents.ts';
import { code, grouped, list, sections, table } from './markdown.ts';
import type { Step } from './step.ts';

export function planDocument({ approach, tasks, supersededTests }: Plan, budget: Budget): string {
  return sections('Plan', [
    ['Approach', approach],
    ['Tasks', table(['task', 'title', 'requirements', 'files', 'after'], tasks.map(taskRow))],
    ...(supersededTests.length === 0
      ? []
      : [['Superseded tests', supersededTable(supersededTests)] satisfies readonly [string, string]]),
    ['Budget', budgetTable(budget)],
    ...tasks.map(({ id, title, detail }): readonly [string, string] => [`${id}: ${title}`, detail]),
  ]);
}

function taskRow({ id, title, requirements, files, dependsOn }: Task): readonly string[] {
  return [
    id,
    title,
    requirements.join(', '),
    files.map((file) => `\`${file}\``).join(', '),
    dependsOn.join(', ') || '—',
  ];
}

/** Existing tests that a plan takes out, and why. */
export function supersededTable(tests: readonly SupersededTest[]): string {
  const rows = tests.map(({ file, name, requirement, why }) => [code(file), code(name), requirement, why]);
  return table(['file', 'test', 'for', 'why'], rows);
}

/** What building will cost, in numbers that people compare. */
export function budgetTable({ p50, p90, ceilingUsd }: Budget): string {
  const row = (name: string, of: (estimate: Estimate) => string): readonly string[] => [name, of(p50), of(p90)];
  const rows = [
    row('model calls', ({ calls }) => String(calls)),
    row('tokens read', ({ promptTokens }) => grouped(promptTokens)),
    row('tokens written', ({ completionTokens }) => grouped(completionTokens)),
    row('price', ({ usd }) => (usd === undefined ? 'unknown price' : `${usd.toFixed(2)} USD`)),
    row('minutes on runners', ({ runMinutes }) => String(runMinutes)),
  ];
  const ceiling =
    p90.usd === undefined
      ? `The limit of ${ceilingUsd} USD cannot act, because no price is known (\`LLM_PRICE\`); iterations and minutes bound the loop.`
      : `The loop stops for a person at ${ceilingUsd} USD.`;
  return `${table(['building and judging', 'p50', 'p90'], rows)}\n\nA rule of thumb from the number of tasks and the limits: half of the loops should need less than p50, nine of ten less than p90. ${ceiling}`;
}

export function acceptanceDocument(rows: readonly AcceptanceRow[]): string {
  return sections(
    'Acceptance',
    rows.map(({ id, requirement, kind, title, steps }): readonly [string, string] => [
      `${id}: ${title}`,
      `Proves ${requirement} (${kind}).\n\n${list(steps.map(stepLine), 'Measured by VERIFY; there are no steps.')}`,
    ]),
  );
}

/** One step in words: what is done, and what must come back. */
export function stepLine(step: Step): string {
  switch (step.type) {
    case 'http':
      return `${code(`${step.method} ${step.path}`)}${headersOf(step)}${withInput(step.body)} answers ${step.expected.status}${httpExpectation(step.expected)}`;
    case 'page':
      return `page ${code(step.path)} shows ${code(step.expected.contains)} in ${code(step.expected.selector)}`;
    case 'cli':
      return `${code(step.arguments.map(argumentText).join(' '))}${withInput(step.stdin)} exits ${step.expected.exitCode}${cliExpectation(step.expected)}`;
    case 'call':
      return `${code(step.function)} of ${code(step.module)} with ${code(step.arguments)} returns ${code(step.expected.equals)}`;
  }
}

function headersOf({ headers }: Extract<Step, { type: 'http' }>): string {
  return headers.length === 0
    ? ''
    : ` with ${headers.map(({ name, value }) => code(`${name}: ${value}`)).join(' and ')}`;
}

function withInput(text: string | null): string {
  return text === null ? '' : ` with input ${code(text)}`;
}

/** Quoted where a reader could not tell one argument from two. */
function argumentText(argument: string): string {
  return /^[\w./:=@%+,-]+$/.test(argument) ? argument : JSON.stringify(argument);
}

function httpExpectation({ contains, json }: Extract<Step, { type: 'http' }>['expected']): string {
  const values = json.map(({ pointer, equals }) => `${code(pointer === '' ? 'body' : pointer)} = ${code(equals)}`);
  return `${containing(contains)}${values.length === 0 ? '' : `, ${values.join(', ')}`}`;
}

function cliExpectation({ contains, equals, matches, stderr }: Extract<Step, { type: 'cli' }>['expected']): string {
  return [
    containing(contains),
    equals === null ? '' : `, exactly ${code(equals)}`,
    matches.length === 0 ? '' : `, matching ${matches.map(code).join(', ')}`,
    stderr.length === 0 ? '' : `, with ${stderr.map(code).join(', ')} on standard error`,
  ].join('');
}

function containing(texts: readonly string[]): string {
  return texts.length === 0 ? '' : `, containing ${texts.map(code).join(', ')}`;
}

export function analysisDocument({ findings }: Analysis): string {
  const text = findings.length === 0 ? 'The critic found no contradiction.' : findingsTable(findings);
  return sections('Analysis', [['Findings', text]]);
}

/** What the critic found, and what it would do about it. */
export function findingsTable(findings: Analysis['findings']): string {
  const rows = findings.map(({ severity, where, finding, action }) => [severity, where, finding, action]);
  return table(['severity', 'where', 'finding', 'action'], rows);
}

export function doubtsDocument({ doubts }: Analysis): string {
  return sections('Doubts', [['Claims under attack', doubtsTable(doubts)]]);
}

/** Doubts and how each was settled. */
export function doubtsTable(doubts: Analysis['doubts']): string {
  const rows = doubts.map(({ attack, claim, doubt, resolution }) => [attack, claim, doubt, resolution ?? '**open**']);
  return table(['attack', 'claim', 'doubt', 'resolution'], rows);
}

export function checklistDocument({ checklist }: Analysis): string {
  const lines = checklist.map(({ item, satisfied }) => `- [${satisfied ? 'x' : ' '}] ${item}`);
  return sections('Checklist', [['Is the specification good enough to build from?', lines.join('\n')]]);
}
