/** What a webhook is about: what is said of one thing is taken in in its order. */
import type { Store, UnreadDelivery } from '../ports.ts';
import { type Payload, payloadOf } from './payloads.ts';

/** An issue or pull request as `#7`, or a branch or tag by its name; undefined for what no other webhook waits for. Numbers are given once for both. */
export function subjectOf(payload: Payload): string | undefined {
  if ('issue' in payload) return `#${payload.issue.number}`;
  if ('pull_request' in payload) return `#${payload.pull_request.number}`;
  if ('ref' in payload) return payload.ref.replace(/^refs\/(heads|tags)\//, '');
  return undefined;
}

/** A pull request of a loop and its issue are one subject: `/stop` on the one and `/resume` on the other mean something only in their order. */
export function subjectsBy(store: Pick<Store, 'byPull'>): (delivery: UnreadDelivery) => Promise<string | undefined> {
  const issues = new Map<string, Promise<string>>();
  const issueOf = async (repositoryId: number, subject: string): Promise<string> => {
    const found = await store.byPull(repositoryId, Number(subject.slice(1)));
    return found === undefined ? subject : `#${found.loop.ref.issue}`;
  };
  return async ({ name, payload: body, repositoryId }) => {
    const payload = payloadOf(name, body);
    const subject = payload === undefined || 'refusal' in payload ? undefined : subjectOf(payload);
    if (subject === undefined || repositoryId === undefined || !NUMBER.test(subject)) return subject;
    const known = issues.get(subject) ?? issueOf(repositoryId, subject);
    issues.set(subject, known);
    return known;
  };
}

/** A branch may be called `#7` too, and then only shares an order. */
const NUMBER = /^#[0-9]+$/;
