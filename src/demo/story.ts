/** Tells a loop as it happens, in plain text: when, which phase, what came of it. */
import { oneLine } from '../documents/markdown.ts';
import type { EntryRecord, Loop, Verdict } from '../loop/loop.ts';
import type { Defect } from '../loop/measurement.ts';
import { usefulLines } from '../render/defects.ts';
import { judgedOf, thresholdText, valueText } from '../render/words.ts';
import { clockText, wrapped } from './plain-text.ts';

export interface Story {
  opening(by: { readonly scripted: boolean; readonly model: string; readonly isPlayed: boolean }): void;
  opened(issue: { readonly number: number; readonly title: string; readonly again: boolean }): void;
  /** What the maintainer says. */
  said(words: string): void;
  /** What is asked of the person who sits before it. */
  asks(hint: string): void;
  /** Tells what is new in the loop; what was told is not told again. */
  follow(loop: Loop): void;
}

interface Setting {
  readonly say: (line: string) => void;
  readonly startedMs: number;
  readonly repositoryUrl: string;
  readonly maintainer: string;
}

interface News {
  readonly key: string;
  readonly mark: '✓' | '✗' | '▸' | '!' | ' ';
  readonly name: string;
  /** Each part begins a line of its own. */
  readonly parts: readonly string[];
}

const NAME_WIDTH = 'ARCH_REVIEW'.length;
const SHOWN_DEFECTS = 3;
const LONGEST_FOUND = 300;
const SHOWN_LINES = 8;

export function createStory({ say, startedMs, repositoryUrl, maintainer }: Setting): Story {
  const told = new Set<string>();
  const tell = ({ key, mark, name, parts }: News): void => {
    if (told.has(key)) return;
    told.add(key);
    const head = `${clockText(Date.now() - startedMs).padStart(6)}  ${mark} ${name.padEnd(NAME_WIDTH)}  `;
    for (const line of wrapped(head, parts)) say(line);
  };
  return {
    opening({ scripted, model, isPlayed }) {
      say(
        scripted
          ? 'The model is SCRIPTED: its answers are authored. GitHub, git, Actions, tests and evidence are real.'
          : `The model is ${model}.`,
      );
      say(
        isPlayed
          ? `@${maintainer} is PLAYED: she takes the first option and approves, whatever stands there.`
          : 'You answer, approve and steer; the model does the rest.',
      );
      say(`A GitHub of its own runs at ${repositoryUrl} while this does.\n`);
    },
    opened({ number, title, again }) {
      const words = again ? 'is here from before; the demo goes on with it' : 'opened, and labelled `loop`';
      tell({ key: 'issue', mark: ' ', name: `@${maintainer}`, parts: [`issue #${number} “${title}”: ${words}`] });
    },
    said(words) {
      tell({ key: `said/${told.size}`, mark: ' ', name: `@${maintainer}`, parts: [words] });
    },
    asks(hint) {
      tell({ key: `asks/${told.size}`, mark: '▸', name: 'you', parts: [hint] });
    },
    follow(loop) {
      for (const news of newsOf(loop, repositoryUrl)) tell(news);
    },
  };
}

/** Everything there is to tell about a loop, in its order. */
function newsOf(loop: Loop, repositoryUrl: string): readonly News[] {
  return [
    ...loop.entries.map((record) => entryNews(record, loop)),
    ...questionNews(loop),
    ...packetNews(loop, repositoryUrl),
    ...runNews(loop, repositoryUrl),
    ...sandboxNews(loop),
    ...shipNews(loop),
  ];
}

function questionNews({ waitingFor, questions, entry, counters }: Loop): readonly News[] {
  if (waitingFor !== 'answers') return [];
  const parts = questions.map(({ number, question, options }) =>
    `${number}. ${question} ${options.map(({ key, text }) => `(${key}) ${text}`).join('  ')}`.trim(),
  );
  return [{ key: `ask/${entry}/${counters.interviews}`, mark: '▸', name: 'DISCOVER', parts: ['asks:', ...parts] }];
}

function packetNews({ phase, entry, review }: Loop, repositoryUrl: string): readonly News[] {
  if (phase !== 'ARCH_REVIEW' || review === undefined) return [];
  const { pull } = review;
  const parts = [
    `draft pull request #${pull}: spec, plan, price and four diagrams wait for a person`,
    `${repositoryUrl}/pull/${pull}`,
  ];
  return [{ key: `packet/${entry}`, mark: '▸', name: 'ARCH_REVIEW', parts }];
}

const RUNS: Readonly<Partial<Record<Loop['phase'], string>>> = {
  BUILD: 'runs in Actions: tests first, by another role, then the code',
  VERIFY: 'runs in Actions: proves every requirement on the base, on the head and without the change',
};

function runNews({ phase, built: { run } }: Loop, repositoryUrl: string): readonly News[] {
  const words = RUNS[phase];
  return words === undefined || run === undefined
    ? []
    : [{ key: `run/${run.id}`, mark: '▸', name: phase, parts: [words, `${repositoryUrl}/actions/runs/${run.id}`] }];
}

/** The longest silence there is: nothing else happens until the repository's own checks are known. */
function shipNews({ phase, entry, shipping, started }: Loop): readonly News[] {
  if (phase !== 'SHIP' || shipping?.promotedAt === undefined || started === undefined) return [];
  const words = `waits for the repository's own checks; judged once they have been quiet for ${started.limits.checksQuietSeconds} s`;
  return [{ key: `quiet/${entry}`, mark: '▸', name: phase, parts: [words] }];
}

function sandboxNews({ built: { sandbox }, phase }: Loop): readonly News[] {
  return sandbox === 'none'
    ? [
        {
          key: 'sandbox',
          mark: '!',
          name: phase,
          parts: ['sandbox: none. bubblewrap does not work here; only what a scripted model wrote may run without it'],
        },
      ]
    : [];
}

function entryNews(record: EntryRecord, loop: Loop): News {
  const { entry, phase, outcome, gates, reason } = record;
  const key = `entry/${entry}`;
  const earlier = loop.entries.filter((other) => other.phase === phase && other.entry < entry);
  const tries = judgedOf(earlier).length + 1;
  const tried = tries > 1 ? [`try ${tries}`] : [];
  if (outcome === 'passed')
    return { key, mark: '✓', name: phase, parts: [[...tried, ...gates.map(gateText)].join(' · ') || 'done'] };
  const measured = gates.filter(({ passed, value }) => !passed && value !== undefined).map(gateText);
  const why = measured.length > 0 ? measured : [reason.replace(`${phase}: `, '')];
  return { key, mark: '✗', name: phase, parts: [[...tried, ...why].join(' · '), ...feedbackOf(record, loop)] };
}

/** What went wrong, and where it goes; only known for the last entry, as the loop keeps the newest feedback. */
function feedbackOf({ entry }: EntryRecord, { entries, feedback, phase, status }: Loop): readonly string[] {
  if (entries.at(-1)?.entry !== entry || feedback.length === 0) return [];
  const more = feedback.length - SHOWN_DEFECTS;
  return [
    ...feedback.slice(0, SHOWN_DEFECTS).flatMap(defectLines),
    ...(more > 0 ? [`- and ${more} more`] : []),
    ...(status === 'working' ? [`→ fed back to ${phase}, which tries again with it`] : []),
  ];
}

/** What was found, and what it was found by: the actual and the expected values. */
function defectLines({ file, line, message, requirement }: Defect): readonly string[] {
  const place = file === null ? '' : `${file}${line === null ? '' : `:${line}`}: `;
  const about = requirement === null ? '' : ` (${requirement})`;
  return [
    `- ${place}${oneLine(message.split('\n')[0] ?? '', LONGEST_FOUND)}${about}`,
    ...(requirement === null ? [] : usefulLines(message, SHOWN_LINES).map((text) => `    ${text}`)),
  ];
}

type GateText = Omit<Verdict, 'value'> & { readonly value?: number | null | undefined };

/** A threshold that is no comparison is a sentence of its own. */
export function gateText({ name, value, threshold, passed }: GateText): string {
  if (!/^[<>]/.test(threshold)) return `${name} ${threshold}`;
  return `${name} ${valueText(value ?? undefined)} (${passed ? '' : 'needs '}${thresholdText(threshold)})`;
}
