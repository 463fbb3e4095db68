/** The page on which a person opens a pull request from a branch that was pushed. */
import type { Hono } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import { type Html, showPage } from './pages-frame.ts';
import { repository } from './pages-schemas.ts';
import {
  type Action,
  type Attempt,
  acting,
  type PageContext,
  type PageEnvironment,
  placeOf,
  reading,
} from './pages-visit.ts';

/** Adds `/pulls/new`. */
export function addNewPullPage(site: Hono<PageEnvironment>): void {
  const path = '/:owner/:repo/pulls/new';
  site.get(path, reading(showNewPull));
  site.post(path, acting(showNewPull, { create }));
}

const created = z.object({ number: z.number() });

const create: Action = async ({ api }, place, { head = '', base = '', title = '', body = '' }) => {
  const wanted = { head, base, title: title.trim() === '' ? head : title, body };
  const answer = await api.send({ method: 'POST', path: `${place.route}/pulls`, body: wanted });
  return `${place.link}/pull/${created.parse(answer).number}`;
};

const branch = z.object({ name: z.string() });

async function showNewPull(context: PageContext, attempt: Attempt): Promise<Response> {
  const place = placeOf(context);
  const { api } = context.var.visit;
  const [branches, { default_branch: trunk }] = await Promise.all([
    api.list(`${place.route}/branches`, branch),
    api.get(place.route, repository),
  ]);
  const names = branches.map(({ name }) => name);
  const { head = names.find((name) => name !== trunk), base = trunk, title = '', body: text = '' } = attempt.typed;
  const body = html`<div class="page-head"><h1>New pull request</h1></div>
<form method="post" class="panel padded stack">
<label>From ${choice('head', names, head)}</label>
<label>Into ${choice('base', names, base)}</label>
<label>Title <input name="title" maxlength="256" value="${title}" placeholder="The branch's name, unless you say more"></label>
<label>Description <textarea name="body" rows="6">${text}</textarea></label>
<p class="buttons"><button class="primary" name="action" value="create">Create pull request</button></p></form>`;
  return showPage(context, { title: `New pull request · ${place.fullName}`, place, section: 'pulls', body, attempt });
}

function choice(field: string, names: readonly string[], chosen: string | undefined): Html {
  return html`<select name="${field}" autocomplete="off">${names.map(
    (name) => html`<option ${name === chosen ? 'selected' : ''}>${name}</option>`,
  )}</select>`;
}
