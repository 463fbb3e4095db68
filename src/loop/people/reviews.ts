/** What a loop does with a review on its pull request: "Request changes" sends back what is there to be decided on. Pure. */
import type { EventOf } from '../event.ts';
import type { Decision, Loop } from '../loop.ts';
import type { StartedLoop } from '../stages.ts';
import { emit, only } from '../walk.ts';
import { isHandedOver, sendBack } from './handed-over.ts';
import { isOlderThanPacket, maySteer, resumeFirst, say } from './people.ts';
import { type Point, reject, tooMuch } from './rejection.ts';

type Reviewed = EventOf<'reviewed'>;

/** What a review that was not taken is to be done with again. */
const AGAIN = 'request the changes';

export function reviewed(loop: StartedLoop, event: Reviewed): Decision {
  const awaits = loop.waitingFor === 'approval';
  if (awaits && event.state === 'approved' && maySteer(event)) return answered(loop, event, NOT_AN_APPROVAL);
  const points = pointsOf(event);
  const isRejection = event.state === 'changes_requested' && points.length > 0 && maySteer(event);
  if (!isRejection || !(awaits || isHandedOver(loop))) return only(loop);
  const decision = event.newer === undefined ? decided(loop, event, points) : followedSentence(loop, event.newer);
  if (typeof decision === 'string') return answered(loop, event, decision);
  return 'but' in decision ? answered(decision.loop, event, decision.but) : decision;
}

const NOT_AN_APPROVAL =
  'A review "Approve" is not taken here: GitHub would count it for code that does not exist yet. Say `/approve` to approve the packet.';

/** The summary and what was said line by line; each may be there without the other. */
function pointsOf({ body, comments = [] }: Reviewed): readonly Point[] {
  const said = comments.map(({ file, line, body: message }) => ({ message, file, line }));
  return [{ message: body }, ...said].filter(({ message }) => message.trim() !== '');
}

function decided(loop: StartedLoop, event: Reviewed, points: readonly Point[]): ReturnType<typeof sendBack> {
  const { at, by, submittedAt: writtenAt, pull } = event;
  if (isHandedOver(loop)) return sendBack(loop, { at, by, writtenAt, pull, points, again: AGAIN });
  if (isOlderThanPacket(loop, writtenAt))
    return 'The packet changed after that review was written; read the newest one and request the changes again.';
  if (loop.status === 'paused') return resumeFirst(AGAIN);
  return tooMuch(points) ?? reject(loop, event, points);
}

function followedSentence({ ref }: Loop, { pull }: NonNullable<Reviewed['newer']>): string {
  const where = pull === undefined ? `the issue #${ref.issue}` : `its pull request #${pull}`;
  return `A newer loop of #${ref.issue} took its place, so this one does not go on; say on ${where} what should change.`;
}

function answered(loop: Loop, { at }: Reviewed, sentence: string): Decision {
  return emit(only(loop), say(`review/${at}`, 'pull', sentence));
}
