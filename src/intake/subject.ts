/** What a webhook is about: what is said of one thing is taken in in its order. */
import type { Payload } from './payloads.ts';

/** An issue or pull request as `#7`, or a branch or tag by its name; undefined for what no other webhook waits for. Numbers are given once for both. */
export function subjectOf(payload: Payload): string | undefined {
  if ('issue' in payload) return `#${payload.issue.number}`;
  if ('pull_request' in payload) return `#${payload.pull_request.number}`;
  if ('ref' in payload) return payload.ref.replace(/^refs\/(heads|tags)\//, '');
  return undefined;
}
