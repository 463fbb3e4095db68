/** The page on which a person writes a new file, filled in by its address: https://docs.github.com/repositories/working-with-files/managing-files/creating-new-files */
import type { Hono } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import { type Api, PageError, pathOf } from './pages-api.ts';
import { branchIn } from './pages-code.ts';
import { type Html, showPage } from './pages-frame.ts';
import { content, repository } from './pages-schemas.ts';
import {
  type Action,
  type Attempt,
  acting,
  CLOSED,
  type Form,
  type PageContext,
  type PageEnvironment,
  type Place,
  placeOf,
  reading,
  type Visit,
} from './pages-visit.ts';

/** Adds `/{owner}/{repo}/new/{branch}`, with a folder behind the branch or not. */
export function addNewFilePage(site: Hono<PageEnvironment>): void {
  const path = '/:owner/:repo/new/:rest{.+}';
  site.get(path, reading(showNewFile));
  site.post(path, acting(showNewFile, { commit }));
}

const commit: Action = async ({ api }, place, { branch = '', filename = '', content: text = '', message = '' }) => {
  const path = filename.trim();
  if (path === '') throw new PageError('Name the file.', 422);
  // An address takes these back, and would lead to another request.
  if (path.split('/').some((part) => part === '.' || part === '..'))
    throw new PageError(`A file cannot be called ${path}.`, 422);
  const route = `${place.route}/contents/${pathOf(path)}`;
  // GitHub's API asks for a digest here, which says nothing to whoever reads the page.
  if (await api.find(`${route}?ref=${encodeURIComponent(branch)}`, content))
    throw new PageError(`${path} is in ${branch} already: choose another name.`, 422);
  const body = {
    message: message.trim() === '' ? messageFor(path) : message,
    content: Buffer.from(text).toString('base64'),
    branch,
  };
  await api.send({ method: 'PUT', path: route, body });
  const number = await openPullOf(api, place, branch);
  return number === undefined ? `${place.link}/blob/${pathOf(branch, path)}` : `${place.link}/pull/${number}`;
};

const numbered = z.object({ number: z.number() });

async function openPullOf(api: Api, place: Place, branch: string): Promise<number | undefined> {
  const head = encodeURIComponent(`${place.owner}:${branch}`);
  return (await api.get(`${place.route}/pulls?state=open&head=${head}`, z.array(numbered)))[0]?.number;
}

async function showNewFile(context: PageContext, attempt: Attempt): Promise<Response> {
  const place = placeOf(context);
  const { visit } = context.var;
  const rest = context.req.param('rest') ?? '';
  const branch = await branchIn(visit.api, place, rest);
  if (branch === undefined)
    throw new PageError(`No branch of ${place.fullName} has a name that ${rest} begins with.`, 404);
  const folder = rest.slice(branch.length + 1).replace(/\/+$/, '');
  const filename = [folder, context.req.query('filename') ?? ''].filter((part) => part !== '').join('/');
  const filled = {
    branch,
    filename: folder !== '' && filename === folder ? `${folder}/` : filename,
    content: context.req.query('value') ?? '',
    message: context.req.query('message') ?? messageFor(filename),
    ...attempt.typed,
  };
  const writes = (await visit.api.get(place.route, repository)).permissions?.push === true;
  const body = html`<div class="page-head"><h1>New file</h1></div>
<p class="toolbar">in <span class="branch">${branch}</span></p>
${attempt.problem || writes ? newFileForm(filled) : nothingHere(visit, place)}`;
  return showPage(context, { title: `New file · ${place.fullName}`, place, section: 'code', body, attempt });
}

/** As GitHub says it of what nobody described. */
function messageFor(path: string): string {
  return path === '' ? '' : `Create ${path.split('/').at(-1)}`;
}

/** Why this visitor writes nothing. */
function nothingHere({ me, isOpen }: Visit, place: Place): Html {
  const unknown = isOpen ? 'Choose who you are at the top right to write a file.' : CLOSED;
  const reader = `${me?.login} may read ${place.fullName}, and not write to it.`;
  return html`<p class="panel padded quiet">${me ? reader : unknown}</p>`;
}

function newFileForm({ branch = '', filename = '', content: text = '', message = '' }: Form): Html {
  // A browser drops the first line break of a text area, so that one is ours.
  return html`<form method="post" class="panel padded stack">
<input type="hidden" name="branch" value="${branch}">
<label>File name <input name="filename" required value="${filename}" placeholder="folder/name.txt" spellcheck="false"></label>
<label>Content <textarea name="content" class="source" rows="20" spellcheck="false">
${text}</textarea></label>
<label>Commit message <input name="message" value="${message}" placeholder="Create the file"></label>
<p class="buttons"><button class="primary" name="action" value="commit">Commit changes</button></p></form>`;
}
