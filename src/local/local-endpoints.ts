/** What the embedded GitHub says about itself under `/_local`; GitHub has nothing of this. */

import type { Host } from './host.ts';

/** Problems that the contract check found; empty means that both sides kept to GitHub's description. */
export function problemsOf(host: Host): readonly unknown[] {
  return host.state.problems.find({});
}

const REQUESTS_PER_ANSWER = 500;

/** The request log after an id, oldest first. */
export function requestsAfter(host: Host, id: number): readonly unknown[] {
  return host.state.requests.after(id, REQUESTS_PER_ANSWER);
}

/** The people named at start, with their tokens: local only, so that somebody can choose who they are. */
export function usersOf(host: Host): readonly unknown[] {
  const repositories = host.state.repositories.find({}).map(({ owner, name }) => `${owner}/${name}`);
  return host.state.accounts
    .find({})
    .filter(({ token }) => token !== undefined)
    .map(({ login, role, token }) => ({ login, role, repositories, token }));
}

/** Earlier versions of a comment, oldest first. */
export function commentEditsOf(host: Host, commentId: number): readonly unknown[] {
  return host.state.commentEdits.find({ commentId });
}
