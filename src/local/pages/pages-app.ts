/** The page of the App, and the page on which a person installs it on repositories: https://docs.github.com/apps/using-github-apps/installing-your-own-github-app */
import type { Hono } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import { PageError } from './pages-api.ts';
import { type Html, showPage } from './pages-frame.ts';
import { repository } from './pages-schemas.ts';
import {
  type Action,
  type Attempt,
  acting,
  CLOSED,
  type Form,
  type PageContext,
  type PageEnvironment,
  reading,
  type Visit,
} from './pages-visit.ts';

/** Where the server tells what its App is: on GitHub the page knows it. */
export const APP = '/_local/app';
export const localApp = z.object({
  slug: z.string(),
  name: z.string(),
  description: z.string(),
  external_url: z.string(),
  permissions: z.record(z.string(), z.string()),
});
type LocalApp = z.infer<typeof localApp>;

/** Adds `/apps/{slug}` and `/apps/{slug}/installations/new`. */
export function addAppPages(site: Hono<PageEnvironment>): void {
  const path = '/apps/:slug/installations/new';
  site.get('/apps/:slug', reading(showApp));
  site.get(path, reading(showInstall));
  const installing = acting(showInstall, { install });
  site.post(path, async (context) => {
    await appAt(context);
    return installing(context);
  });
}

/** Leads to the App from elsewhere. */
export function appLink({ slug, name }: LocalApp): Html {
  return html`<p class="quiet">The App of this machine: <a href="${linkOf(slug)}">${name}</a></p>`;
}

function linkOf(slug: string): string {
  return `/apps/${encodeURIComponent(slug)}`;
}

async function appAt(context: PageContext): Promise<LocalApp> {
  const slug = context.req.param('slug') ?? '';
  const app = await context.var.visit.api.get(APP, localApp);
  if (app.slug !== slug)
    throw new PageError(`There is no App ${slug} here; the one that there is is ${app.slug}.`, 404);
  return app;
}

async function showApp(context: PageContext): Promise<Response> {
  const app = await appAt(context);
  const body = html`<div class="page-head"><h1>${app.name}</h1>
<a class="button primary" href="${linkOf(app.slug)}/installations/new">Install</a></div>${about(app)}
${permissionsOf(app)}`;
  return showPage(context, { title: app.name, body });
}

function about({ description, external_url: url }: LocalApp): Html {
  return html`<p class="lead">${description || 'No description'} · <a href="${url}">${url}</a></p>`;
}

function permissionsOf({ permissions }: LocalApp): Html {
  return html`<section class="panel"><div class="panel-head"><h2>Permissions</h2></div>
<ul class="rows files">${Object.entries(permissions).map(([permission, level]) => html`<li>${permission}: ${level}</li>`)}</ul></section>`;
}

/** A box's name in the form, before the repository's. */
const CHOSEN = 'repository:';

const install: Action = async ({ api }, _place, form) => {
  const repositories = Object.keys(form).flatMap((name) =>
    name.startsWith(CHOSEN) ? [name.slice(CHOSEN.length)] : [],
  );
  if (repositories.length === 0) throw new PageError('Choose a repository.', 422);
  await api.send({ method: 'POST', path: `${APP}/installations`, body: { repositories } });
  const { slug } = await api.get(APP, localApp);
  const installed = new URLSearchParams(repositories.map((name) => ['installed', name]));
  return `${linkOf(slug)}/installations/new?${installed}`;
};

async function showInstall(context: PageContext, attempt: Attempt): Promise<Response> {
  const app = await appAt(context);
  const { visit } = context.var;
  const names = await administeredBy(visit);
  const installed = (context.req.queries('installed') ?? []).filter((name) => names.includes(name));
  const title = `Install ${app.name}`;
  const body = html`<div class="page-head"><h1>${title}</h1></div>${about(app)}
${installed.length > 0 && !attempt.problem ? installedOn(app, installed) : ''}
${names.length > 0 ? installForm(names, attempt.typed) : html`<p class="panel padded quiet">${whyNot(visit)}</p>`}
${permissionsOf(app)}`;
  return showPage(context, { title, body, attempt });
}

async function administeredBy({ me, api }: Visit): Promise<readonly string[]> {
  const all = await Promise.all((me?.repositories ?? []).map((name) => api.get(`repos/${name}`, repository)));
  return all.flatMap(({ full_name: name, permissions }) => (permissions?.admin ? [name] : [])).sort();
}

function installedOn({ name }: LocalApp, names: readonly string[]): Html {
  const links = names.map((one, index) => html`${index === 0 ? '' : ', '}<a href="/${one}">${one}</a>`);
  return html`<p class="panel padded done">${name} is installed on ${links}, and has been told so.</p>`;
}

function installForm(names: readonly string[], typed: Form): Html {
  const isChosen = (name: string): boolean =>
    Object.keys(typed).length === 0 ? names.length === 1 : typed[CHOSEN + name] !== undefined;
  return html`<form method="post" class="panel padded stack">
<fieldset><legend>Repositories</legend>${names.map(
    (name) =>
      html`<label class="choice"><input type="checkbox" name="${CHOSEN}${name}" ${isChosen(name) ? 'checked' : ''}> <b>${name}</b></label>`,
  )}</fieldset>
<p class="buttons"><button class="primary" name="action" value="install">Install</button></p></form>`;
}

/** Why this visitor installs nothing. */
function whyNot({ me, isOpen }: Visit): string {
  if (!isOpen) return CLOSED;
  if (!me) return 'Choose who you are at the top right to install it.';
  return `${me.login} has admin on no repository here, and installing the App is for a person with admin.`;
}
