/** What people see of a loop: the sticky comment, the pull request's text, four check runs, longer answers. */

import { storedVerifyReport } from '../documents/verify-report.ts';
import type { Effect } from '../loop/effect.ts';
import type { Event } from '../loop/event.ts';
import type { Loop } from '../loop/loop.ts';
import type { Ports } from '../ports.ts';
import { issueBoard, pullBody, pullTitle } from '../render/board.ts';
import { checksOf } from '../render/checks.ts';
import { helpText } from '../render/help.ts';
import { problemReport } from '../render/problem.ts';
import { questionsComment } from '../render/questions.ts';
import { statusText } from '../render/status.ts';

/** Brings everything that shows the loop's state to its newest state; what is right already is not written again. */
export async function show(loop: Loop, { github, store, modelFacts }: Ports): Promise<undefined> {
  await github.comment(loop.ref, loop.ref.issue, { marker: `board/${loop.ref.n}`, body: issueBoard(loop, modelFacts) });
  if (loop.pull === undefined) return undefined;
  const report = await storedVerifyReport(loop, store);
  const text = { title: pullTitle(loop), body: pullBody(loop, modelFacts, report) };
  const { headSha } = await github.updatePull(loop.ref, loop.pull, text);
  await github.checks(loop.ref, checksOf(loop, { ...modelFacts, headSha, report }));
  return undefined;
}

/** Posts the questions of one interview round; they mention who wrote the issue. */
export async function ask(
  effect: Extract<Effect, { type: 'ask' }>,
  loop: Loop,
  { github }: Ports,
): Promise<Event | undefined> {
  await github.comment(loop.ref, loop.ref.issue, {
    marker: `ask/${loop.ref.n}/${effect.interview}`,
    body: questionsComment(loop),
    ...mentioning(loop.issue?.author),
  });
  return undefined;
}

const TEXTS = { status: statusText, help: () => helpText(), problem: problemReport } as const;

/** Says a longer text where the conversation is. */
export async function tell(
  effect: Extract<Effect, { type: 'tell' }>,
  loop: Loop,
  { github }: Ports,
): Promise<Event | undefined> {
  await github.comment(loop.ref, loop.pull ?? loop.ref.issue, {
    marker: `${loop.ref.n}/${effect.key}`,
    body: TEXTS[effect.what](loop),
    ...mentioning(loop.startedBy),
  });
  return undefined;
}

/** Whom a text may notify; nobody when that is not known. */
export function mentioning(person: { readonly login: string } | undefined): { readonly mention?: readonly string[] } {
  return person === undefined ? {} : { mention: [person.login] };
}
