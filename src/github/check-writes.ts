/** How check runs are sent: several in one request of GraphQL, or each by REST. */
import { z } from 'zod';
import { LimitedError, LoopError } from '../errors.ts';
import type { CheckRun } from '../loop/check-run.ts';
import type { ShownCheck } from '../loop/shown.ts';
import { type CheckRunAlias, type CheckRunInputs, checkRunsDocument } from '../referee/graphql.ts';
import type { Call } from './github-client.ts';
import { graphqlErrorOf } from './github-errors.ts';
import { repository } from './github-talk.ts';

/** GitHub takes 50 annotations in one request, and adds those of the next. */
const ANNOTATIONS_AT_ONCE = 50;
const LABEL_LENGTH = 20;
const DESCRIPTION_LENGTH = 40;
const ACTIONS = 3;

type Annotations = CheckRun['annotations'];

export interface CheckWrite {
  readonly wanted: CheckRun;
  /** The one that is changed; undefined where a new one is made. */
  readonly place: ShownCheck | undefined;
  readonly body: Body;
  /** To be added, as many as go into a request. */
  readonly batches: readonly Annotations[];
}

/** Where a check run is: its number, and its name in GraphQL. */
export interface Place {
  readonly id: number;
  readonly node: string;
}

export function batchesOf(annotations: Annotations): readonly Annotations[] {
  const count = Math.ceil(annotations.length / ANNOTATIONS_AT_ONCE);
  return Array.from({ length: count }, (_, index) =>
    annotations.slice(index * ANNOTATIONS_AT_ONCE, (index + 1) * ANNOTATIONS_AT_ONCE),
  );
}

type Body = ReturnType<typeof bodyOf>;

/** All but the annotations, filtered. */
export function bodyOf(call: Call, wanted: CheckRun, { all, annotations }: ShownCheck['digests']) {
  return {
    externalId: wanted.externalId,
    status: wanted.status,
    conclusion: wanted.status === 'completed' ? (wanted.conclusion ?? ('failure' as const)) : undefined,
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

const answer = z.record(z.string(), z.object({ checkRun: z.object({ id: z.string(), databaseId: z.int() }) }));

/** Gives the places in the order of the writes. One alone goes by REST, and so do those of which more annotations are to be added than one request takes. */
export async function writtenTogether(
  call: Call,
  writes: readonly CheckWrite[],
): Promise<readonly Place[] | 'refused'> {
  if (writes.length < 2 || writes.some(({ place, batches }) => batches.length > 1 || isNameless(place))) {
    const places: Place[] = [];
    for (const write of writes) places.push(await written(call, write));
    return places;
  }
  const repositoryId = await nodeOf(call);
  const named = writes.map((write, index) => [aliasOf(write, index), inputOf(call, write, repositoryId)] as const);
  const inputs: CheckRunInputs = Object.fromEntries(named);
  try {
    const answered = answer.parse(await call.octokit.graphql(checkRunsDocument(named.map(([alias]) => alias)), inputs));
    return named.map(([alias]) => {
      const { id: node, databaseId: id } = answered[alias]?.checkRun ?? {};
      if (node === undefined || id === undefined) throw new TypeError(`the answer says nothing of ${alias}`);
      return { id, node };
    });
  } catch (error) {
    const refused = graphqlErrorOf(error, 'GitHub did not take the check runs');
    if (refused === undefined) throw error;
    if (refused instanceof LimitedError) throw refused;
    return 'refused';
  }
}

/** Whether it is one that an earlier version showed, which kept no name of GraphQL. */
function isNameless(place: ShownCheck | undefined): boolean {
  return place !== undefined && place.node === undefined;
}

function aliasOf({ place }: CheckWrite, index: number): CheckRunAlias {
  return `${place === undefined ? 'create' : 'update'}${index}`;
}

const STATUS = { queued: 'QUEUED', in_progress: 'IN_PROGRESS', completed: 'COMPLETED' } as const;
const CONCLUSIONS = {
  action_required: 'ACTION_REQUIRED',
  cancelled: 'CANCELLED',
  failure: 'FAILURE',
  neutral: 'NEUTRAL',
  success: 'SUCCESS',
} as const satisfies Record<NonNullable<CheckRun['conclusion']>, string>;
const LEVELS = { notice: 'NOTICE', warning: 'WARNING', failure: 'FAILURE' } as const;

function inputOf(call: Call, { wanted, place, body, batches }: CheckWrite, repositoryId: string) {
  const { status, conclusion, title, summary, text, externalId, actions } = body;
  const annotations = batches[0]?.map(({ path, line, level, message }) => ({
    path,
    location: { startLine: line, endLine: line },
    annotationLevel: LEVELS[level],
    message: call.plain(message),
  }));
  const told = {
    ...{ repositoryId, externalId, status: STATUS[status] },
    ...(conclusion === undefined ? {} : { conclusion: CONCLUSIONS[conclusion] }),
    output: { title, summary, ...(text === '' ? {} : { text }), ...(annotations ? { annotations } : {}) },
    actions,
  };
  return place?.node === undefined
    ? { name: wanted.name, headSha: wanted.headSha, ...told }
    : { checkRunId: place.node, ...told };
}

/** The repository's name in GraphQL, which it keeps for ever. */
async function nodeOf(call: Call): Promise<string> {
  const { fixed, repositoryId } = call;
  const place = String(repositoryId);
  if (!fixed.repositoryNodes.has(place)) await repository(call);
  const node = fixed.repositoryNodes.get(place);
  if (node === undefined) throw new LoopError(`GitHub did not say how the repository ${place} is called in GraphQL.`);
  return node;
}

/** By REST: https://docs.github.com/rest/checks/runs */
export async function written(call: Call, write: CheckWrite): Promise<Place> {
  const [first, ...rest] = write.batches;
  const { data } = await (write.place === undefined
    ? create(call, write, first)
    : update(call, write.place.id, write, first));
  for (const more of rest) await update(call, data.id, write, more);
  return { id: data.id, node: data.node_id };
}

function create(call: Call, write: CheckWrite, annotations: Annotations | undefined) {
  const { name, headSha } = write.wanted;
  return call.octokit.rest.checks.create({
    ...call.here,
    name,
    head_sha: headSha,
    ...requestOf(call, write, annotations),
  });
}

function update(call: Call, id: number, write: CheckWrite, annotations: Annotations | undefined) {
  return call.octokit.rest.checks.update({ ...call.here, check_run_id: id, ...requestOf(call, write, annotations) });
}

function requestOf(call: Call, { body }: CheckWrite, annotations: Annotations | undefined) {
  const { status, conclusion, title, summary, text, externalId, actions } = body;
  const listed = annotations?.map(({ path, line, level, message }) => ({
    path,
    start_line: line,
    end_line: line,
    annotation_level: level,
    message: call.plain(message),
  }));
  return {
    external_id: externalId,
    status,
    ...(conclusion === undefined ? {} : { conclusion }),
    output: { title, summary, ...(text === '' ? {} : { text }), ...(listed ? { annotations: listed } : {}) },
    actions,
  };
}
