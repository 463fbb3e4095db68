/** What happens to the pull request of a loop: it is closed, merged, reviewed. */
import { z } from 'zod';
import { isPerson } from '../loop/terms.ts';
import type { Ports } from '../ports.ts';
import { ofPull } from './loop-lookup.ts';
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
    const meanings = await ofStored(await loopOf(payload, ports), placeOf(payload, ports), async (ref) => ({
      type: 'reviewed',
      at,
      by: sender,
      role: await roleOf(ref, sender, ports),
      state: state.data,
      body: review.body ?? '',
      submittedAt: review.submitted_at,
    }));
    return saying(review.id === undefined ? undefined : `review/${review.id}`, meanings);
  },
};

function loopOf(
  { repository, pull_request: { number, head } }: PayloadOf<'pull_request.closed' | 'pull_request_review.submitted'>,
  { store }: Ports,
): ReturnType<typeof ofPull> {
  const branchOf = async () => (head.repo?.id === repository.id ? head.ref : undefined);
  return ofPull(repository.id, { number, branchOf }, store);
}
