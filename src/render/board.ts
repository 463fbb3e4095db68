/** The live board: the sticky comment on the issue, and the pull request's title and text. */

import { code, fitted, list, oneLine, table } from '../documents/markdown.ts';
import type { UnplannedFiles } from '../documents/unplanned-files.ts';
import type { VerifyReport } from '../loop/brief.ts';
import { FROZEN_TEST } from '../loop/defect.ts';
import type { Loop } from '../loop/loop.ts';
import type { Defect } from '../loop/measurement.ts';
import { isStarted, type StartedLoop } from '../loop/stages.ts';
import { defectLine, failureSentence } from './defects.ts';

import { attemptsText, evidenceLegend, evidenceTable, faultsNoticed, supersededText } from './evidence.ts';
import { type PhaseState, phaseStates } from './phase-states.ts';
import { costOf, countsOf, gatesSentence, judgedOf, type ModelFacts, nowOf, shortDigest, warningsOf } from './words.ts';

/** With no-break spaces, because the column is narrow, and signs that every font has. */
const STATES: Readonly<Record<PhaseState['state'], string>> = {
  done: '✓\u00A0done',
  unproven: '✗\u00A0not passed',
  working: '▶\u00A0at\u00A0work',
  waiting: '…\u00A0waiting',
  paused: '‖\u00A0paused',
  stopped: '✗\u00A0stopped',
  queued: '…\u00A0queued',
  ahead: '',
};

/** The issue's sticky comment; once there is a pull request it ends as a link to it. */
export function issueBoard(loop: Loop, model: ModelFacts): string {
  if (!isStarted(loop))
    return 'No loop is running here. Somebody with write permission starts one with the label `loop`.';
  const warnings = warningsOf(loop, model);
  if (loop.review === undefined) return fitted([...warnings, ...boardBlocks(loop)].map((text) => ({ text })));
  const pull = `Everything else is on the pull request: #${loop.review.pull}`;
  return [...warnings, `**${isUnderWay(loop) ? UNDER_WAY : nowOf(loop)}**`, pull].join('\n\n');
}

/** What it does, and what it waits for, stands where people answer it; the issue is told how it ends. */
const UNDER_WAY = 'The loop is under way.';

function isUnderWay({ status }: Loop): boolean {
  return status === 'working' || status === 'waiting';
}

/** The pull request's title: the goal, and the issue that it belongs to. */
export function pullTitle({ started: { issue }, ref }: StartedLoop): string {
  return `${oneLine(issue.title, 100)} (#${ref.issue})`;
}

/** What runs told that people read in the pull request. */
export interface PullFacts {
  /** Of VERIFY, once it has reported in this iteration. */
  readonly report?: VerifyReport | undefined;
  /** What the reviewers of the build said without sending it back, and what was tried on frozen tests. */
  readonly remarks?: readonly Defect[];
  /** What changes besides the files that the plan names. */
  readonly unplanned?: UnplannedFiles;
}

/** The pull request's text: what is proved once VERIFY has reported, the board, and what this pull request is. */
export function pullBody(
  loop: StartedLoop,
  model: ModelFacts,
  { report, remarks = [], unplanned }: PullFacts = {},
): string {
  const origin = `For #${loop.ref.issue}. Made by Loopwright, an automated loop; it never merges. The documents are under \`.loopwright/\` on this branch.`;
  const [now = '', ...board] = boardBlocks(loop);
  return fitted([
    ...[...warningsOf(loop, model), now].map((text) => ({ text })),
    ...(report === undefined
      ? []
      : [
          { name: 'what changes', text: changeBlock(loop, unplanned) },
          ...supersededBlock(report),
          { name: 'the evidence', text: evidenceBlock(loop, report) },
        ]),
    ...excusedBlock(loop).map((text) => ({ text })),
    ...attemptsBlock(remarks),
    ...remarksBlock(remarks),
    ...[...board, origin].map((text) => ({ text })),
  ]);
}

/** In the words of the plan that people approved; each task was built. What they did not approve by name is named. */
function changeBlock({ tasks }: StartedLoop, unplanned: UnplannedFiles = { tests: [], seed: [] }): string {
  const rows = tasks.map(({ title, requirements }) => `${oneLine(title, 200)} (${requirements.join(', ')})`);
  const besides = [besidesText('tests', unplanned.tests), besidesText('seed data', unplanned.seed)].filter(Boolean);
  return [
    `### What changes\n\n${list(rows, 'Nothing was planned.')}`,
    ...(besides.length === 0 ? [] : [`Besides the files that the plan names: ${besides.join('; ')}.`]),
  ].join('\n\n');
}

/** Never left out: whoever merges gives these tests up. */
function supersededBlock(report: VerifyReport): readonly { readonly text: string }[] {
  const text = supersededText(report);
  return text === '' ? [] : [{ text: `### Tests that were replaced\n\n${text}` }];
}

function besidesText(what: string, paths: readonly string[]): string {
  const more = paths.length - MAX_BESIDES;
  const named = paths.slice(0, MAX_BESIDES).map(code).join(', ');
  return paths.length === 0 ? '' : `${what} ${named}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Files of each kind; the whole list is the pull request's. */
const MAX_BESIDES = 20;

function evidenceBlock({ ref: { owner, repo } }: StartedLoop, report: VerifyReport): string {
  const { run } = report;
  const raw =
    run === undefined
      ? ''
      : ` The raw outputs are the artifact \`verify\` of [workflow run ${run}](/${owner}/${repo}/actions/runs/${run}).`;
  return [
    '### Evidence',
    evidenceTable(report),
    `${evidenceLegend(report)} \`evidence.md\` says more; \`release.md\` says what to do before and after the merge.${raw}`,
    ...faultsNoticed(report),
  ].join('\n\n');
}

/** Red without the change too: it is no fault of the change, and people must know that it is red. */
function excusedBlock({ shipping }: Loop): readonly string[] {
  const excused = shipping?.excused ?? [];
  if (excused.length === 0) return [];
  const names = excused.map(({ name, sha }) => `\`${oneLine(name)}\` (at ${sha.slice(0, 7)})`).join(', ');
  return [
    `**Red without this change too**, so nobody counted it against the change: ${names}. It is red on this pull request all the same.`,
  ];
}

/** Never left out: who wrote the code and tried that is worth a second look. */
function attemptsBlock(remarks: readonly Defect[]): readonly { readonly text: string }[] {
  const text = attemptsText(remarks);
  return text === '' ? [] : [{ text: `### Frozen tests that the builder tried to change\n\n${text}` }];
}

function remarksBlock(remarks: readonly Defect[]): readonly { readonly name: string; readonly text: string }[] {
  const said = remarks.filter(({ rule }) => rule !== FROZEN_TEST);
  if (said.length === 0) return [];
  const text = `### Remarks of the reviewers\n\nThey did not send the change back for these.\n\n${list(said.map(defectLine), '')}`;
  return [{ name: 'the remarks of the reviewers', text }];
}

function boardBlocks(loop: StartedLoop): readonly string[] {
  const rows = phaseStates(loop).map((state) => [state.phase, stateText(state), gatesText(state, loop)]);
  const note = loop.note !== '' && !nowOf(loop).includes(loop.note) ? [loop.note] : [];
  return [
    `**${nowOf(loop)}**`,
    ...note,
    ...failedTry(loop),
    table(['phase', 'state', 'gates'], rows),
    `So far: ${costOf(loop)}; ${countsOf(loop)}.`,
    ...lessonsBlock(loop),
    ...proposalsBlock(loop),
    ...steering(loop),
  ];
}

/** What can be said now; a loop that has ended understands other words than a live one. */
function steering({ status }: Loop): readonly string[] {
  if (status === 'succeeded')
    return [
      'While this pull request is open, a review "Request changes", with a summary or comments on lines, or `/reject <what>` sends it back to be built again; `/help` lists everything.',
    ];
  return status === 'stopped'
    ? [
        'To go on, comment `/rerun`, after `/context <text>` or `/budget +<usd>` if it needs that; `/help` lists everything.',
      ]
    : ['To steer, comment `/pause`, `/resume`, `/stop` or `/context <text>`; `/help` lists everything.'];
}

function stateText({ state, entries }: PhaseState): string {
  const judged = judgedOf(entries).length;
  const tries = { done: judged, working: judged + 1 };
  const count = state === 'done' || state === 'working' ? tries[state] : 1;
  return count > 1 ? `${STATES[state]}, try\u00A0${count}` : STATES[state];
}

function failedTry(loop: Loop): readonly string[] {
  const why = loop.status === 'working' ? failureSentence(loop) : '';
  return why === '' ? [] : [`The last try failed. ${why}`];
}

function gatesText({ phase, state, gates }: PhaseState, { approval }: Loop): string {
  if (state === 'ahead') return '';
  if (phase === 'ARCH_REVIEW')
    return state === 'done' && approval !== undefined
      ? `approved by ${approval.by.login} for \`${shortDigest(approval.digest)}\``
      : 'needs the approval of a person';
  return gatesSentence(gates);
}

/** What REFLECT learned from this loop. */
function lessonsBlock({ lessons = [] }: Loop): readonly string[] {
  return lessons.length === 0 ? [] : [`Learned:\n\n${lessons.map((lesson) => `- ${lesson}`).join('\n')}`];
}

/** What REFLECT proposes; nothing is changed before a person accepts it. */
function proposalsBlock({ proposals }: Loop): readonly string[] {
  if (proposals.length === 0) return [];
  const rows = proposals.map(({ type, target, change, evidence, decision, by }, index) => [
    String(index + 1),
    `${type} \`${target}\``,
    change,
    evidence,
    by === undefined ? decision : `${decision} by ${by}`,
  ]);
  return [
    'Proposed for the next loop. Say `/accept <n>` or `/decline <n>`; nothing changes by itself.',
    table(['n', 'where', 'change', 'evidence', 'decision'], rows),
  ];
}
