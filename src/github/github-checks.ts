/** Our check runs, written only when they say something new. */
import { createHash } from 'node:crypto';
import type { CheckRun } from '../loop/check-run.ts';
import { knownCheck, type ShownCheck, shownAs } from '../loop/shown.ts';
import type { Call } from './github-client.ts';
import type { Operation } from './github-talk.ts';

/** GitHub takes 50 annotations in one request, and adds those of the next. */
const ANNOTATIONS_AT_ONCE = 50;
const LABEL_LENGTH = 20;
const DESCRIPTION_LENGTH = 40;
const ACTIONS = 3;

/** One listing serves all of them, because every change of a loop shows all its check runs; none is needed where it is known what was sent. */
export const checks: Operation<'checks'> = async (call, wanted, known) => {
  const [first] = wanted;
  if (first === undefined) return [];
  const own = known === undefined ? await ownChecks(call, first.headSha) : [];
  const shown: ShownCheck[] = [];
  for (const one of wanted)
    shown.push(await bringUpToDate(call, annotatedAtTheEnd(one), knownCheck(known ?? [], one) ?? newestOf(own, one)));
  return shown;
};

/** Annotations can only be added, so a run that is still at work has none: it can always be completed, and none is left behind at work. */
function annotatedAtTheEnd(wanted: CheckRun): CheckRun {
  return wanted.status === 'completed' ? wanted : { ...wanted, annotations: [] };
}

async function bringUpToDate(call: Call, wanted: CheckRun, existing: ShownCheck | undefined): Promise<ShownCheck> {
  const digests = digestsOf(wanted);
  if (existing?.digests.all === digests.all && existing.externalId === wanted.externalId) return existing;
  const sameAnnotations = existing?.digests.annotations === digests.annotations;
  const batches = sameAnnotations ? [] : batchesOf(wanted.annotations);
  const body = bodyOf(call, wanted, digests);
  const id =
    existing && mayBeChanged(existing, wanted, sameAnnotations)
      ? await update(call, existing.id, { ...body, annotations: batches[0] })
      : await create(call, wanted, { ...body, annotations: batchesOf(wanted.annotations)[0] });
  const rest = (id === existing?.id ? batches : batchesOf(wanted.annotations)).slice(1);
  for (const annotations of rest) await update(call, id, { ...body, annotations });
  return shownAs(wanted, { id, digests });
}

type Digests = ShownCheck['digests'];

/** GitHub shows neither actions nor annotations in a listing, so the summary carries digests of what was sent, unseen by people. */
function digestsOf(wanted: CheckRun): Digests {
  return { all: shortDigest(wanted), annotations: shortDigest(wanted.annotations) };
}

const STAMP = /^<!-- loopwright:([0-9a-f]{16}):([0-9a-f]{16}) -->/;

function shortDigest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}

type Listed = Awaited<ReturnType<typeof ownChecks>>[number];

async function ownChecks({ octokit, here, self }: Call, headSha: string) {
  const listed = { ...here, ref: headSha, filter: 'latest' as const, per_page: 100 };
  const runs = await octokit.paginate(octokit.rest.checks.listForRef, listed);
  return runs.filter(({ app }) => app?.id === self.appId);
}

function newestOf(runs: readonly Listed[], { name, headSha }: CheckRun): ShownCheck | undefined {
  const own = runs.filter((run) => run.name === name).toSorted((left, right) => right.id - left.id)[0];
  if (own === undefined) return undefined;
  const [, all = '', annotations = ''] = STAMP.exec(own.output.summary ?? '') ?? [];
  return {
    name,
    headSha,
    id: own.id,
    externalId: own.external_id ?? '',
    isCompleted: own.status === 'completed',
    annotations: own.output.annotations_count,
    digests: { all, annotations },
  };
}

/**
 * A completed run does not go back to work, and annotations can only be added: such a change is a new run of the same name. So is one that offers
 * buttons for something else: whoever presses what their page still shows would be taken to mean what they never saw.
 */
function mayBeChanged(existing: ShownCheck, wanted: CheckRun, sameAnnotations: boolean): boolean {
  if (wanted.actions.length > 0 && existing.externalId !== wanted.externalId) return false;
  if (existing.isCompleted && wanted.status !== 'completed') return false;
  return sameAnnotations || existing.annotations === 0;
}

interface Annotation {
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly annotation_level: 'notice' | 'warning' | 'failure';
  readonly message: string;
}

function batchesOf(annotations: CheckRun['annotations']): readonly (readonly CheckRun['annotations'][number][])[] {
  const count = Math.ceil(annotations.length / ANNOTATIONS_AT_ONCE);
  return Array.from({ length: count }, (_, index) =>
    annotations.slice(index * ANNOTATIONS_AT_ONCE, (index + 1) * ANNOTATIONS_AT_ONCE),
  );
}

type Body = ReturnType<typeof bodyOf> & {
  readonly annotations: readonly CheckRun['annotations'][number][] | undefined;
};

function bodyOf(call: Call, wanted: CheckRun, { all, annotations }: Digests) {
  return {
    external_id: wanted.externalId,
    status: wanted.status,
    ...(wanted.status === 'completed' ? { conclusion: wanted.conclusion ?? ('failure' as const) } : {}),
    title: call.plain(wanted.title),
    summary: `<!-- loopwright:${all}:${annotations} -->\n${call.markdown(wanted.summary)}`,
    text: call.markdown(wanted.text),
    actions: wanted.actions.slice(0, ACTIONS).map(({ label, description, identifier }) => ({
      label: call.plain(label).slice(0, LABEL_LENGTH),
      description: call.plain(description).slice(0, DESCRIPTION_LENGTH),
      identifier,
    })),
  };
}

function requestOf(call: Call, { title, summary, text, annotations, ...rest }: Body) {
  const listed = annotations?.map(
    ({ path, line, level, message }): Annotation => ({
      path,
      start_line: line,
      end_line: line,
      annotation_level: level,
      message: call.plain(message),
    }),
  );
  return {
    ...rest,
    output: { title, summary, ...(text === '' ? {} : { text }), ...(listed ? { annotations: listed } : {}) },
  };
}

async function create(call: Call, { name, headSha }: CheckRun, body: Body): Promise<number> {
  const { data } = await call.octokit.rest.checks.create({
    ...call.here,
    name,
    head_sha: headSha,
    ...requestOf(call, body),
  });
  return data.id;
}

async function update(call: Call, id: number, body: Body): Promise<number> {
  await call.octokit.rest.checks.update({ ...call.here, check_run_id: id, ...requestOf(call, body) });
  return id;
}
