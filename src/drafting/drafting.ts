/** What every drafting phase does alike: ask the model, store documents, measure with the raw output stored. */

import { folderOf } from '../documents/document-texts.ts';
import { ConfigError } from '../errors.ts';
import { digestOf } from '../guard/digest.ts';
import { transcriptOf } from '../guard/transcript.ts';
import { ANSWERS, type Answer, type AnswerName, schemaOf } from '../loop/answers.ts';
import type { ModelCall } from '../loop/brief.ts';
import { costUsd, leftAfter, purseOf } from '../loop/costs.ts';
import type { Event } from '../loop/event.ts';
import type { Loop } from '../loop/loop.ts';
import type { Answered, Defect, Measurement } from '../loop/measurement.ts';
import type { StartedLoop } from '../loop/stages.ts';
import { type Document, idOf, nameOf, type PhaseName } from '../loop/terms.ts';
import type { CallBook, Ports } from '../ports.ts';
import { scriptedNote } from '../render/words.ts';
import { type Block, systemOf, userOf } from './prompt.ts';

/** What is wrong with an answer; it is told to whoever gave it, within the same call. */
export type Check<Name extends AnswerName> = (answer: Answer<Name>) => Promise<readonly string[]> | readonly string[];

/** One entry of a drafting phase at work. */
export interface Drafting {
  readonly phase: PhaseName;
  readonly loop: StartedLoop;
  readonly ports: Ports;
  /** The calls made so far, in order. */
  readonly calls: readonly ModelCall[];
  /** The answers got so far, in order; a draft that fails leaves them to the next one. */
  readonly answered: readonly Answered[];
  /** Asks, unless the same was answered to a draft that failed. @throws {ModelError} when no usable answer came. @throws {BudgetError} before a call that nothing is left for. @throws {ConfigError} when a skill is missing. */
  ask<Name extends AnswerName>(
    name: Name,
    task: string,
    blocks: readonly Block[],
    check?: Check<Name>,
  ): Promise<Answer<Name>>;
}

/** The skill that stands before all others in the App's own calls, so that they share one prefix. */
export const GROUND_RULES = 'ground-rules';

/** What is unbooked belongs to no loop that is stored. */
export function createDrafting(
  phase: PhaseName,
  loop: StartedLoop,
  ports: Ports,
  booking: 'booked' | 'unbooked' = 'booked',
): Drafting {
  const calls: ModelCall[] = [];
  const answered: Answered[] = [];
  return {
    phase,
    loop,
    ports,
    calls,
    answered,
    async ask(name, task, blocks, check) {
      const { skills, role } = ANSWERS[name];
      const [skill] = skills;
      const context = { loop: nameOf(loop.ref), phase, skill, role, attempt: attemptOf(phase, loop) };
      const system = systemOf([GROUND_RULES, ...skills].map((each) => ({ name: each, text: skillText(each, ports) })));
      const user = userOf(task, blocks);
      const asked = digestOf([name, system, user].join('\n'));
      const earlier = loop.answered?.find((one) => one.asked === asked);
      if (earlier !== undefined) {
        answered.push(earlier);
        const stored = Buffer.from(await ports.store.blob(earlier.answer)).toString('utf8');
        return schemaOf(name).parse(JSON.parse(stored));
      }
      const purse = leftAfter(purseOf(loop), calls);
      const silenceMs = silenceOf(loop, ports);
      const book = booking === 'booked' ? bookOf(loop, ports) : undefined;
      const result = await ports.model.answer({ name, context, system, user, purse, book, silenceMs, check });
      calls.push(...result.calls);
      answered.push({ asked, answer: await ports.store.putBlob(JSON.stringify(result.answer)) });
      return result.answer;
    },
  };
}

function bookOf({ ref, entry, started }: StartedLoop, { store, clock, modelFacts }: Ports): CallBook {
  const usdOf = (call: ModelCall): number | undefined =>
    started.price === undefined ? undefined : costUsd(started.price, [call]);
  const at = (): string => clock.now().toISOString();
  return {
    reserve: (call) =>
      store.reserve({ loopId: idOf(ref), entry, model: modelFacts.name, call, usd: usdOf(call), at: at() }),
    async settle(id, call, said) {
      const subject = { call: id, loop: nameOf(ref), dialect: 'chat', model: modelFacts.name };
      const transcript = transcriptOf({ ...subject, at: at(), ...said });
      await store.settle(id, { call, usd: usdOf(call), transcript });
    },
  };
}

/** A loop that began before the configuration had the key has none of its own. */
function silenceOf({ started: { limits } }: StartedLoop, { modelFacts }: Ports): number | undefined {
  return modelFacts.silenceMs ?? (limits.modelSeconds === undefined ? undefined : limits.modelSeconds * 1000);
}

/** Tries of this phase in the current review round, from 1. */
function attemptOf(phase: PhaseName, { counters }: Loop): number {
  return Math.max(1, counters.drafts[phase] ?? 1);
}

function skillText(name: string, ports: Ports): string {
  const text = ports.skills.get(name);
  if (text === undefined)
    throw new ConfigError(`skills/${name}/SKILL.md is missing: restore the file or reinstall loopwright.`);
  return text;
}

/** Stores the texts under the loop's folder; under the title of each that people read stands when its model was scripted. Storing the same again is harmless. */
export async function storeDocuments(
  { loop, ports }: Drafting,
  texts: Readonly<Record<string, string>>,
): Promise<Document[]> {
  return Promise.all(
    Object.entries(texts).map(async ([file, text]) => ({
      path: `${folderOf(loop)}/${file}`,
      digest: await ports.store.putBlob(`${labelled(file, text, ports).trimEnd()}\n`),
    })),
  );
}

function labelled(file: string, text: string, { modelFacts }: Pick<Ports, 'modelFacts'>): string {
  const note = scriptedNote(modelFacts);
  const [title = '', ...rest] = text.split('\n');
  return file.endsWith('.md') && title.startsWith('# ')
    ? [title, ...note.flatMap((line) => ['', line]), ...rest].join('\n')
    : text;
}

export interface Reading {
  readonly name: string;
  readonly value: number;
  readonly unit: Measurement['unit'];
  readonly source: string;
  /** What the value was computed from; stored as JSON. */
  readonly raw: unknown;
}

/** Stores the raw output of a reading and gives the measurement that refers to it. */
export async function measured({ ports }: Drafting, { raw, ...reading }: Reading): Promise<Measurement> {
  return { ...reading, raw: await ports.store.putBlob(`${JSON.stringify(raw, null, 2)}\n`) };
}

export type Drafted = Extract<Event, { type: 'drafted' }>;

/** The event that ends a draft; `facts` are what later decisions need. */
export function draftedEvent(
  drafting: Drafting,
  outcome: { readonly documents: Document[]; readonly measurements: Measurement[]; readonly defects: Defect[] },
  facts: Partial<Drafted> = {},
): Drafted {
  return { type: 'drafted', ...stamp(drafting), ...outcome, ...facts, calls: [...drafting.calls] };
}

/** When it happened, and in which entry. */
export function stamp({ loop, ports }: Drafting): { readonly at: string; readonly entry: number } {
  return { at: ports.clock.now().toISOString(), entry: loop.entry };
}
