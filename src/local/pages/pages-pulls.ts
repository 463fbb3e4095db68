/** The pull request pages: list, and one pull request with the tabs conversation, commits, checks and files changed. */
import type { Hono } from 'hono';
import { html } from 'hono/html';
import { MARK_READY_FOR_REVIEW } from '../../referee/graphql.ts';
import { PageError } from './pages-api.ts';
import { checkActions, checkCards, readChecks } from './pages-checks.ts';
import { commitRows } from './pages-code.ts';
import { readConversation, talkActions } from './pages-conversation.ts';
import { diffFiles } from './pages-diff.ts';
import { showPage } from './pages-frame.ts';
import { issueRow, stateFilter } from './pages-issues.ts';
import { labelActions } from './pages-labels.ts';
import { addNewPullPage } from './pages-new-pull.ts';
import { conversationTab, pullBadge, pullHead } from './pages-pull-parts.ts';
import { reviewForm, sendReview } from './pages-review.ts';
import { changedFile, commit, label, type Pull, pull, queueState, review, reviewComment } from './pages-schemas.ts';
import {
  type Action,
  type Attempt,
  acting,
  numberOf,
  type PageContext,
  type PageEnvironment,
  type Place,
  placeOf,
  reading,
} from './pages-visit.ts';

/** Adds `/pulls` and `/pull/{n}` with its tabs. */
export function addPullPages(site: Hono<PageEnvironment>): void {
  addNewPullPage(site);
  const base = '/:owner/:repo/pull/:number{[0-9]+}';
  site.get('/:owner/:repo/pulls', reading(showPulls));
  site.get(base, reading(showConversation));
  site.post(base, acting(showConversation, { ...talkActions, ...labelActions, ready: markReady, merge, queue }));
  site.get(`${base}/commits`, reading(showCommits));
  site.get(`${base}/checks`, reading(showChecks));
  site.post(`${base}/checks`, acting(showChecks, checkActions));
  site.get(`${base}/files`, reading(showFiles));
  site.post(`${base}/files`, acting(showFiles, { review: sendReview }));
}

/** Leaving draft is the one thing that GitHub offers by GraphQL only. */
const markReady: Action = async ({ api }, place, _form, number) => {
  const { node_id: pullRequestId } = await api.get(`${place.route}/pulls/${number}`, pull);
  const body = { query: MARK_READY_FOR_REVIEW, variables: { pullRequestId } };
  const answer = await api.send({ method: 'POST', path: '/api/graphql', body });
  const refusal = graphqlRefusal(answer);
  if (refusal) throw new PageError(`${refusal} (markPullRequestReadyForReview).`, 422);
  return undefined;
};

/** GraphQL refuses with status 200. */
function graphqlRefusal(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return 'The server gave no answer';
  if (!('errors' in answer) || !Array.isArray(answer.errors)) return undefined;
  const messages = answer.errors.map((error: unknown) =>
    typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : 'unknown error',
  );
  return messages.join('; ').replace(/\.$/, '');
}

const merge: Action = async ({ api }, place, { sha = '' }, number) => {
  // With the sha that the person saw: a head that moved in between is refused, not merged unseen.
  await api.send({ method: 'PUT', path: `${place.route}/pulls/${number}/merge`, body: { merge_method: 'merge', sha } });
  return undefined;
};

/** GitHub has a button for it and no REST. */
const queue: Action = async ({ api }, place, _form, number) => {
  await api.send({ method: 'POST', path: `/_local/${place.route}/pulls/${number}/queue` });
  return undefined;
};

async function showPulls(context: PageContext): Promise<Response> {
  const place = placeOf(context);
  const state = context.req.query('state') === 'closed' ? 'closed' : 'open';
  const pulls = await context.var.visit.api.list(`${place.route}/pulls?state=${state}`, pull);
  const body = html`<div class="page-head"><h1>Pull requests</h1><a class="button primary" href="${place.link}/pulls/new">New pull request</a></div>
${stateFilter(`${place.link}/pulls`, state)}
<ul class="panel rows">${pulls.map((item) => issueRow({ ...item, state_reason: undefined }, `${place.link}/pull/${item.number}`, pullBadge(item)))}${pulls.length === 0 ? html`<li class="quiet">No ${state} pull requests.</li>` : ''}</ul>`;
  return showPage(context, { title: `Pull requests · ${place.fullName}`, place, section: 'pulls', body });
}

type Opened = { place: Place; item: Pull; route: string };

async function openPull(context: PageContext): Promise<Opened> {
  const place = placeOf(context);
  const route = `${place.route}/pulls/${numberOf(context)}`;
  const item = await context.var.visit.api.find(route, pull);
  if (!item) throw new PageError(`There is no pull request #${numberOf(context)} in ${place.fullName}.`, 404);
  return { place, item, route };
}

function titleOf({ item, place }: Opened, tab: string): { title: string; place: Place; section: 'pulls' } {
  return { title: `${tab} · ${item.title} · #${item.number}`, place, section: 'pulls' };
}

async function showConversation(context: PageContext, attempt: Attempt): Promise<Response> {
  const opened = await openPull(context);
  const { place, item, route } = opened;
  const { api } = context.var.visit;
  const [talk, reviews, remarks, checks, labels, queued] = await Promise.all([
    readConversation(api, place, item.number),
    api.list(`${route}/reviews`, review),
    api.list(`${route}/comments`, reviewComment),
    readChecks(api, place, item.head.sha),
    api.list(`${place.route}/labels`, label),
    api.find(`/_local/${route}/queue`, queueState),
  ]);
  const body = html`${pullHead(place, item, 'conversation')}${conversationTab({ place, item, talk, reviews, remarks, checks, labels, attempt, queued })}`;
  return showPage(context, { ...titleOf(opened, 'Conversation'), body, attempt });
}

async function showCommits(context: PageContext): Promise<Response> {
  const opened = await openPull(context);
  const commits = await context.var.visit.api.list(`${opened.route}/commits`, commit);
  const body = html`${pullHead(opened.place, opened.item, 'commits')}${commitRows(commits, opened.place)}`;
  return showPage(context, { ...titleOf(opened, 'Commits'), body });
}

async function showChecks(context: PageContext, attempt: Attempt): Promise<Response> {
  const opened = await openPull(context);
  const { place, item } = opened;
  const checks = await readChecks(context.var.visit.api, place, item.head.sha);
  const body = html`${pullHead(place, item, 'checks')}${checkCards(checks, place)}`;
  return showPage(context, { ...titleOf(opened, 'Checks'), body, attempt });
}

async function showFiles(context: PageContext, attempt: Attempt): Promise<Response> {
  const opened = await openPull(context);
  const { place, item, route } = opened;
  const files = await context.var.visit.api.list(`${route}/files`, changedFile);
  const isReviewed = item.state === 'open';
  const body = html`${pullHead(place, item, 'files')}${isReviewed ? reviewForm(attempt) : ''}${diffFiles(files, isReviewed ? attempt.typed : undefined)}`;
  return showPage(context, { ...titleOf(opened, 'Files changed'), body, attempt });
}
