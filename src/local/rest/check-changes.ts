/** Changes of check runs, each with its webhook: https://docs.github.com/webhooks/webhook-events-and-payloads#check_run */
import { z } from 'zod';
import { type Fields, fieldsOf } from '../../referee/json.ts';
import { annotationSchema, CHECK_CONCLUSIONS, type CheckRun, checkActionSchema } from '../check-records.ts';
import { now } from '../clock.ts';
import { type Host, OWN_SLUG } from '../host.ts';
import { HttpError } from '../http-error.ts';
import type { Repository } from '../records.ts';
import { emit } from '../webhooks/events.ts';
import { checkRunPayload, checkSuitePayload, suiteStateOf } from './check-payloads.ts';
import { suiteOf } from './check-suites.ts';

const MOST_ACTIONS = 3;
const MOST_ANNOTATIONS = 50;
const LONGEST_TEXT = 65_535;
const text = z.string().max(LONGEST_TEXT);

export const checkChange = z.object({
  name: z.string().optional(),
  status: z.enum(['queued', 'in_progress', 'completed']).optional(),
  conclusion: z.enum(CHECK_CONCLUSIONS).optional(),
  external_id: z.string().optional(),
  details_url: z.string().optional(),
  started_at: z.string().optional(),
  completed_at: z.string().optional(),
  output: z
    .strictObject({
      title: z.string().optional(),
      summary: text,
      text: text.optional(),
      annotations: z.array(annotationSchema).max(MOST_ANNOTATIONS).optional(),
    })
    .optional(),
  actions: z
    .array(
      checkActionSchema.extend({
        label: z.string().max(20),
        description: z.string().max(40),
        identifier: z.string().max(20),
      }),
    )
    .max(MOST_ACTIONS)
    .optional(),
});
export type CheckChange = z.infer<typeof checkChange>;

export interface NewCheckRun {
  readonly repository: Repository;
  readonly sender: string;
  readonly headSha: string;
  readonly change: CheckChange;
  readonly app?: string;
  readonly suiteId?: number;
}

/** Makes a check run of an App, or of GitHub Actions in the suite of a workflow run. */
export function createCheckRun(
  host: Host,
  { repository, sender, headSha, change, app = OWN_SLUG, suiteId }: NewCheckRun,
): CheckRun {
  return host.state.transaction(() => {
    const headBranch = host.state.announcedRefs
      .find({ repositoryId: repository.id, sha: headSha })[0]
      ?.ref.replace(/^refs\/heads\//, '');
    const run = host.state.checkRuns.insert({
      repositoryId: repository.id,
      suiteId: suiteId ?? suiteOf(host, { repository, headSha, headBranch, app }).id,
      headSha,
      app,
      name: change.name ?? '',
      status: 'queued',
      externalId: '',
      startedAt: now(host),
      annotations: [],
      actions: [],
    });
    const filled = save(host, run, change);
    tell(host, { repository, sender, run: filled, action: 'created' });
    if (filled.status === 'completed') tellCompleted(host, { repository, sender, run: filled });
    return filled;
  });
}

export interface CheckRunUpdate {
  readonly repository: Repository;
  readonly sender: string;
  readonly run: CheckRun;
  readonly change: CheckChange;
}

/** Changes a check run; annotations are added to those that are there. */
export function updateCheckRun(host: Host, { repository, sender, run, change }: CheckRunUpdate): CheckRun {
  return host.state.transaction(() => {
    const changed = save(host, run, change);
    if (changed.status === 'completed' && run.status !== 'completed')
      tellCompleted(host, { repository, sender, run: changed });
    return changed;
  });
}

export interface Press {
  readonly repository: Repository;
  readonly sender: string;
  readonly run: CheckRun;
}

/** Somebody asks for the check again. */
export function pressRerequest(host: Host, press: Press): void {
  host.state.transaction(() => tell(host, { ...press, action: 'rerequested' }));
}

/** Somebody presses one of the check run's buttons. @throws HttpError 404 for a button that the run does not have */
export function pressAction(host: Host, press: Press, identifier: string): void {
  if (!press.run.actions.some((action) => action.identifier === identifier)) {
    throw new HttpError(404, `The check run ${press.run.id} has no action "${identifier}"`);
  }
  host.state.transaction(() =>
    tell(host, { ...press, action: 'requested_action', fields: { requested_action: { identifier } } }),
  );
}

/** A suite has changed when one of its runs has. */
function save(host: Host, run: CheckRun, change: CheckChange): CheckRun {
  host.state.checkSuites.update(run.suiteId, { updatedAt: now(host) });
  host.lookAtQueue(run.repositoryId);
  return host.state.checkRuns.update(run.id, changesOf(host, run, change));
}

function changesOf(host: Host, run: CheckRun, change: CheckChange): Partial<CheckRun> {
  const { output } = change;
  return {
    ...progressOf(host, run, change),
    ...given({
      name: change.name,
      externalId: change.external_id,
      detailsUrl: change.details_url,
      startedAt: change.started_at,
      title: output?.title,
      summary: output?.summary,
      text: output?.text,
      actions: change.actions,
    }),
    annotations: [...run.annotations, ...(output?.annotations ?? [])],
  };
}

/** A conclusion completes the run; going back to an earlier status takes the conclusion away. */
function progressOf(host: Host, run: CheckRun, change: CheckChange): Partial<CheckRun> {
  const status = change.status ?? (change.conclusion ? 'completed' : run.status);
  if (status !== 'completed') return { status, conclusion: undefined, completedAt: undefined };
  const conclusion = change.conclusion ?? run.conclusion;
  if (!conclusion)
    throw new HttpError(422, 'Invalid request.\n\nMissing required key conclusion for status completed.');
  return { status, conclusion, completedAt: change.completed_at ?? run.completedAt ?? now(host) };
}

function given(values: { readonly [K in keyof CheckRun]?: CheckRun[K] | undefined }): Partial<CheckRun> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function tell(
  host: Host,
  { repository, sender, run, action, fields = {} }: Press & { readonly action: string; readonly fields?: Fields },
): void {
  const suite = host.state.checkSuites.get(run.suiteId);
  const written = checkRunPayload(host, repository, run);
  const check_run = {
    ...written,
    check_suite: suite ? checkSuitePayload(host, repository, suite) : fieldsOf(written.check_suite),
  };
  emit(host, { event: 'check_run', action, repository, sender, fields: { check_run, ...fields } });
}

/** A suite is completed with the last of its runs. */
function tellCompleted(host: Host, press: Press): void {
  tell(host, { ...press, action: 'completed' });
  const { suiteId } = press.run;
  const suite = host.state.checkSuites.get(suiteId);
  // The suite of a workflow run is completed by the run, which knows whether further jobs will come.
  if (!suite || suite.runId !== undefined || suiteStateOf(host, suite).status !== 'completed') return;
  completeSuite(host, { repository: press.repository, sender: press.sender, suiteId });
}

/** Tells that a suite is completed. */
export function completeSuite(
  host: Host,
  {
    repository,
    sender,
    suiteId,
  }: { readonly repository: Repository; readonly sender: string; readonly suiteId: number },
): void {
  const suite = host.state.checkSuites.update(suiteId, { updatedAt: now(host) });
  emit(host, {
    event: 'check_suite',
    action: 'completed',
    repository,
    sender,
    fields: { check_suite: checkSuitePayload(host, repository, suite) },
  });
}
