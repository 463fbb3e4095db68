/** The demo's last lines: how it ended, what proves it, what it cost, and what to do next. */
import type { DemoSummary } from '../demo/demo-summary.ts';
import { clockText, wrapped } from '../demo/plain-text.ts';
import { BUDGET } from '../demo/request-count.ts';
import type { SabotageName } from '../demo/sabotage.ts';
import type { EvidenceRow } from '../loop/brief.ts';
import type { Loop } from '../loop/loop.ts';
import { isStarted } from '../loop/stages.ts';
import { costOf, counted, nowOf, thresholdText } from '../render/words.ts';
import { commandLine } from './command-line.ts';

export interface Ending {
  readonly loop: Loop;
  readonly summary: DemoSummary;
  readonly proven: readonly EvidenceRow[];
  readonly repositoryUrl: string;
  readonly run: {
    readonly directory: string;
    readonly kept: boolean;
    readonly minutes: number;
    readonly sabotage: SabotageName | undefined;
  };
}

export function closingOf(ending: Ending): readonly string[] {
  const { loop, summary, proven } = ending;
  return [
    '',
    headline(ending),
    '',
    ...rows([
      ['Pull request', summary.pull === undefined ? 'none' : summary.pull.url],
      ...proven.map((row, index) => [index === 0 ? 'Proof' : '', proofText(row)] as const),
      [
        'Cost',
        `${isStarted(loop) ? `${costOf(loop)}; ` : ''}${counted(summary.modelCalls.outsideBuild, 'call')} outside BUILD`,
      ],
      ...pricedText(loop),
      ['GitHub', requestsText(summary.github)],
      ['Sandbox', summary.sandbox ?? 'nothing was built'],
    ]),
    '',
    ...nextSteps(ending),
  ];
}

function requestsText({ requests, writes, creations }: DemoSummary['github']): string {
  const parts = [counted(writes, 'write'), `${creations} of them made what people see`].join(', ');
  const most = `${BUDGET.requests}, ${BUDGET.writes} and ${BUDGET.creations} at most with one failed BUILD`;
  return `${counted(requests, 'request')} of its API, of them ${parts} (${most})`;
}

/** What a small model of today takes, in USD per million tokens in and out; a script costs nothing, so it says what a model would. */
const EXAMPLE_PRICE = { prompt: 0.25, completion: 2 };

function pricedText({ spent, started }: Loop): readonly (readonly [string, string])[] {
  if (started?.price?.prompt !== 0 || started.price.completion !== 0) return [];
  const { prompt, completion } = EXAMPLE_PRICE;
  const usd = (spent.promptTokens * prompt + spent.completionTokens * completion) / 1_000_000;
  return [['', `The same tokens at ${prompt}/${completion} USD per million, in and out: ${usd.toFixed(2)} USD.`]];
}

/** How it ended, in one line. */
export function headline({ loop, summary, run }: Pick<Ending, 'loop' | 'summary' | 'run'>): string {
  const elapsed = clockText(summary.durationMs);
  if (run.sabotage !== undefined && summary.status === 'stopped')
    return `Refused after ${elapsed}, as it must be; no code reached the pull request's branch. ${loop.note}`;
  if (run.sabotage !== undefined && summary.status === 'succeeded')
    return `NOT NOTICED after ${elapsed}: the sabotage went through; please report this.`;
  switch (summary.status) {
    case 'succeeded':
      return `Succeeded in ${elapsed}. ${nowOf(loop)}`;
    case 'stopped':
      return `Stopped after ${elapsed}, needs a person. ${loop.note}`;
    case 'waiting':
    case 'failed':
      return `Not finished after ${elapsed} (--minutes ${run.minutes}). ${nowOf(loop)}`;
  }
}

function proofText({ requirement, kind, test, base, head, reverted, reason }: EvidenceRow): string {
  const start = `${requirement} ${kind.padEnd('change'.length)}  `;
  if (kind === 'metric') return `${start}${thresholdText(reason)}`;
  const name = test.split('::').at(-1)?.replace(`${requirement} `, '') ?? test;
  const without = reverted === 'not-run' ? '' : `, ${VERBS[reverted]} without the change`;
  return `${start}${VERBS[base]} before, ${VERBS[head]} now${without}: ${name}`;
}

const VERBS: Readonly<Record<EvidenceRow['head'], string>> = {
  pass: 'passes',
  fail: 'fails',
  'load-error': 'cannot be loaded',
  'not-run': 'is not run',
};

function nextSteps({ run, summary, repositoryUrl }: Ending): readonly string[] {
  const look = [
    commandLine('start', '--data', run.directory),
    summary.status === 'succeeded' ? 'look at it in the browser, and merge it' : 'go on as a person',
  ] as const;
  if (!run.kept)
    return [
      'Kept until the next demo ends. Next:',
      ...steps([look, sabotageNext(run.sabotage), [commandLine('start'), 'click through a loop yourself']]),
    ];
  return [
    `Everything is kept in ${run.directory}. Next:`,
    ...steps([look, [`git clone ${repositoryUrl}.git`, 'while that runs']]),
  ];
}

/** The one that was not just seen. */
function sabotageNext(seen: SabotageName | undefined): readonly [string, string] {
  return seen === 'product'
    ? [commandLine('demo', '--sabotage', 'test'), 'have the tests emptied, and see that refused']
    : [commandLine('demo', '--sabotage', 'product'), 'have the code broken, and see it refused'];
}

function steps(pairs: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...pairs.map(([left]) => left.length));
  return pairs.map(([left, right]) => `  ${left.padEnd(width)}   ${right}`);
}

function rows(pairs: readonly (readonly [string, string])[]): readonly string[] {
  return pairs.flatMap(([left, right]) => wrapped(`  ${left.padEnd(14)}`, [right]));
}
