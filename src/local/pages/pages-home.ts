/** The first page: all repositories with what is open in them, who you are, and what to do next. */
import type { Hono } from 'hono';
import { html, raw } from 'hono/html';
import type { Api } from './pages-api.ts';
import { APP, appLink, localApp } from './pages-app.ts';
import { type Html, showPage } from './pages-frame.ts';
import { renderMarkdown } from './pages-markdown.ts';
import { issue, repository } from './pages-schemas.ts';
import { type PageEnvironment, reading, type Visit } from './pages-visit.ts';

/** Adds `/`; `welcome` is Markdown by the host. */
export function addHomePage(site: Hono<PageEnvironment>, welcome: string | undefined): void {
  site.get(
    '/',
    reading(async (context) => {
      const { visit } = context.var;
      const names = [...new Set(visit.users.flatMap((user) => user.repositories))].sort();
      const cards = await Promise.all(names.map((name) => readCard(visit.api, name)));
      const app = await visit.api.find(APP, localApp);
      const body = html`${homeBody(visit, cards, welcome)}${app ? appLink(app) : ''}`;
      return showPage(context, { title: 'Local GitHub', body });
    }),
  );
}

type Card = { name: string; description: string; issues: number; pulls: number };

async function readCard(api: Api, name: string): Promise<Card> {
  const [about, open] = await Promise.all([
    api.get(`repos/${name}`, repository),
    api.list(`repos/${name}/issues?state=open`, issue),
  ]);
  const pulls = open.filter((item) => item.pull_request).length;
  return { name, description: about.description, issues: open.length - pulls, pulls };
}

function homeBody(visit: Visit, cards: readonly Card[], welcome: string | undefined): Html {
  return html`<div class="page-head"><h1>Repositories</h1></div>
<p class="lead">${whoYouAre(visit)}</p>
${welcome ? html`<section class="panel padded markdown">${raw(renderMarkdown(welcome, { repository: '', kind: 'file' }))}</section>` : ''}
<ul class="panel rows">${cards.map(
    (card) => html`<li>
<div class="grow"><a class="title" href="/${card.name}">${card.name}</a>
<div class="quiet">${card.description || 'No description'}</div></div>
<a class="count" href="/${card.name}/issues"><b>${card.issues}</b> open ${card.issues === 1 ? 'issue' : 'issues'}</a>
<a class="count" href="/${card.name}/pulls"><b>${card.pulls}</b> open ${card.pulls === 1 ? 'pull request' : 'pull requests'}</a>
</li>`,
  )}${cards.length === 0 ? html`<li class="quiet">No repository yet. Start the server with <code>--import PATH=owner/name</code>.</li>` : ''}</ul>
${welcome ? '' : html`<h2>What to do next</h2><ol class="next">${nextSteps(visit, cards)}</ol>`}`;
}

function whoYouAre({ me }: Visit): Html {
  if (!me) return html`You are reading as nobody. Choose who you are at the top right to write anything.`;
  return html`You are <b>${me.login}</b>${me.role ? html`, with the role <b>${me.role}</b>` : ''}. Everything stays on this machine.`;
}

function nextSteps({ me }: Visit, cards: readonly Card[]): readonly (Html | string)[] {
  const first = cards[0];
  const withPulls = cards.find((card) => card.pulls > 0);
  return [
    me ? '' : html`<li>Choose who you are at the top right.</li>`,
    first
      ? html`<li>Read the <a href="/${first.name}/issues">open issues</a>, or write a <a href="/${first.name}/issues/new">new issue</a>, and label it.</li>`
      : '',
    withPulls
      ? html`<li>Review the <a href="/${withPulls.name}/pulls">open pull requests</a>: read, press the buttons of their checks, merge.</li>`
      : html`<li>A pull request that somebody opens shows up here, without a reload.</li>`,
  ];
}
