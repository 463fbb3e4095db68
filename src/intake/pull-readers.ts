/** What happens to the pull request of a loop: it is closed, merged, reviewed. */
import { z } from 'zod';
import { visibleText } from '../guard/incoming.ts';
import type { EventOf } from '../loop/event.ts';
import { reaches } from '../loop/people/commands.ts';
import { isPerson, type LoopRef } from '../loop/terms.ts';
import type { Ports } from '../ports.ts';
import { asNewer, newerThan, ofPull, pullStateOf } from './loop-lookup.ts';
import type { PayloadOf } from './payloads.ts';
import { placeOf } from './place.ts';
import { afterAMoment, ofStored, type Readers, roleOf, saying } from './reader.ts';

/** Other states, as of a review that is still being written, say nothing. */
const verdict = z.enum(['approved', 'changes_requested', 'commented']);

export const pullReaders: Readers<'pull_request.closed' | 'pull_request_review.submitted'> = {
  async 'pull_request.closed'(payload, taking) {
    const { at, ports } = taking;
    const { pull_request, sender } = payload;
    return ofStored(await loopOf(payload, ports), placeOf(payload, ports), async (ref) => {
      const { number } = pull_request;
      if ((await ports.github.pull(ref, number)).state === 'open') {
        afterAMoment(`GitHub says that the pull request #${number} is open`, taking);
        return undefined;
      }
      const how = pull_request.merged ? 'pull request merged' : 'pull request closed';
      return { type: 'ended', at, by: sender, how };
    });
  },
  async 'pull_request_review.submitted'(payload, { at, ports }) {
    const { review, sender } = payload;
    const state = verdict.safeParse(review.state);
    if (!state.success || !isPerson(sender)) return [];
    const meanings = await ofStored(await loopOf(payload, ports), placeOf(payload, ports), async (ref, loop) => {
      const role = await roleOf(ref, sender, ports);
      const isWeighty = state.data === 'changes_requested' && reaches(role, 'write');
      return {
        type: 'reviewed',
        at,
        by: sender,
        role,
        state: state.data,
        body: visibleText(review.body ?? '').text,
        submittedAt: review.submitted_at,
        ...(isWeighty ? await placedIn(ref, payload, ports) : {}),
        ...(isWeighty ? await pullStateOf(ref, loop, ports) : {}),
        ...asNewer(await newerThan(loop, ports.store)),
      };
    });
    return saying(review.id === undefined ? undefined : `review/${review.id}`, meanings);
  },
};

/** So much of one comment is kept that it shows when it is too long; the loop says so. */
const KEPT = 5000;

/** What the review says line by line: its webhook does not tell. */
async function placedIn(
  ref: LoopRef,
  { review, pull_request }: PayloadOf<'pull_request_review.submitted'>,
  { github }: Ports,
): Promise<Pick<EventOf<'reviewed'>, 'comments'>> {
  if (review.id === undefined) return {};
  const found = await github.reviewComments(ref, pull_request.number, review.id);
  const comments = found.map(({ file, line, body }) => {
    const shown = visibleText(body).text.slice(0, KEPT).toWellFormed();
    return { file, ...(line === undefined ? {} : { line }), body: shown };
  });
  return comments.length === 0 ? {} : { comments };
}

function loopOf(
  { repository, pull_request: { number, head } }: PayloadOf<'pull_request.closed' | 'pull_request_review.submitted'>,
  { store }: Ports,
): ReturnType<typeof ofPull> {
  const branchOf = async () => (head.repo?.id === repository.id ? head.ref : undefined);
  return ofPull(repository.id, { number, branchOf }, store);
}
