/** Changes of issues and pull requests that both share: labels, title, body, state; each with its webhook. */
import type { Fields } from '../../referee/json.ts';
import { startPullRuns } from '../actions/workflow-triggers.ts';
import { now } from '../clock.ts';
import type { Host } from '../host.ts';
import { found, HttpError } from '../http-error.ts';
import type { Issue, Pull, Repository } from '../records.ts';
import { emit } from '../webhooks/events.ts';
import { issuePayload, labelPayload, labelPayloads } from './payloads.ts';
import { pullFactsOf, pullPayload } from './pull-payloads.ts';

export interface IssueChange {
  readonly host: Host;
  readonly repository: Repository;
  readonly issue: Issue;
  /** Who does it. */
  readonly sender: string;
}

/** Adds labels; one that the repository does not know is made, as GitHub does. */
export async function addLabels(change: IssueChange, names: readonly string[]): Promise<Issue> {
  let { issue } = change;
  for (const name of names) {
    const known = knownLabelName({ ...change, issue }, name);
    if (issue.labels.includes(known)) continue;
    issue = await changeIssue(
      { ...change, issue },
      { action: 'labeled', label: known, values: ({ labels }) => ({ labels: [...new Set([...labels, known])] }) },
    );
  }
  return issue;
}

/** Removes one label. @throws HttpError 404 when the issue does not have it */
export async function removeLabel(change: IssueChange, name: string): Promise<Issue> {
  const known = change.issue.labels.find((label) => label.toLowerCase() === name.toLowerCase());
  if (known === undefined) throw new HttpError(404, 'Label does not exist');
  return changeIssue(change, {
    action: 'unlabeled',
    label: known,
    values: ({ labels }) => ({ labels: labels.filter((label) => label !== known) }),
  });
}

/** Takes away the labels that are not wanted, and adds those that are missing. */
export async function replaceLabels(change: IssueChange, wanted: readonly string[]): Promise<Issue> {
  let { issue } = change;
  for (const name of change.issue.labels.filter((label) => !wanted.includes(label))) {
    issue = await removeLabel({ ...change, issue }, name);
  }
  return addLabels({ ...change, issue }, wanted);
}

/** Opens or closes; nothing happens when it is so already. */
export async function setState(
  change: IssueChange,
  state: 'open' | 'closed',
  reason?: Issue['stateReason'],
): Promise<Issue> {
  if (change.issue.state === state) return change.issue;
  const closed = state === 'closed';
  return changeIssue(change, {
    action: closed ? 'closed' : 'reopened',
    values: () => ({
      state,
      stateReason: closed ? (reason ?? 'completed') : 'reopened',
      closedAt: closed ? now(change.host) : undefined,
      closedBy: closed ? change.sender : undefined,
    }),
  });
}

/** Changes title or body; the webhook tells what was there before. */
export async function editText(
  change: IssueChange,
  { title, body }: { readonly title: string | undefined; readonly body: string | undefined },
): Promise<Issue> {
  const { issue } = change;
  const changes = {
    ...(title !== undefined && title !== issue.title ? { title: { from: issue.title } } : {}),
    ...(body !== undefined && body !== issue.body ? { body: { from: issue.body ?? '' } } : {}),
  };
  if (Object.keys(changes).length === 0) return issue;
  return changeIssue(change, {
    action: 'edited',
    fields: { changes },
    values: (current) => ({ title: title ?? current.title, body: body ?? current.body }),
  });
}

/** Tells that a pull request is to be merged into another branch by now. */
export async function tellRetargeted(
  change: IssueChange,
  { base, baseSha }: Pick<Pull, 'base' | 'baseSha'>,
): Promise<Issue> {
  const changes = { base: { ref: { from: base }, sha: { from: baseSha } } };
  return changeIssue(change, { action: 'edited', fields: { changes }, values: () => ({}) });
}

interface Step {
  readonly action: string;
  /** From the issue as it is in the transaction, which may be newer than the caller's. */
  readonly values: (current: Issue) => Partial<Issue>;
  readonly label?: string;
  readonly fields?: Fields;
}

async function changeIssue(change: IssueChange, { action, values, label, fields = {} }: Step): Promise<Issue> {
  const { host, repository, issue, sender } = change;
  const { repositoryId, number } = issue;
  const pull = host.state.pulls.first({ repositoryId, number });
  const facts = pull && (await pullFactsOf(host, repository, pull));
  const { changed, payload } = host.state.transaction(() => {
    const current = found(host.state.issues.get(issue.id));
    const changed = host.state.issues.update(issue.id, { ...values(current), updatedAt: now(host) });
    host.state.issueEvents.insert({ repositoryId, number, actor: sender, event: action, label, createdAt: now(host) });
    const labelField = label === undefined ? {} : { label: labelPayloads(host, repository, [label])[0] };
    const subject = pull
      ? { event: 'pull_request', fields: { number, pull_request: pullPayload(host, repository, pull, facts) } }
      : { event: 'issues', fields: { issue: issuePayload(host, repository, changed) } };
    const all = { ...subject.fields, ...labelField, ...fields };
    return { changed, payload: emit(host, { event: subject.event, action, repository, sender, fields: all }) };
  });
  if (pull) await startPullRuns(host, { repository, actor: sender, pull, title: changed.title, action, payload });
  return changed;
}

function knownLabelName({ host, repository, sender }: IssueChange, name: string): string {
  const labels = host.state.labels.find({ repositoryId: repository.id });
  const known = labels.find((label) => label.name.toLowerCase() === name.toLowerCase());
  return (
    known?.name ??
    createLabel({ host, repository, sender, label: { name, color: 'ededed', description: undefined } }).name
  );
}

export interface NewLabel {
  readonly host: Host;
  readonly repository: Repository;
  readonly sender: string;
  readonly label: { readonly name: string; readonly color: string; readonly description: string | undefined };
}

/** Makes a label, with its webhook. */
export function createLabel({ host, repository, sender, label }: NewLabel) {
  return host.state.transaction(() => {
    const made = host.state.labels.insert({ repositoryId: repository.id, ...label });
    emit(host, {
      event: 'label',
      action: 'created',
      repository,
      sender,
      fields: { label: labelPayload(host, repository, made) },
    });
    return made;
  });
}
