/** The code pages of a repository: its files, one file, commits, one commit. */
import type { Hono } from 'hono';
import { html, raw } from 'hono/html';
import type { z } from 'zod';
import { type Api, PageError, pathOf } from './pages-api.ts';
import { diffFiles } from './pages-diff.ts';
import { type Html, showPage } from './pages-frame.ts';
import { renderMarkdown } from './pages-markdown.ts';
import { markdown, moment, shortSha } from './pages-parts.ts';
import { type Commit, commit, content, gitReference, repository, tree } from './pages-schemas.ts';
import { type PageContext, type PageEnvironment, type Place, placeOf, reading } from './pages-visit.ts';

/** Adds `/{owner}/{repo}` and what hangs below it: tree, blob, commits, commit. */
export function addCodePages(site: Hono<PageEnvironment>): void {
  site.get('/:owner/:repo', reading(showRoot));
  site.get('/:owner/:repo/tree/:rest{.+}', reading(showPath));
  site.get('/:owner/:repo/blob/:rest{.+}', reading(showPath));
  site.get('/:owner/:repo/commits', reading(showCommits));
  site.get('/:owner/:repo/commits/:rest{.+}', reading(showCommits));
  site.get('/:owner/:repo/commit/:sha', reading(showCommit));
}

/** A list of commits, newest as the API orders them. */
export function commitRows(commits: readonly Commit[], place: Place): Html {
  return html`<ol class="panel rows commits">${commits.map(
    (item) => html`<li>
<div class="grow"><a class="title" href="${place.link}/commit/${item.sha}">${item.commit.message.split('\n')[0]}</a>
<div class="quiet">${item.author?.login ?? item.commit.author?.name ?? 'unknown'} committed ${moment(item.commit.author?.date)}</div></div>
${item.commit.verification?.verified ? html`<span class="tag good">Verified</span>` : ''}
<a class="sha" href="${place.link}/commit/${item.sha}">${shortSha(item.sha)}</a></li>`,
  )}${commits.length === 0 ? html`<li class="quiet">No commits.</li>` : ''}</ol>`;
}

type Listing = Extract<z.infer<typeof content>, readonly unknown[]>;
type FileContent = Exclude<z.infer<typeof content>, readonly unknown[]>;
type Spot = { place: Place; ref: string; path: string };

async function showRoot(context: PageContext): Promise<Response> {
  const place = placeOf(context);
  const { api } = context.var.visit;
  const about = await api.get(place.route, repository);
  const spot = { place, ref: about.default_branch, path: '' };
  const files = await contentOf(api, spot);
  const clone = `git clone ${new URL(context.req.url).origin}${place.link}.git`;
  const body = html`<div class="page-head"><h1>${about.full_name}</h1></div>
${about.description ? html`<p class="lead">${about.description}</p>` : ''}
<p class="toolbar"><span class="branch">${about.default_branch}</span> <a href="${place.link}/commits/${pathOf(spot.ref)}">Commits</a>
${about.permissions?.admin ? html`<a href="${place.link}/settings/environments">Environments</a>` : ''}
<code class="clone">${clone}</code></p>
${files === undefined ? html`<p class="panel padded quiet">This repository is empty.</p>` : await listingOf(api, spot, files)}`;
  return showPage(context, { title: place.fullName, place, section: 'code', body });
}

async function showPath(context: PageContext): Promise<Response> {
  const place = placeOf(context);
  const { api } = context.var.visit;
  const spot = await spotOf(api, place, context.req.param('rest') ?? '');
  const found = await contentOf(api, spot);
  if (!found) throw new PageError(`There is no ${spot.path || 'tree'} at ${spot.ref} in ${place.fullName}.`, 404);
  const body = html`<div class="page-head"><h1 class="path">${pathLinks(spot)}</h1></div>
<p class="toolbar"><span class="branch">${spot.ref}</span> <a href="${place.link}/commits/${pathOf(spot.ref)}">Commits</a></p>
${await listingOf(api, spot, found)}`;
  return showPage(context, { title: `${spot.path || spot.ref} · ${place.fullName}`, place, section: 'code', body });
}

async function spotOf(api: Api, place: Place, rest: string): Promise<Spot> {
  const ref = (await branchIn(api, place, rest)) ?? rest.split('/')[0] ?? '';
  return { place, ref, path: rest.slice(ref.length + 1) };
}

/** A branch name may contain slashes, so the address alone does not say where it ends. Git has no branch below another one, so the first is the only one. */
export async function branchIn(api: Api, place: Place, rest: string): Promise<string | undefined> {
  const parts = rest.split('/');
  for (const [index] of parts.entries()) {
    const name = parts.slice(0, index + 1).join('/');
    const route = `${place.route}/git/matching-refs/${pathOf('heads', name)}`;
    const refs = (await api.find(route, gitReference.array())) ?? [];
    // Of names that begin alike the shortest comes first.
    if (refs[0]?.ref === `refs/heads/${name}`) return name;
    if (refs.length === 0) return undefined;
  }
  return undefined;
}

/** A folder's entries or a file; `undefined` where there is none. */
async function contentOf(api: Api, spot: Spot): Promise<Listing | FileContent | undefined> {
  if (spot.path !== '') return api.find(contentsRoute(spot), content);
  // The contents route needs a path, so the top folder is read as a git tree.
  const top = await api.find(`${spot.place.route}/git/trees/${encodeURIComponent(spot.ref)}`, tree);
  return top?.tree.map(({ path, type }) => ({ name: path, path, type: type === 'tree' ? 'dir' : 'file' }));
}

function contentsRoute({ place, ref, path }: Spot): string {
  return `${place.route}/contents/${pathOf(path)}?ref=${encodeURIComponent(ref)}`;
}

async function listingOf(api: Api, spot: Spot, found: Listing | FileContent): Promise<Html> {
  if (!Array.isArray(found)) return fileView(spot, found);
  const readme = found.find((entry) => entry.type === 'file' && /^readme\.(?:md|markdown)$/i.test(entry.name));
  const text = readme && (await api.get(contentsRoute({ ...spot, path: readme.path }), content));
  return html`${fileList(spot, found)}${text && !Array.isArray(text) ? fileView(spot, text) : ''}`;
}

function fileList({ place, ref, path }: Spot, entries: Listing): Html {
  const isFolder = (entry: { type: string }): boolean => entry.type === 'dir';
  const sorted = entries.toSorted((a, b) => Number(isFolder(b)) - Number(isFolder(a)) || a.name.localeCompare(b.name));
  const linkOf = (kind: string, target: string): string =>
    `${place.link}/${kind}/${pathOf(ref)}${target ? `/${pathOf(target)}` : ''}`;
  const parent = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  return html`<ul class="panel rows files">${path ? html`<li><a class="folder" href="${linkOf('tree', parent)}" aria-label="Parent folder">..</a></li>` : ''}${sorted.map(
    (entry) =>
      html`<li><a class="${isFolder(entry) ? 'folder' : 'file'}" href="${linkOf(isFolder(entry) ? 'tree' : 'blob', entry.path)}">${entry.name}${isFolder(entry) ? '/' : ''}</a></li>`,
  )}</ul>`;
}

function fileView({ place, ref }: Spot, file: FileContent): Html {
  const bytes = Buffer.from(file.content, 'base64');
  const head = html`<div class="panel-head"><b>${file.name}</b> <span class="quiet">${file.size} bytes</span></div>`;
  if (bytes.includes(0))
    return html`<section class="panel">${head}<p class="padded quiet">A binary file.</p></section>`;
  const text = bytes.toString('utf8');
  if (/\.(?:md|markdown)$/i.test(file.name)) {
    const rendered = renderMarkdown(text, { repository: place.fullName, ref: refFolder(ref, file.path), kind: 'file' });
    return html`<section class="panel">${head}<div class="padded markdown">${raw(rendered)}</div></section>`;
  }
  const lines = text.replace(/\n$/, '').split('\n');
  return html`<section class="panel">${head}<div class="table-scroll"><table class="code">${lines.map(
    (line, index) => html`<tr id="L${index + 1}"><td class="line-number">${index + 1}</td><td>${line}</td></tr>`,
  )}</table></div></section>`;
}

/** Relative links of a file in a folder start in that folder. */
function refFolder(ref: string, path: string): string {
  const folder = path.includes('/') ? `/${path.slice(0, path.lastIndexOf('/'))}` : '';
  return pathOf(`${ref}${folder}`);
}

function pathLinks({ place, ref, path }: Spot): readonly Html[] {
  const parts = path === '' ? [] : path.split('/');
  const root = html`<a href="${place.link}/tree/${pathOf(ref)}">${place.name}</a>`;
  return [
    root,
    ...parts.map((part, index) => {
      const isLast = index === parts.length - 1;
      const href = `${place.link}/tree/${pathOf(ref, ...parts.slice(0, index + 1))}`;
      return html`<span class="slash">/</span>${isLast ? html`<b>${part}</b>` : html`<a href="${href}">${part}</a>`}`;
    }),
  ];
}

async function showCommits(context: PageContext): Promise<Response> {
  const place = placeOf(context);
  const { api } = context.var.visit;
  const ref = context.req.param('rest') ?? (await api.get(place.route, repository)).default_branch;
  const commits = await api.get(`${place.route}/commits?sha=${encodeURIComponent(ref)}&per_page=100`, commit.array());
  const body = html`<div class="page-head"><h1>Commits</h1></div><p class="toolbar"><span class="branch">${ref}</span></p>${commitRows(commits, place)}`;
  return showPage(context, { title: `Commits of ${ref} · ${place.fullName}`, place, section: 'code', body });
}

async function showCommit(context: PageContext): Promise<Response> {
  const place = placeOf(context);
  const sha = context.req.param('sha') ?? '';
  const found = await context.var.visit.api.find(`${place.route}/commits/${pathOf(sha)}`, commit);
  if (!found) throw new PageError(`There is no commit ${sha} in ${place.fullName}.`, 404);
  const [subject, ...rest] = found.commit.message.split('\n');
  const body = html`<div class="page-head"><h1>${subject}</h1></div>
<p class="lead quiet">${found.author?.login ?? found.commit.author?.name ?? 'unknown'} committed ${moment(found.commit.author?.date)} <code>${found.sha}</code></p>
${rest.join('\n').trim() ? html`<section class="panel padded">${markdown(rest.join('\n'), place)}</section>` : ''}
${diffFiles(found.files ?? [])}`;
  return showPage(context, { title: `${subject ?? sha} · ${place.fullName}`, place, section: 'code', body });
}
