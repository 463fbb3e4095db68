/** The page on which a person with admin says which branches may deploy to an environment: https://docs.github.com/actions/how-tos/deploy/configure-and-manage-deployments/manage-environments */
import type { Hono } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import { type Api, PageError } from './pages-api.ts';
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
  type Place,
  placeOf,
  reading,
  type Visit,
} from './pages-visit.ts';

/** Adds `/{owner}/{repo}/settings/environments`. */
export function addEnvironmentPage(site: Hono<PageEnvironment>): void {
  const path = '/:owner/:repo/settings/environments';
  site.get(path, reading(showEnvironments));
  site.post(path, acting(showEnvironments, { save }));
}

const environments = z.object({
  environments: z.array(
    z.object({
      name: z.string(),
      deployment_branch_policy: z.object({ protected_branches: z.boolean() }).nullable(),
    }),
  ),
});
const policies = z.object({
  branch_policies: z.array(z.object({ id: z.number(), name: z.string(), type: z.string().optional() })),
});

/** What can be chosen, and how REST says it. */
const BRANCHES = {
  every: { title: 'No restriction', text: 'Every branch may deploy.', policy: null },
  protected: {
    title: 'Protected branches',
    text: 'Only branches with a protection.',
    policy: { protected_branches: true, custom_branch_policies: false },
  },
  selected: {
    title: 'Selected branches',
    text: 'Only branches that are named.',
    policy: { protected_branches: false, custom_branch_policies: true },
  },
} as const;
const choice = z.enum(['every', 'protected', 'selected']);

const save: Action = async ({ api }, place, form) => {
  const name = nameIn(form);
  const { data: branches } = choice.safeParse(form.branches);
  if (!branches) throw new PageError('Choose which branches may deploy.', 422);
  const names = linesOf(form.patterns);
  if (branches === 'selected' && names.length === 0) throw new PageError('Name at least one branch.', 422);
  const route = `${place.route}/environments/${encodeURIComponent(name)}`;
  await api.send({ method: 'PUT', path: route, body: { deployment_branch_policy: BRANCHES[branches].policy } });
  if (branches === 'selected') await selectBranches(api, `${route}/deployment-branch-policies`, names);
  return undefined;
};

function nameIn({ name = '' }: Form): string {
  const trimmed = name.trim();
  if (trimmed === '') throw new PageError('Name the environment.', 422);
  // An address takes these back, and would lead to another request.
  if (/^\.{1,2}$/.test(trimmed)) throw new PageError(`An environment cannot be called "${trimmed}".`, 422);
  return trimmed;
}

function linesOf(text = ''): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return [...new Set(lines)].filter((line) => line !== '');
}

/** Patterns of tags stay: this page does not set them. */
async function selectBranches(api: Api, route: string, names: readonly string[]): Promise<void> {
  const all = (await api.get(`${route}?per_page=100`, policies)).branch_policies;
  const known = all.filter(({ type }) => type !== 'tag');
  const refused: string[] = [];
  for (const name of names.filter((one) => !known.some((policy) => policy.name === one)))
    if (!(await isAdded(api, route, name))) refused.push(name);
  for (const { id } of known.filter(({ name }) => !names.includes(name)))
    await api.send({ method: 'DELETE', path: `${route}/${id}` });
  if (refused.length > 0)
    throw new PageError(`No name or pattern of branches: ${refused.join(', ')}. All else is saved.`, 422);
}

async function isAdded(api: Api, path: string, name: string): Promise<boolean> {
  try {
    await api.send({ method: 'POST', path, body: { name, type: 'branch' } });
    return true;
  } catch (error) {
    // GitHub's sentence does not say which of them it means.
    if (error instanceof PageError && error.status === 422) return false;
    throw error;
  }
}

type Known = {
  readonly name: string;
  readonly branches: z.infer<typeof choice>;
  readonly names: readonly string[];
  readonly tags: readonly string[];
};

async function showEnvironments(context: PageContext, attempt: Attempt): Promise<Response> {
  const place = placeOf(context);
  const { visit } = context.var;
  const administers = (await visit.api.get(place.route, repository)).permissions?.admin === true;
  const known = administers ? await environmentsOf(visit.api, place) : [];
  const asked = { name: context.req.query('name') ?? '', branches: context.req.queries('branch') ?? [] };
  const body = html`<div class="page-head"><h1>Environments</h1></div>
${administers ? environmentList(known) : html`<p class="panel padded quiet">${whyNot(visit, place)}</p>`}
${administers || attempt.problem ? environmentForm(known, { ...filled(known, asked), ...attempt.typed }) : ''}`;
  return showPage(context, { title: `Environments · ${place.fullName}`, place, body, attempt });
}

async function environmentsOf(api: Api, place: Place): Promise<readonly Known[]> {
  const route = `${place.route}/environments`;
  const { environments: all } = await api.get(`${route}?per_page=100`, environments);
  return Promise.all(
    all.map(async ({ name, deployment_branch_policy: policy }) => {
      if (policy === null) return { name, branches: 'every' as const, names: [], tags: [] };
      if (policy.protected_branches) return { name, branches: 'protected' as const, names: [], tags: [] };
      const path = `${route}/${encodeURIComponent(name)}/deployment-branch-policies?per_page=100`;
      const { branch_policies: found } = await api.get(path, policies);
      const [tags, names] = [true, false].map((isTag) =>
        found.flatMap((one) => ((one.type === 'tag') === isTag ? [one.name] : [])),
      );
      return { name, branches: 'selected' as const, names: names ?? [], tags: tags ?? [] };
    }),
  );
}

/** Why this visitor sets nothing. */
function whyNot({ me, isOpen }: Visit, place: Place): string {
  if (!isOpen) return CLOSED;
  if (!me) return 'Choose who you are at the top right to see the environments.';
  return `${me.login} has no admin on ${place.fullName}, and its environments are for a person with admin.`;
}

function environmentList(known: readonly Known[]): Html {
  return html`<ul class="panel rows">${known.map(
    (one) => html`<li><div class="grow"><span class="title">${one.name}</span>
<div class="quiet">${deploymentsOf(one)}</div></div>
<a class="button" href="?name=${encodeURIComponent(one.name)}" aria-label="Edit ${one.name}">Edit</a></li>`,
  )}${known.length === 0 ? html`<li class="quiet">No environment yet. A job that names one makes it, and every branch may use it.</li>` : ''}</ul>`;
}

function deploymentsOf({ branches, names, tags }: Known): Html {
  if (branches !== 'selected') return html`${BRANCHES[branches].title}`;
  if (names.length + tags.length === 0) return html`Selected branches: none`;
  const shown = [...names, ...tags.map((tag) => `tag ${tag}`)];
  return html`Selected branches: ${shown.map((name) => html`<span class="branch">${name}</span> `)}`;
}

/** What the address asks for goes before what there is. */
function filled(known: readonly Known[], asked: { readonly name: string; readonly branches: readonly string[] }): Form {
  const one = named(known, asked.name);
  const names = asked.branches.length > 0 ? asked.branches : (one?.names ?? []);
  const branches = asked.branches.length > 0 ? 'selected' : (one?.branches ?? 'every');
  return { name: one?.name ?? asked.name, branches, patterns: names.join('\n') };
}

/** Names are compared without case, as GitHub does. */
function named(known: readonly Known[], name: string): Known | undefined {
  return known.find((one) => one.name.toLowerCase() === name.trim().toLowerCase());
}

function environmentForm(known: readonly Known[], { name = '', branches = '', patterns = '' }: Form): Html {
  const one = named(known, name);
  // A browser drops the first line break of a text area, so that one is ours.
  return html`<h2>${one ? `Edit ${one.name}` : 'New environment'}</h2>
<form method="post" class="panel padded stack">
<label>Name <input name="name" required maxlength="255" value="${name}" autocomplete="off" spellcheck="false"></label>
<fieldset><legend>Deployment branches</legend>${Object.entries(BRANCHES).map(
    ([value, { title, text }]) =>
      html`<label class="choice"><input type="radio" name="branches" value="${value}" autocomplete="off" ${value === branches ? 'checked' : ''}> <b>${title}</b> <span class="quiet">${text}</span></label>`,
  )}</fieldset>
<label class="patterns">Branch names or patterns, one a line <textarea name="patterns" class="source" rows="4" placeholder="main" spellcheck="false">
${patterns}</textarea></label>
<p class="buttons"><button class="primary" name="action" value="save">Save environment</button></p></form>`;
}
