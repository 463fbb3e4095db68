/** What people do on GitHub, one function per kind of act: each changes the simulated GitHub and sends its webhooks. */
import type { ReviewComment } from '../../../src/github/github-port.ts';
import type { StartedLoop } from '../../../src/loop/stages.ts';
import { type Comment, type Hub, type Issue, nextNumber, type Person, type Pull, pullOfBranch } from '../github/hub.ts';
import { sendCheckRun, sendComment, sendIssue, sendPull, sendReview } from '../github/payloads.ts';
import { deleteBranch, pushFiles } from '../github/pushes.ts';
import { lineOf } from './lines.ts';

/** A line that a person pushed, to be looked for in everything that comes after. */
export interface PushedLine {
  readonly line: string;
  readonly path: string;
  readonly sha: string;
}

export interface Crowd {
  readonly hub: Hub;
  readonly people: { readonly maria: Person; readonly otto: Person; readonly rita: Person; readonly stranger: Person };
  readonly said: Comment[];
  /** Approvals as people gave them, whatever the App made of them. */
  readonly approvals: { readonly by: string; readonly atMs: number }[];
  readonly pushed: PushedLine[];
  serial: number;
}

export function createPeople(): Crowd['people'] {
  return {
    maria: { id: 11, login: 'maria', type: 'User', role: 'admin' },
    otto: { id: 12, login: 'otto', type: 'User', role: 'write' },
    rita: { id: 13, login: 'rita', type: 'User', role: 'read' },
    stranger: { id: 14, login: 'stranger', type: 'User', role: 'none' },
  };
}

export function openIssue({ hub, people }: Crowd, title: string, author: Person | undefined = people.maria): Issue {
  const number = nextNumber(hub);
  const body = hub.random.chance(0.2) ? '' : 'People want to see open items only.';
  const issue: Issue = { number, title, body, author, labels: new Set(), state: 'open' };
  hub.issues.set(number, issue);
  return issue;
}

export function label({ hub }: Crowd, issue: Issue, by: Person): void {
  if (issue.labels.has('loop')) return;
  issue.labels.add('loop');
  sendIssue(hub, 'labeled', issue, by, 'loop');
}

export function unlabel({ hub }: Crowd, issue: Issue, by: Person): void {
  if (issue.labels.delete('loop')) sendIssue(hub, 'unlabeled', issue, by, 'loop');
}

export function closeIssue({ hub }: Crowd, issue: Issue, by: Person): void {
  issue.state = 'closed';
  sendIssue(hub, 'closed', issue, by);
}

export function reopenIssue({ hub }: Crowd, issue: Issue, by: Person): void {
  issue.state = 'open';
  sendIssue(hub, 'reopened', issue, by);
}

/** On a deleted issue nobody can say anything. */
export function say(crowd: Crowd, number: number, by: Person, body: string): Comment | undefined {
  const { hub, people } = crowd;
  if (!hub.issues.has(number) && !hub.pulls.has(number)) return undefined;
  const atMs = hub.scheduler.nowMs();
  const id = hub.nextId();
  const comment = {
    id,
    number,
    by,
    createdMs: atMs,
    body,
    updatedMs: atMs,
    deleted: false,
    reactions: new Set<string>(),
  };
  hub.comments.set(id, comment);
  crowd.said.push(comment);
  if (body.startsWith('/approve')) crowd.approvals.push({ by: by.login, atMs });
  hub.note(`@${by.login} says on #${number}: ${body}`);
  sendComment(hub, comment, hub.pulls.has(number) ? { id: 900, login: 'loopwright[bot]', type: 'Bot' } : people.maria);
  return comment;
}

export interface Review {
  readonly state: 'approved' | 'changes_requested' | 'commented';
  readonly body: string;
  readonly comments?: readonly ReviewComment[];
}

export function review({ hub }: Crowd, pull: Pull, by: Person, { state, body, comments = [] }: Review): void {
  const id = hub.nextId();
  hub.reviewComments.set(id, comments);
  hub.note(`@${by.login} reviews #${pull.number}: ${state}, ${comments.length} comments`);
  sendReview(hub, pull, by, { id, state, body });
}

/** Presses a button of our check run `loopwright / plan`, where there is one. */
export function press({ hub, approvals }: Crowd, pull: Pull, by: Person, identifier: 'approve' | 'rerun'): void {
  const check = [...hub.checks.values()].findLast(
    (one) => one.own && one.sha === pull.headSha && one.name === 'loopwright / plan',
  );
  if (check === undefined) return;
  hub.note(`@${by.login} presses ${identifier} on #${pull.number}`);
  if (identifier === 'approve') approvals.push({ by: by.login, atMs: hub.scheduler.nowMs() });
  sendCheckRun(hub, 'requested_action', check, by, identifier);
}

/** Writes one line into a file of a branch, in place of its setting, at its end, or as a new file. */
export function pushLine(crowd: Crowd, branch: string, by: Person, path: string, place: 'setting' | 'end'): void {
  const { hub, pushed } = crowd;
  const head = hub.refs.get(`refs/heads/${branch}`);
  if (head === undefined) return;
  crowd.serial += 1;
  const { files } = hub.commits.get(head);
  const lines = (files.get(path) ?? '').split('\n');
  const setting = lines.findIndex((text) => text.startsWith('export const limit'));
  const line =
    place === 'setting' && setting >= 0
      ? `export const limit = ${crowd.serial}; ${lineOf(by.login, crowd.serial)}`
      : lineOf(by.login, crowd.serial);
  if (place === 'setting' && setting >= 0) lines[setting] = line;
  else lines.splice(Math.max(0, lines.length - 1), 0, line);
  const sha = pushFiles(hub, branch, {
    files: new Map([...files, [path, lines.join('\n')]]),
    by,
    message: `Change ${path}`,
  });
  hub.note(`@${by.login} pushes ${line} to ${path} on ${branch}`);
  if (sha !== undefined) pushed.push({ line, path, sha });
}

export function mergeBase({ hub }: Crowd, branch: string, by: Person): void {
  const [head, base] = [hub.refs.get(`refs/heads/${branch}`), hub.refs.get('refs/heads/main')];
  if (head === undefined || base === undefined || hub.commits.isAncestor(base, head)) return;
  const merged = hub.commits.merge(head, base);
  if ('conflicts' in merged) return;
  hub.note(`@${by.login} merges main into ${branch}`);
  pushFiles(hub, branch, { files: merged.files, by, message: 'Merge main', merged: base });
}

export function changeConfig({ hub, people }: Crowd): void {
  const head = hub.refs.get('refs/heads/main');
  if (head === undefined) return;
  const { files } = hub.commits.get(head);
  const config = `${files.get('.github/loopwright.yml') ?? ''}# ${hub.scheduler.nowMs()}\n`;
  pushFiles(hub, 'main', {
    files: new Map([...files, ['.github/loopwright.yml', config]]),
    by: people.maria,
    message: 'Change the configuration',
  });
}

export function closePull({ hub }: Crowd, pull: Pull, by: Person): void {
  pull.state = 'closed';
  sendPull(hub, 'closed', pull, by);
}

/** A person merges, which the App never does. */
export function mergePull({ hub }: Crowd, pull: Pull, by: Person): void {
  const base = hub.refs.get('refs/heads/main');
  const merged = base === undefined ? undefined : hub.commits.merge(pull.headSha, base);
  if (base === undefined || merged === undefined || 'conflicts' in merged) return;
  pull.state = 'closed';
  pull.merged = true;
  pushFiles(hub, 'main', { files: merged.files, by, message: `Merge #${pull.number}`, merged: pull.headSha });
  sendPull(hub, 'closed', pull, by);
}

export function removeBranch({ hub }: Crowd, loop: StartedLoop, by: Person): void {
  if (hub.refs.has(`refs/heads/${loop.started.branch}`)) deleteBranch(hub, loop.started.branch, by);
}

export function pullOf({ hub }: Crowd, loop: StartedLoop): Pull | undefined {
  return pullOfBranch(hub, loop.started.branch);
}
