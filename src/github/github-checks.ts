/** Our check runs, written only when they say something new. */
import { createHash } from 'node:crypto';
import { LoopError } from '../errors.ts';
import type { CheckRun } from '../loop/check-run.ts';
import { knownCheck, type ShownCheck, shownAs } from '../loop/shown.ts';
import { batchesOf, bodyOf, type CheckWrite, type Place, written, writtenTogether } from './check-writes.ts';
import type { Call } from './github-client.ts';
import type { Operation } from './github-talk.ts';

/** One listing serves all of them, because every change of a loop shows all its check runs; none is needed where it is known what was sent. */
export const checks: Operation<'checks'> = async (call, wanted, known) => {
  const [first] = wanted;
  if (first === undefined) return [];
  const isKnown = known !== undefined && call.isFirst;
  const own = isKnown ? [] : await ownChecks(call, first.headSha);
  const changes = wanted.map(annotatedAtTheEnd).map((one): Change => {
    return { wanted: one, existing: (isKnown ? knownCheck(known, one) : undefined) ?? newestOf(own, one) };
  });
  const due = changes.filter((change) => !isShown(change));
  const writes = due.map((change) => writeOf(call, change));
  const places = await writtenTogether(call, writes);
  // Which one GitHub refuses, and why, REST says; what it took of them is there.
  if (places === 'refused') return oneByOne(call, changes, await ownChecks(call, first.headSha));
  const sent = new Map(due.map((change, index) => [change, shownHere(change, places[index])]));
  return changes.flatMap((change) => sent.get(change) ?? change.existing ?? []);
};

export const addChecks: Operation<'addChecks'> = async (call, wanted) => {
  const [first] = wanted;
  if (first === undefined) return;
  const absent = async (): Promise<readonly CheckWrite[]> => {
    const own = await ownChecks(call, first.headSha);
    const lacking = wanted.filter((one) => newestOf(own, one) === undefined);
    return lacking.map((one) => writeOf(call, { wanted: one, existing: undefined }));
  };
  if ((await writtenTogether(call, await absent())) !== 'refused') return;
  for (const write of await absent()) await written(call, write);
};

async function oneByOne(
  call: Call,
  changes: readonly Change[],
  own: readonly Listed[],
): Promise<readonly ShownCheck[]> {
  const shown: ShownCheck[] = [];
  for (const { wanted } of changes) {
    const change = { wanted, existing: newestOf(own, wanted) };
    if (isShown(change) && change.existing !== undefined) shown.push(change.existing);
    else shown.push(shownHere(change, await written(call, writeOf(call, change))));
  }
  return shown;
}

function shownHere({ wanted }: Change, place: Place | undefined): ShownCheck {
  if (place === undefined) throw new LoopError(`GitHub did not say where the check run ${wanted.name} is.`);
  return shownAs(wanted, { ...place, digests: digestsOf(wanted) });
}

/** Annotations can only be added, so a run that is still at work has none: it can always be completed, and none is left behind at work. */
function annotatedAtTheEnd(wanted: CheckRun): CheckRun {
  return wanted.status === 'completed' ? wanted : { ...wanted, annotations: [] };
}

interface Change {
  readonly wanted: CheckRun;
  readonly existing: ShownCheck | undefined;
}

/** Whether it says nothing new. */
function isShown({ wanted, existing }: Change): boolean {
  return existing?.digests.all === digestsOf(wanted).all && existing.externalId === wanted.externalId;
}

function writeOf(call: Call, { wanted, existing }: Change): CheckWrite {
  const digests = digestsOf(wanted);
  const sameAnnotations = existing?.digests.annotations === digests.annotations;
  const place = existing && mayBeChanged(existing, wanted, sameAnnotations) ? existing : undefined;
  const batches = place !== undefined && sameAnnotations ? [] : batchesOf(wanted.annotations);
  return { wanted, place, body: bodyOf(call, wanted, digests), batches };
}

/** GitHub shows neither actions nor annotations in a listing, so the summary carries digests of what was sent, unseen by people. */
function digestsOf(wanted: CheckRun): ShownCheck['digests'] {
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
    node: own.node_id,
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
