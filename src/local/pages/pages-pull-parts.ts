/** The parts of one pull request's pages: head with tabs, conversation with the merge box. */
import { html } from 'hono/html';
import { type Checks, checkSummary } from './pages-checks.ts';
import { commentBox, conversation, type Talk } from './pages-conversation.ts';
import type { Html } from './pages-frame.ts';
import { labelEditor } from './pages-labels.ts';
import { buttonForm, moment, personName, stateIcon } from './pages-parts.ts';
import type { Label, Pull, QueueState, Review, ReviewComment } from './pages-schemas.ts';
import type { Attempt, Place } from './pages-visit.ts';

type PullState = 'Draft' | 'Open' | 'Merged' | 'Closed';

function stateOfPull(item: Pull): PullState {
  if (item.merged || item.merged_at) return 'Merged';
  if (item.state === 'closed') return 'Closed';
  return item.draft ? 'Draft' : 'Open';
}

/** Draft, Open, Merged or Closed. */
export function pullBadge(item: Pull): Html {
  const state = stateOfPull(item);
  return html`<span class="badge ${state.toLowerCase()}">${state}</span>`;
}

const TABS = [
  { tab: 'conversation', title: 'Conversation', path: '' },
  { tab: 'commits', title: 'Commits', path: '/commits' },
  { tab: 'checks', title: 'Checks', path: '/checks' },
  { tab: 'files', title: 'Files changed', path: '/files' },
] as const;

/** Title, state, branches and tabs: the same on all four pages. */
export function pullHead(place: Place, item: Pull, current: (typeof TABS)[number]['tab']): Html {
  const link = `${place.link}/pull/${item.number}`;
  return html`<div class="page-head"><h1>${item.title} <span class="number">#${item.number}</span></h1></div>
<p class="lead">${pullBadge(item)} ${personName(item.user)} wants to merge <span class="branch">${item.head.ref}</span> into <span class="branch">${item.base.ref}</span></p>
<nav class="tabs inner" aria-label="Pull request">${TABS.map(
    ({ tab, title, path }) => html`<a href="${link}${path}" ${tab === current ? 'aria-current=page' : ''}>${title}</a>`,
  )}</nav>`;
}

export type ConversationTab = {
  readonly place: Place;
  readonly item: Pull;
  readonly talk: Talk;
  readonly reviews: readonly Review[];
  readonly remarks: readonly ReviewComment[];
  readonly checks: Checks;
  readonly labels: readonly Label[];
  readonly attempt: Attempt;
  /** Undefined where the server tells nothing of queues. */
  readonly queued: QueueState | undefined;
};

/** Description, comments and reviews; below them the checks and what may happen to the pull request now. */
export function conversationTab(tab: ConversationTab): Html {
  const { place, item, talk, reviews, remarks, checks, labels, attempt, queued } = tab;
  const isMerged = stateOfPull(item) === 'Merged';
  return html`<div class="columns"><div>
${conversation({ place, opening: item, reviews, remarks, ...talk })}
<section class="panel merge-box" aria-label="Checks and merging">${checkSummary(checks, `${place.link}/pull/${item.number}/checks`)}${mergeBox(item, queued)}</section>
${isMerged ? '' : commentBox({ state: item.state, thing: 'pull request', attempt })}
</div><aside>${verdicts(reviews)}${labelEditor(item.labels, labels, attempt)}</aside></div>`;
}

type Row = (state: string, title: string, text: Html | string, button?: Html | string) => Html;

function mergeBox(item: Pull, queued: QueueState | undefined): Html {
  const row: Row = (state, title, text, button = '') =>
    html`<div class="merge-row">${stateIcon(state)}<div class="grow"><b>${title}</b><div class="quiet">${text}</div></div>${button}</div>`;
  const state = stateOfPull(item);
  if (state === 'Merged') return row('success', 'Merged', html`Merged ${moment(item.merged_at)}.`);
  if (state === 'Closed') return row('cancelled', 'Closed', 'Closed without merging.');
  if (state === 'Draft') {
    const ready = buttonForm({ fields: { action: 'ready' }, label: 'Ready for review' });
    return row('queued', 'This pull request is still a draft', 'Drafts cannot be merged.', ready);
  }
  if (item.mergeable !== true) return row('failure', 'Merging is not possible', refusalOf(item));
  if (item.mergeable_state === 'blocked')
    return row('failure', 'Merging is blocked', 'A check that the rules of the branch require has not passed.');
  if (queued?.isIn === true)
    return row('queued', 'In the merge queue', 'It is merged when the checks of its merge group have passed.');
  return mergeable(item, { row, isQueued: queued?.isRequired === true });
}

function mergeable(item: Pull, { row, isQueued }: { readonly row: Row; readonly isQueued: boolean }): Html {
  const button = buttonForm({
    fields: { action: isQueued ? 'queue' : 'merge', sha: item.head.sha },
    label: isQueued ? 'Add to merge queue' : 'Merge pull request',
    tone: 'primary',
  });
  return row(
    'success',
    'Ready to merge',
    html`Without conflicts with <span class="branch">${item.base.ref}</span>.`,
    button,
  );
}

/** Unknown is not mergeable. */
function refusalOf(item: Pull): string {
  if (item.mergeable === false)
    return `GitHub says: ${item.mergeable_state ?? 'not mergeable'} (conflicts with ${item.base.ref} must be resolved first).`;
  return 'GitHub has not found out yet whether this can be merged.';
}

function verdicts(reviews: readonly Review[]): Html {
  const latest = new Map(
    reviews.filter(({ state }) => state !== 'COMMENTED').map((item) => [item.user.login, item.state]),
  );
  return html`<section aria-label="Reviews"><h2>Reviews</h2>${latest.size === 0 ? html`<p class="quiet">None yet</p>` : ''}<ul class="plain">${[
    ...latest,
  ].map(
    ([login, state]) =>
      html`<li>${stateIcon(state.toLowerCase())} ${login} <span class="quiet">${state.toLowerCase().replaceAll('_', ' ')}</span></li>`,
  )}</ul></section>`;
}
