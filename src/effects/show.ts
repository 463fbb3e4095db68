/** What people see of a loop: the sticky comment, the pull request's text, four check runs. */
import { storedRemarks } from '../documents/review-remarks.ts';
import { storedVerifyReport } from '../documents/verify-report.ts';
import type { EffectOf } from '../loop/effect.ts';
import type { Loop } from '../loop/loop.ts';
import { isReviewed } from '../loop/stages.ts';
import type { Ports } from '../ports.ts';
import { issueBoard, pullBody, pullTitle } from '../render/board.ts';
import { checksOf } from '../render/checks.ts';

/** Brings everything that shows the loop's state to its newest state; what is right already is not written again. */
export async function show(_effect: EffectOf<'show'>, loop: Loop, ports: Ports): Promise<undefined> {
  const { github, store, modelFacts } = ports;
  await github.comment(loop.ref, loop.ref.issue, { marker: `board/${loop.ref.n}`, body: issueBoard(loop, modelFacts) });
  if (!isReviewed(loop)) return;
  const report = await storedVerifyReport(loop, store);
  const remarks = await storedRemarks(loop, store);
  const text = { title: pullTitle(loop), body: pullBody(loop, modelFacts, { report, remarks }) };
  const { headSha } = await github.updatePull(loop.ref, loop.review.pull, text);
  await github.checks(loop.ref, checksOf(loop, { ...modelFacts, headSha, report }));
}
