/** Issues that were deleted or moved to another repository: https://docs.github.com/rest/issues/issues#get-an-issue */
import { now } from '../clock.ts';
import { apiUrlOf, type Host } from '../host.ts';
import { HttpError, notFound } from '../http-error.ts';
import type { Issue, Repository } from '../records.ts';
import { takeNumber } from '../repository-records.ts';
import { emit } from '../webhooks/events.ts';
import type { IssueChange } from './issue-changes.ts';
import { issuePayload, repositoryPayload } from './payloads.ts';

export interface MissingIssue {
  readonly repositoryId: number;
  readonly number: number;
  /** What of the path comes after the number. */
  readonly below: string;
}

/** GitHub's answer to a number that is no issue, or no longer one. */
export function issueIsMissing(host: Host, { repositoryId, number, below }: MissingIssue): HttpError {
  const gone = host.state.goneIssues.first({ repositoryId, number });
  if (!gone) return notFound();
  if (gone.toRepositoryId === undefined) return new HttpError(410, 'This issue was deleted');
  const location = `${apiUrlOf(host)}/repositories/${gone.toRepositoryId}/issues/${gone.toNumber}${below}`;
  // Other than for a renamed repository, writes get this status too.
  return new HttpError(301, 'Moved Permanently', [], location);
}

/** Deletes an issue with all that was said on it. */
export function deleteIssue({ host, repository, issue, sender }: IssueChange): void {
  const { state } = host;
  state.transaction(() => {
    const fields = { issue: issuePayload(host, repository, issue) };
    emit(host, { event: 'issues', action: 'deleted', repository, sender, fields });
    for (const { id } of commentsOn(host, issue)) state.comments.remove(id);
    state.issues.remove(issue.id);
    state.goneIssues.insert({ repositoryId: repository.id, number: issue.number });
  });
}

/** Moves an issue with its comments; its labels stay behind where the other repository does not have them. */
export function transferIssue({ host, repository, issue, sender }: IssueChange, to: Repository): Issue {
  const { state } = host;
  return state.transaction(() => {
    const { id: _, ...copied } = issue;
    const number = takeNumber(host, to);
    const labels = issue.labels.filter((name) => state.labels.first({ repositoryId: to.id, name }));
    const arrived = state.issues.insert({ ...copied, repositoryId: to.id, number, labels, updatedAt: now(host) });
    const changes = { new_issue: issuePayload(host, to, arrived), new_repository: repositoryPayload(host, to) };
    const fields = { issue: issuePayload(host, repository, issue), changes };
    emit(host, { event: 'issues', action: 'transferred', repository, sender, fields });
    for (const { id } of commentsOn(host, issue)) state.comments.update(id, { repositoryId: to.id, number });
    state.issues.remove(issue.id);
    const left = { repositoryId: repository.id, number: issue.number };
    state.goneIssues.insert({ ...left, toRepositoryId: to.id, toNumber: number });
    return arrived;
  });
}

function commentsOn({ state }: Host, { repositoryId, number }: Issue) {
  return state.comments.find({ repositoryId, number });
}
