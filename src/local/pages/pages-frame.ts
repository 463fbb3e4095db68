/** The frame around every page: header with the "you are" chooser, repository tabs, the refusal, and the live fragment. */
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { type Attempt, CLOSED, type PageContext, type Place, type Visit } from './pages-visit.ts';

export type Html = ReturnType<typeof html>;

export type Page = {
  readonly title: string;
  readonly place?: Place;
  readonly section?: Section;
  readonly body: Html;
  readonly attempt?: Attempt;
};

export type Section = 'code' | 'issues' | 'pulls' | 'actions';

/** Answers with the whole page, or, for the client's poll, with the part that may have changed. */
export async function showPage(context: PageContext, page: Page): Promise<Response> {
  const body = String(await page.body);
  const digest = createHash('sha256').update(body).digest('hex');
  context.status(page.attempt?.problem ? 422 : 200);
  context.header('cache-control', 'no-store');
  context.header('x-fragment-digest', digest);
  if (context.req.header('x-fragment')) return context.html(body);
  const { pathname, search } = new URL(context.req.url);
  // Whoever says who they are comes back to what the address has filled in.
  const path = `${pathname}${search}`;
  return context.html(frame({ page, body, digest, path, visit: context.var.visit }));
}

type Frame = { page: Page; body: string; digest: string; path: string; visit: Visit };

function frame({ page, body, digest, path, visit }: Frame): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title}</title>
<link rel="icon" href="/_assets/icon.svg">
<link rel="stylesheet" href="/_assets/pages.css">
<script type="module" src="/_assets/pages.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<nav class="crumbs" aria-label="Breadcrumb"><a class="home" href="/">Local GitHub</a>${crumbs(page)}</nav>
${chooser(visit, path)}
</header>
${page.place ? tabs(page.place, page.section) : ''}
${page.attempt?.problem ? html`<p class="problem" role="alert">${page.attempt.problem.message}</p>` : ''}
<main id="main" data-digest="${digest}">${raw(body)}</main>
<p class="changed" role="status" hidden>This page has news. <a href="">Show it</a> (what you typed would be lost).</p>
</body>
</html>`;
}

function crumbs({ place }: Page): Html | string {
  if (!place) return '';
  return html`<span class="slash">/</span><span>${place.owner}</span><span class="slash">/</span><a href="${place.link}"><b>${place.name}</b></a>`;
}

function chooser({ users, me, isOpen }: Visit, path: string): Html {
  if (!isOpen) return html`<p class="chooser">${CLOSED}</p>`;
  return html`<form class="chooser" method="post" action="/_local/sign-in">
<input type="hidden" name="return_to" value="${path}">
<label><span>You are</span> <select name="login" autocomplete="off">
<option value="">nobody (reading only)</option>
${users.map((user) => html`<option value="${user.login}"${user.login === me?.login ? raw(' selected') : ''}>${user.login}${user.role ? ` (${user.role})` : ''}</option>`)}
</select></label>
<button>Switch</button>
</form>`;
}

const SECTIONS: readonly { section: Section; title: string; path: string }[] = [
  { section: 'code', title: 'Code', path: '' },
  { section: 'issues', title: 'Issues', path: '/issues' },
  { section: 'pulls', title: 'Pull requests', path: '/pulls' },
  { section: 'actions', title: 'Actions', path: '/actions' },
];

function tabs(place: Place, current: Section | undefined): Html {
  return html`<nav class="tabs" aria-label="Repository">${SECTIONS.map(
    ({ section, title, path }) =>
      html`<a href="${place.link}${path}"${section === current ? raw(' aria-current="page"') : ''}>${title}</a>`,
  )}</nav>`;
}
