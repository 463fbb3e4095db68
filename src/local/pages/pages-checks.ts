/** Check runs and commit statuses: a short list for the conversation, and cards with output, annotations and buttons. */
import { html } from 'hono/html';
import { type Api, PageError, pathOf } from './pages-api.ts';
import type { Html } from './pages-frame.ts';
import { buttonForm, duration, markdown, moment, shortSha, stateIcon, stateOf } from './pages-parts.ts';
import {
  type Annotation,
  annotation,
  type CheckButton,
  type CheckRun,
  checkButton,
  checkRuns,
  commitStatus,
} from './pages-schemas.ts';
import type { Action, Place } from './pages-visit.ts';

type Status = { readonly state: string; readonly context: string; readonly description: string };
export type Check = {
  readonly run: CheckRun;
  readonly annotations: readonly Annotation[];
  /** `undefined`: the server does not say. */
  readonly buttons: readonly CheckButton[] | undefined;
};
export type Checks = { readonly sha: string; readonly checks: readonly Check[]; readonly statuses: readonly Status[] };

/** Reads all that judges a commit. */
export async function readChecks(api: Api, place: Place, sha: string): Promise<Checks> {
  const [{ check_runs: found }, { statuses }] = await Promise.all([
    api.get(`${place.route}/commits/${sha}/check-runs?per_page=100`, checkRuns),
    api.get(`${place.route}/commits/${sha}/status`, commitStatus),
  ]);
  const sorted = found.toSorted((a, b) => a.name.localeCompare(b.name));
  const checks = await Promise.all(sorted.map((run) => readCheck(api, place, run)));
  // What asks somebody stands above; the rest by name, as on GitHub.
  const asks = ({ run, buttons }: Check): boolean => isAsking(run, buttons);
  return { sha, checks: [...checks.filter(asks), ...checks.filter((check) => !asks(check))], statuses };
}

async function readCheck(api: Api, place: Place, run: CheckRun): Promise<Check> {
  const route = `${place.route}/check-runs/${run.id}`;
  const hasNotes = (run.output.annotations_count ?? 0) > 0;
  const [annotations, buttons] = await Promise.all([
    hasNotes ? api.list(`${route}/annotations`, annotation) : [],
    api.find(`/_local/${route}/actions`, checkButton.array()),
  ]);
  return { run, annotations, buttons };
}

const press: Action = async ({ api }, place, { check_run = '', identifier = '' }) => {
  await api.send({
    method: 'POST',
    path: `/_local/${place.route}/check-runs/${idOf(check_run)}/actions/${pathOf(identifier)}`,
  });
  return undefined;
};

const rerun: Action = async ({ api }, place, { check_run = '' }) => {
  await api.send({ method: 'POST', path: `${place.route}/check-runs/${idOf(check_run)}/rerequest` });
  return undefined;
};

function idOf(text: string): string {
  if (!/^\d+$/.test(text)) throw new PageError(`"${text}" is no check run id.`, 422);
  return text;
}

/** The rows for the page's action table. */
export const checkActions = { press, rerun };

/** One line per check, for the merge box. */
export function checkSummary({ checks, statuses }: Checks, link: string): Html {
  if (checks.length + statuses.length === 0)
    return html`<p class="padded quiet">No checks have reported on this commit.</p>`;
  return html`<ul class="rows checks">${checks.map(
    ({ run, buttons }) =>
      html`<li>${stateIcon(stateOf(run))}<div class="grow"><a class="name" href="${link}#check-${run.id}">${run.name}</a> <span class="quiet">${run.output.title || stateOf(run).replaceAll('_', ' ')}</span></div>${
        isAsking(run, buttons) ? html`<a class="tag asks" href="${link}#check-${run.id}">asks for a decision</a>` : ''
      }</li>`,
  )}${statuses.map(statusRow)}</ul>`;
}

function isAsking(run: CheckRun, buttons: Check['buttons']): boolean {
  return run.conclusion === 'action_required' && (buttons ?? []).length > 0;
}

function statusRow({ state, context, description }: Status): Html {
  return html`<li>${stateIcon(state)}<div class="grow"><b>${context}</b> <span class="quiet">${description}</span></div></li>`;
}

/** A card per check run, what needs attention unfolded. */
export function checkCards({ sha, checks, statuses }: Checks, place: Place): Html {
  return html`<p class="toolbar quiet">Checks of <a class="sha" href="${place.link}/commit/${sha}">${shortSha(sha)}</a></p>
${checks.map((check) => checkCard(check, place))}
${statuses.length > 0 ? html`<section class="panel"><ul class="rows checks">${statuses.map(statusRow)}</ul></section>` : ''}
${checks.length + statuses.length === 0 ? html`<p class="panel padded quiet">No checks have reported on this commit.</p>` : ''}`;
}

function checkCard({ run, annotations, buttons }: Check, place: Place): Html {
  return html`<article class="panel check" id="check-${run.id}" aria-label="${run.name}">
<header class="panel-head">${stateIcon(stateOf(run))}<div class="grow"><h2>${run.name}</h2><div class="quiet">${factsOf(run)}</div></div>
${buttonsOf(run, buttons)}</header>
<div class="padded">${outputOf(run, place)}
${annotations.length > 0 ? html`<ul class="annotations">${annotations.map((note) => annotationItem(note, run, place))}</ul>` : ''}
${run.output.text ? html`<details class="more"><summary>Details</summary>${markdown(run.output.text, place)}</details>` : ''}</div></article>`;
}

function outputOf({ app, output: { title, summary, text } }: CheckRun, place: Place): Html {
  if (!title && !summary && !text)
    return html`<p class="quiet">${app?.slug === 'github-actions' ? html`Its log is under <a href="${place.link}/actions">Actions</a>.` : 'No output yet.'}</p>`;
  return html`${title ? html`<h3>${title}</h3>` : ''}${summary ? markdown(summary, place) : ''}`;
}

const RERUN = 'Re-run';

/** The app's buttons, then GitHub's own, unless an app has one of that name itself: two would only confuse. */
function buttonsOf(run: CheckRun, buttons: Check['buttons']): Html {
  const check_run = String(run.id);
  const own = buttonForm({
    fields: { action: 'rerun', check_run },
    label: RERUN,
    title: `Ask ${run.app?.name ?? 'the app'} to run ${run.name} again`,
  });
  if (!buttons) return html`<span class="quiet">The server does not say which buttons this check has.</span>${own}`;
  const offered = buttons.map(({ label, description, identifier }, index) =>
    buttonForm({
      fields: { action: 'press', check_run, identifier },
      label,
      title: description,
      ...(index === 0 ? { tone: 'primary' as const } : {}),
    }),
  );
  return html`${offered}${buttons.some(({ label }) => label === RERUN) ? '' : own}`;
}

function factsOf(run: CheckRun): readonly (Html | string)[] {
  const facts = [
    stateOf(run).replaceAll('_', ' '),
    run.app?.name ?? '',
    moment(run.completed_at ?? run.started_at),
    duration(run.started_at, run.completed_at),
  ];
  return facts.filter((fact) => fact !== '').flatMap((fact, index) => (index === 0 ? [fact] : [' · ', fact]));
}

function annotationItem(note: Annotation, run: CheckRun, place: Place): Html {
  const lines = note.start_line === note.end_line ? `${note.start_line}` : `${note.start_line}–${note.end_line}`;
  const href = `${place.link}/blob/${run.head_sha}/${pathOf(note.path)}#L${note.start_line}`;
  return html`<li class="${note.annotation_level}"><div><a href="${href}"><code>${note.path}:${lines}</code></a> <span class="tag">${note.annotation_level}</span> ${note.title ? html`<b>${note.title}</b>` : ''}</div>
<div class="message">${note.message}</div>${note.raw_details ? html`<pre>${note.raw_details}</pre>` : ''}</li>`;
}
