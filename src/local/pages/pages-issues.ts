/** The issue pages: list, new, and one issue with its conversation and labels. */
import type { Hono } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import { PageError } from './pages-api.ts';
import { commentBox, conversation, readConversation, talkActions } from './pages-conversation.ts';
import { type Html, showPage } from './pages-frame.ts';
import { labelActions, labelEditor } from './pages-labels.ts';
import { labelPills, moment, personName } from './pages-parts.ts';
import { type Issue, issue, label } from './pages-schemas.ts';
import {
  type Action,
  type Attempt,
  acting,
  numberOf,
  type PageContext,
  type PageEnvironment,
  placeOf,
  reading,
} from './pages-visit.ts';

/** Adds `/issues`, `/issues/new` and `/issues/{n}`. */
export function addIssuePages(site: Hono<PageEnvironment>): void {
  site.get('/:owner/:repo/issues', reading(showIssues));
  site.get('/:owner/:repo/issues/new', reading(showNewIssue));
  site.post('/:owner/:repo/issues/new', acting(showNewIssue, { create: createIssue }));
  site.get('/:owner/:repo/issues/:number{[0-9]+}', reading(showIssue));
  site.post('/:owner/:repo/issues/:number{[0-9]+}', acting(showIssue, { ...talkActions, ...labelActions }));
}

const created = z.object({ number: z.number() });

const createIssue: Action = async ({ api }, place, { title = '', body = '' }) => {
  const answer = await api.send({ method: 'POST', path: `${place.route}/issues`, body: { title, body } });
  return `${place.link}/issues/${created.parse(answer).number}`;
};

async function showIssues(context: PageContext): Promise<Response> {
  const place = placeOf(context);
  const state = context.req.query('state') === 'closed' ? 'closed' : 'open';
  const all = await context.var.visit.api.list(`${place.route}/issues?state=${state}`, issue);
  const issues = all.filter((item) => !item.pull_request);
  const body = html`<div class="page-head"><h1>Issues</h1><a class="button primary" href="${place.link}/issues/new">New issue</a></div>
${stateFilter(`${place.link}/issues`, state)}
<ul class="panel rows">${issues.map((item) => issueRow(item, `${place.link}/issues/${item.number}`))}${issues.length === 0 ? html`<li class="quiet">No ${state} issues.</li>` : ''}</ul>`;
  return showPage(context, { title: `Issues · ${place.fullName}`, place, section: 'issues', body });
}

/** The two links above a list of issues or pull requests. */
export function stateFilter(link: string, state: string): Html {
  const entry = (name: string, title: string): Html =>
    html`<a href="${link}?state=${name}" ${name === state ? 'aria-current=page' : ''}>${title}</a>`;
  return html`<nav class="pills" aria-label="State">${entry('open', 'Open')}${entry('closed', 'Closed')}</nav>`;
}

/** One row of a list of issues or pull requests. */
export function issueRow(item: Issue, link: string, badge?: Html): Html {
  return html`<li><div class="grow"><a class="title" href="${link}">${item.title}</a> ${labelPills(item.labels)}
<div class="quiet">#${item.number} opened ${moment(item.created_at)} by ${item.user.login}</div></div>${badge ?? ''}
${item.comments ? html`<span class="count quiet">${item.comments} ${item.comments === 1 ? 'comment' : 'comments'}</span>` : ''}</li>`;
}

async function showNewIssue(context: PageContext, attempt: Attempt): Promise<Response> {
  const place = placeOf(context);
  const title = attempt.typed.title ?? context.req.query('title') ?? '';
  const text = attempt.typed.body ?? context.req.query('body') ?? '';
  const body = html`<div class="page-head"><h1>New issue</h1></div>
<form method="post" class="panel padded stack">
<label>Title <input name="title" required maxlength="256" value="${title}"></label>
<label>Description <textarea name="body" rows="12" placeholder="What should be different, and how will you know? Markdown works here.">${text}</textarea></label>
<p class="buttons"><button class="primary" name="action" value="create">Create issue</button></p></form>`;
  return showPage(context, { title: `New issue · ${place.fullName}`, place, section: 'issues', body, attempt });
}

async function showIssue(context: PageContext, attempt: Attempt): Promise<Response> {
  const place = placeOf(context);
  const { api } = context.var.visit;
  const route = `${place.route}/issues/${numberOf(context)}`;
  const item = await api.find(route, issue);
  if (!item) throw new PageError(`There is no issue #${numberOf(context)} in ${place.fullName}.`, 404);
  if (item.pull_request) return context.redirect(`${place.link}/pull/${item.number}`, 302);
  const [talk, labels] = await Promise.all([
    readConversation(api, place, item.number),
    api.list(`${place.route}/labels`, label),
  ]);
  const isOpen = item.state === 'open';
  const body = html`<div class="page-head"><h1>${item.title} <span class="number">#${item.number}</span></h1></div>
<p class="lead"><span class="badge ${isOpen ? 'open' : 'closed'}">${isOpen ? 'Open' : 'Closed'}</span>
${personName(item.user)} opened this ${moment(item.created_at)}</p>
<div class="columns"><div>
${conversation({ place, opening: item, ...talk })}
${commentBox({ state: item.state, thing: 'issue', attempt })}
</div>
<aside>${labelEditor(item.labels, labels, attempt)}</aside></div>`;
  return showPage(context, { title: `${item.title} · #${item.number}`, place, section: 'issues', body, attempt });
}
