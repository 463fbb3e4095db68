/** The Actions pages: workflow runs, and one run with its jobs, steps, logs and artifacts. */
import type { Hono } from 'hono';
import { html } from 'hono/html';
import { PageError } from './pages-api.ts';
import { type Html, showPage } from './pages-frame.ts';
import { buttonForm, duration, moment, shortSha, stateIcon, stateOf } from './pages-parts.ts';
import {
  type Artifact,
  artifact,
  artifacts,
  type Job,
  jobs,
  runProblem,
  type WorkflowRun,
  workflowRun,
  workflowRuns,
} from './pages-schemas.ts';
import {
  type Action,
  type Attempt,
  acting,
  numberOf,
  type PageContext,
  type PageEnvironment,
  type Place,
  placeOf,
  reading,
  type Visit,
} from './pages-visit.ts';

/** Adds `/actions`, `/actions/runs/{id}` and the download of artifacts. */
export function addActionPages(site: Hono<PageEnvironment>): void {
  const run = '/:owner/:repo/actions/runs/:number{[0-9]+}';
  site.get('/:owner/:repo/actions', reading(showRuns));
  site.get(run, reading(showRun));
  site.post(run, acting(showRun, { cancel, rerun }));
  site.get(`${run}/artifacts/:artifact{[0-9]+}`, reading(downloadArtifact));
}

const post =
  (verb: 'cancel' | 'rerun'): Action =>
  async ({ api }, place, _form, number) => {
    await api.send({ method: 'POST', path: `${place.route}/actions/runs/${number}/${verb}` });
    return undefined;
  };
const cancel = post('cancel');
const rerun = post('rerun');

async function showRuns(context: PageContext): Promise<Response> {
  const place = placeOf(context);
  const found = await context.var.visit.api.get(`${place.route}/actions/runs?per_page=100`, workflowRuns);
  const body = html`<div class="page-head"><h1>Workflow runs</h1></div>
<ul class="panel rows">${found.workflow_runs.map((run) => runRow(run, place))}${found.workflow_runs.length === 0 ? html`<li class="quiet">No workflow has run yet.</li>` : ''}</ul>`;
  return showPage(context, { title: `Actions · ${place.fullName}`, place, section: 'actions', body });
}

function runRow(run: WorkflowRun, place: Place): Html {
  return html`<li>${stateIcon(stateOf(run))}<div class="grow"><a class="title" href="${place.link}/actions/runs/${run.id}">${run.display_title || run.name}</a>
<div class="quiet">${run.name} #${run.run_number} · ${run.event} by ${run.actor.login}</div></div>
<span class="branch">${run.head_branch}</span><span class="count quiet">${moment(run.created_at)}</span></li>`;
}

async function showRun(context: PageContext, attempt: Attempt): Promise<Response> {
  const place = placeOf(context);
  const { api } = context.var.visit;
  const route = `${place.route}/actions/runs/${numberOf(context)}`;
  const run = await api.find(route, workflowRun);
  if (!run) throw new PageError(`There is no workflow run ${numberOf(context)} in ${place.fullName}.`, 404);
  const [{ jobs: found }, { artifacts: files }, hindered] = await Promise.all([
    api.get(`${route}/jobs?per_page=100`, jobs),
    api.get(`${route}/artifacts?per_page=100`, artifacts),
    api.find(`/_local/${route}/problem`, runProblem),
  ]);
  const logs = await Promise.all(found.map((job) => readLog(context.var.visit, place, job)));
  const isOver = run.status === 'completed';
  const body = html`<div class="page-head"><h1>${run.display_title || run.name} <span class="number">#${run.run_number}</span></h1>
${buttonForm({ fields: { action: isOver ? 'rerun' : 'cancel' }, label: isOver ? 'Re-run all jobs' : 'Cancel run' })}</div>
<p class="lead">${stateIcon(stateOf(run))} <b>${stateOf(run).replaceAll('_', ' ')}</b> · ${run.name} · ${run.event} by ${run.actor.login} ${moment(run.created_at)} · <span class="branch">${run.head_branch}</span> <a class="sha" href="${place.link}/commit/${run.head_sha}">${shortSha(run.head_sha)}</a></p>
${hindered?.problem ? html`<p class="problem" role="alert">${hindered.problem}</p>` : ''}
${found.map((job, index) => jobCard(job, logs[index]))}${found.length === 0 && !hindered?.problem ? html`<p class="panel padded quiet">No job has begun yet.</p>` : ''}
<h2>Artifacts</h2><ul class="panel rows">${files.map((file) => artifactRow(file, `${place.link}/actions/runs/${run.id}/artifacts/${file.id}`))}${files.length === 0 ? html`<li class="quiet">None.</li>` : ''}</ul>`;
  return showPage(context, {
    title: `${run.display_title || run.name} · ${place.fullName}`,
    place,
    section: 'actions',
    body,
    attempt,
  });
}

async function readLog({ api }: Visit, place: Place, job: Job): Promise<string | undefined> {
  if (job.status !== 'completed') return undefined;
  return (await api.download(`${place.route}/actions/jobs/${job.id}/logs`))?.text();
}

function jobCard(job: Job, log: string | undefined): Html {
  return html`<article class="panel job" id="job-${job.id}"><header class="panel-head">${stateIcon(stateOf(job))}<h2 class="grow">${job.name}</h2><span class="quiet">${duration(job.started_at, job.completed_at)}</span></header>
<ol class="rows steps">${(job.steps ?? []).map(
    (step) =>
      html`<li>${stateIcon(stateOf(step))}<span class="grow">${step.name}</span><span class="quiet">${duration(step.started_at, step.completed_at)}</span></li>`,
  )}</ol>${logOf(job, log)}</article>`;
}

function logOf(job: Job, log: string | undefined): Html {
  if (job.status !== 'completed') return html`<p class="padded quiet">The log is there once the job has ended.</p>`;
  if (log === undefined) return html`<p class="padded quiet">This job left no log.</p>`;
  return html`<details class="log" ${job.conclusion === 'failure' ? 'open' : ''}><summary>Log</summary><pre>${log}</pre></details>`;
}

function artifactRow(file: Artifact, link: string): Html {
  const size = `${(file.size_in_bytes / 1024).toFixed(1)} KiB`;
  return html`<li><div class="grow">${file.expired ? html`<b>${file.name}</b> <span class="tag">expired</span>` : html`<a class="title" href="${link}">${file.name}</a>`}
<div class="quiet digest">${file.digest ?? 'no digest'}</div></div><span class="count quiet">${size}</span></li>`;
}

/** A browser cannot send the token with a link, so the page fetches for it. */
async function downloadArtifact(context: PageContext): Promise<Response> {
  const place = placeOf(context);
  const { api } = context.var.visit;
  const route = `${place.route}/actions/artifacts/${context.req.param('artifact') ?? ''}`;
  const [about, zip] = await Promise.all([api.find(route, artifact), api.download(`${route}/zip`)]);
  if (!about || !zip)
    throw new PageError('This artifact is gone; artifacts are deleted after their retention time.', 404);
  context.header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(about.name)}.zip`);
  context.header('content-type', 'application/zip');
  return context.body(await zip.arrayBuffer());
}
