/** The page on which a person registers an App from a manifest that another page sends: https://docs.github.com/apps/sharing-github-apps/registering-a-github-app-from-a-manifest */
import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import { type Manifest, ManifestError, readManifest } from '../registration/manifest.ts';
import { PageError } from './pages-api.ts';
import { type Html, showPage } from './pages-frame.ts';
import {
  type Action,
  type Attempt,
  acting,
  CLOSED,
  type Form,
  type PageContext,
  type PageEnvironment,
  placeOf,
  reading,
  type Visit,
} from './pages-visit.ts';

const PLACES = ['/settings/apps', '/organizations/:owner/settings/apps'];

/** Adds `/settings/apps/new`, and the same for an organization. */
export function addNewAppPages(site: Hono<PageEnvironment>): void {
  for (const path of PLACES) {
    site.post(`${path}/new`, takeManifest);
    site.get(`${path}/new`, reading(showNewApp));
    site.post(path, acting(showNewApp, { create }));
  }
}

/** Whether it is a form that comes from another origin by design: the App's own page sends the manifest. It changes nothing, and only leads to the question. */
export function isManifestPost({ method, path }: Context['req']): boolean {
  return method === 'POST' && /^\/(?:organizations\/[^/]+\/)?settings\/apps\/new$/.test(path);
}

/** An address of 8,000 characters passes every browser and server. */
const LONGEST_ADDRESS = 8000;

/** Leads to an address that has it all: it can be loaded again, also after the person has said who they are. */
async function takeManifest(context: PageContext): Promise<Response> {
  const { manifest } = await context.req.parseBody();
  if (typeof manifest !== 'string') throw new PageError('The form has no field "manifest".', 422);
  const { pathname, searchParams } = new URL(context.req.url);
  searchParams.set('manifest', manifest);
  const address = `${pathname}?${searchParams}`;
  if (address.length > LONGEST_ADDRESS)
    throw new PageError(`The manifest is too long: an address of ${address.length} characters would have it.`, 422);
  return context.redirect(address, 303);
}

const confirmed = z.object({ code: z.string() });

const create: Action = async ({ api }, { owner }, { manifest: json = '', name = '', state = '' }) => {
  const manifest = { ...manifestOf(json), name };
  const body = { manifest: JSON.stringify(manifest), ...(owner === '' ? {} : { owner }) };
  const answer = await api.send({ method: 'POST', path: '/_local/app-manifests', body });
  const next = new URL(manifest.redirect_url);
  next.searchParams.set('code', confirmed.parse(answer).code);
  if (state !== '') next.searchParams.set('state', state);
  return next.href;
};

function manifestOf(json: string): Manifest {
  try {
    return readManifest(json);
  } catch (error) {
    if (error instanceof ManifestError) throw new PageError(error.message, 422);
    throw error;
  }
}

async function showNewApp(context: PageContext, attempt: Attempt): Promise<Response> {
  const { visit } = context.var;
  const owner = placeOf(context).owner || visit.me?.login;
  const typed = { ...context.req.query(), ...attempt.typed };
  const manifest = typed.manifest === undefined ? undefined : manifestOf(typed.manifest);
  // Browsers hold a form's answer to the page's policy too, and the answer leads to the App.
  if (manifest) context.set('formsLeadTo', new URL(manifest.redirect_url).origin);
  const title = owner === undefined ? 'Create GitHub App' : `Create GitHub App for ${owner}`;
  const body = html`<div class="page-head"><h1>${title}</h1></div>
${manifest ? newAppForm(manifest, { ...typed, target: context.req.path.replace(/\/new$/, '') }, visit) : html`<p class="lead">The page of an App leads here, with a manifest that says what the App is.</p>`}`;
  return showPage(context, { title, body, attempt });
}

function newAppForm(manifest: Manifest, typed: Form, visit: Visit): Html {
  const { url, redirect_url, description, hook_attributes: hook } = manifest;
  return html`<p class="lead">${description || 'No description'} · <a href="${url}">${url}</a></p>
<section class="panel padded">
<p>There is one App on this machine. Creating it hands its credentials to <b>${new URL(redirect_url).host}</b>, and it is what this page says from then on.</p>
<h2>Webhooks</h2><p>${hook?.active ? html`to <code>${hook.url}</code>` : 'none'}</p>
<h2>Permissions</h2>${listOf(Object.entries(manifest.default_permissions).map(([permission, level]) => `${permission}: ${level}`))}
<h2>Events</h2>${listOf(manifest.default_events)}
</section>
${visit.me ? confirmation({ name: manifest.name, ...typed }) : html`<p class="panel padded quiet">${visit.isOpen ? 'Choose who you are at the top right to create it.' : CLOSED}</p>`}`;
}

/** It goes to an address of its own, which takes forms of this page alone. */
function confirmation({ target = '', manifest = '', name = '', state = '' }: Form): Html {
  return html`<form method="post" action="${target}" class="panel padded stack">
<input type="hidden" name="manifest" value="${manifest}"><input type="hidden" name="state" value="${state}">
<label>Name <input name="name" required maxlength="34" value="${name}"></label>
<p class="buttons"><button class="primary" name="action" value="create">Create GitHub App</button></p></form>`;
}

function listOf(lines: readonly string[]): Html {
  if (lines.length === 0) return html`<p class="quiet">None</p>`;
  return html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
}
