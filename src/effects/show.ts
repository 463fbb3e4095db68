/** What people see of a loop: the sticky comment, the pull request's text, four check runs. */
import { storedRemarks } from '../documents/review-remarks.ts';
import { storedUnplanned } from '../documents/unplanned-files.ts';
import { storedVerifyReport } from '../documents/verify-report.ts';
import { GoneError, WithheldError, WriteRefusedError } from '../errors.ts';
import type { EffectOf } from '../loop/effect.ts';
import type { Loop } from '../loop/loop.ts';
import { NOTHING_SHOWN, type Shown } from '../loop/shown.ts';
import { isReviewed, type ReviewedLoop } from '../loop/stages.ts';
import { idOf } from '../loop/terms.ts';
import type { Ports } from '../ports.ts';
import { issueBoard, pullBody, pullTitle } from '../render/board.ts';
import { checksOf } from '../render/checks.ts';

/**
 * Brings everything that shows the loop's state to its newest state; what is right already is not written again. Where GitHub refuses one place for good
 * (a locked issue, a deleted comment), the others are brought up to date all the same. @throws what was refused first, or what the App may not, after all of them.
 */
export async function show(_effect: EffectOf<'show'>, loop: Loop, ports: Ports): Promise<undefined> {
  const { github, modelFacts, store } = ports;
  const refusals: Error[] = [];
  // Forgotten before anything is sent: after a process that died, or a failure, it is looked for anew.
  const id = idOf(loop.ref);
  const taken = await store.takeShown(id);
  const isNew = taken === undefined && (await store.begins(id, 'show'));
  const before = isNew ? NOTHING_SHOWN : taken;
  const text = { marker: `board/${loop.ref.n}`, body: issueBoard(loop, modelFacts), isNew };
  const board = await unlessRefused(refusals, () => github.showComment(loop.ref, loop.ref.issue, text, before?.board));
  const pull = isReviewed(loop) ? await showPull(refusals, { loop, before }, ports) : NOTHING_SHOWN;
  await store.keepShown(id, { ...pull, ...(board && { board }) });
  const first = refusals.find((refusal) => refusal instanceof WithheldError) ?? refusals[0];
  if (first !== undefined) throw first;
}

interface Showing {
  readonly loop: ReviewedLoop;
  /** Undefined where nobody knows. */
  readonly before: Shown | undefined;
}

async function showPull(
  refusals: Error[],
  { loop, before }: Showing,
  { github, store, modelFacts }: Ports,
): Promise<Shown> {
  const { pull, head } = loop.review;
  const report = await storedVerifyReport(loop, store);
  const remarks = await storedRemarks(loop, store);
  const unplanned = await storedUnplanned(loop, store);
  const text = { title: pullTitle(loop), body: pullBody(loop, modelFacts, { report, remarks, unplanned }) };
  const updated = await unlessRefused(refusals, () => github.showPull(loop.ref, pull, text, before?.pull));
  // Where nothing was sent, the head is where webhooks told last.
  const headSha = updated === undefined ? (await github.pull(loop.ref, pull)).headSha : (updated.headSha ?? head);
  const wanted = checksOf(loop, { ...modelFacts, headSha, report });
  const checks = await unlessRefused(refusals, () => github.checks(loop.ref, wanted, before?.checks));
  return { ...(updated && { pull: updated.digest }), checks: checks ?? [] };
}

/** Adds what is refused for good to the refusals; a GitHub that only takes nothing now is asked for nothing more. */
async function unlessRefused<Value>(refusals: Error[], act: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof WriteRefusedError) && !(error instanceof GoneError)) throw error;
    refusals.push(error);
    return undefined;
  }
}
