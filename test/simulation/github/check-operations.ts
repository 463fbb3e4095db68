/** Check runs: the App's own, and what others say, as the port has them. */
import type { GitHub, HeadCheck, HeadChecks } from '../../../src/github/github-port.ts';
import type { CheckRun } from '../../../src/loop/check-run.ts';
import { knownCheck, type ShownCheck, shownAs } from '../../../src/loop/shown.ts';
import type { Access } from './github-port.ts';
import type { Check, Hub, Suite } from './hub.ts';
import { markdown, plain } from './texts.ts';

type Checks = Pick<GitHub, 'checks' | 'addChecks' | 'headChecks' | 'checkDetails' | 'failedLogEnd'>;

export function checkOperations({ hub, wire }: Access): Checks {
  return {
    async checks(target, wanted, known) {
      const [first] = wanted;
      if (first === undefined) return [];
      const sha = first.headSha;
      const knownOf = (one: CheckRun) => knownCheck(known ?? [], one);
      const isKnown = known !== undefined;
      const own = isKnown
        ? wanted.flatMap((one) => hub.checks.get(knownOf(one)?.id ?? 0) ?? [])
        : await wire.request(target, {
            count: 1,
            writes: false,
            what: `GET commits/${sha}/check-runs`,
            perform: () => [...hub.checks.values()].filter((check) => check.own && check.sha === sha),
          });
      const changes = wanted.map((one) => {
        const existing = own.findLast(({ name }) => name === one.name);
        const isSame = isKnown
          ? knownOf(one)?.digests.all === textOf(one)
          : existing?.text === textOf(one) && existing.externalId === one.externalId;
        return { one, existing, isShown: isSame && existing !== undefined };
      });
      const due = changes.filter(({ isShown }) => !isShown);
      // Several go in one request.
      const ids =
        due.length === 0
          ? []
          : await wire.request(target, {
              count: 1,
              writes: true,
              what: due.length === 1 ? 'POST check-runs' : 'POST graphql',
              perform: () => due.map(({ one, existing }) => write(hub, one, existing)),
            });
      return changes.map((change): ShownCheck => {
        const { one, existing } = change;
        const id = ids[due.indexOf(change)] ?? existing?.id ?? 0;
        return shownAs(one, { id, node: String(id), digests: { all: textOf(one), annotations: '' } });
      });
    },
    async checkDetails(target, checkRun) {
      const what = `GET check-runs/${checkRun}/annotations`;
      const name = () => hub.checks.get(checkRun)?.name ?? 'gone';
      const named = await wire.request(target, { count: 2, writes: false, what, perform: name });
      return { annotations: [], logEnd: [`${named}: 1 of 3 failed`] };
    },
    async failedLogEnd(target, runId) {
      const what = `GET actions/runs/${runId}/jobs`;
      return wire.request(target, { count: 2, writes: false, what, perform: () => ['##[error]exit code 1'] });
    },
    async addChecks(target, wanted) {
      const [first] = wanted;
      if (first === undefined) return;
      const sha = first.headSha;
      const own = await wire.request(target, {
        ...{ count: 1, writes: false, what: `GET commits/${sha}/check-runs` },
        perform: () => [...hub.checks.values()].filter((check) => check.own && check.sha === sha),
      });
      const absent = wanted.filter((one) => !own.some(({ name }) => name === one.name));
      if (absent.length === 0) return;
      await wire.request(target, {
        ...{ count: 1, writes: true, what: absent.length === 1 ? 'POST check-runs' : 'POST graphql' },
        perform: () => absent.map((one) => write(hub, one, undefined)),
      });
    },
    async headChecks(target, sha) {
      const what = `GET commits/${sha}/check-suites`;
      const ask = <Value>(perform: () => Value) => wire.request(target, { count: 1, writes: false, what, perform });
      // Workflow runs first: while one is at work, nothing else is asked.
      const suites = await ask(() => suitesOf(hub, sha));
      const working = suites.filter(({ status }) => status !== 'completed');
      if (working.length > 0) return { ...judged(suites), state: 'pending', waitsFor: working.map(({ name }) => name) };
      await ask(() => undefined);
      const found = await ask(() => [...hub.checks.values()].filter((check) => !check.own && check.sha === sha));
      const begun = found.filter(({ status }) => status !== 'completed');
      if (begun.length > 0)
        return { ...judged([...suites, ...found]), state: 'pending', waitsFor: begun.map(({ name }) => name) };
      const checks = found.map(
        ({ id, name, conclusion }): HeadCheck => ({
          name,
          outcome: outcomeOf(conclusion),
          detail: conclusion ?? '',
          checkRun: id,
        }),
      );
      return { ...judged([...suites, ...found]), checks };
    },
  };
}

/** A suite of an App that never says anything is nobody's. */
function suitesOf({ suites }: Hub, sha: string): readonly Suite[] {
  return [...suites.values()].filter((suite) => suite.speaks && suite.sha === sha).map((suite) => ({ ...suite }));
}

function judged(all: readonly Pick<Check, 'changedMs'>[]): HeadChecks {
  const changedAt =
    all.length === 0 ? undefined : new Date(Math.max(...all.map(({ changedMs }) => changedMs))).toISOString();
  return { state: 'complete', changedAt, waitsFor: [], checks: [] };
}

function outcomeOf(conclusion: string | undefined): HeadCheck['outcome'] {
  if (conclusion === 'cancelled') return 'cancelled';
  return conclusion === 'success' || conclusion === 'skipped' || conclusion === 'neutral' ? 'passed' : 'failed';
}

function textOf(wanted: CheckRun): string {
  return JSON.stringify({ ...wanted, headSha: undefined });
}

function write(hub: Hub, wanted: CheckRun, existing: Check | undefined): number {
  plain(wanted.title);
  markdown(wanted.summary);
  const said = {
    status: wanted.status,
    conclusion: wanted.conclusion,
    externalId: wanted.externalId,
    text: textOf(wanted),
    changedMs: hub.scheduler.nowMs(),
  };
  const reopens = existing?.status === 'completed' && wanted.status !== 'completed';
  if (existing !== undefined && !reopens) {
    Object.assign(existing, said);
    return existing.id;
  }
  const id = hub.nextId();
  hub.checks.set(id, { id, sha: wanted.headSha, name: wanted.name, suite: undefined, own: true, ...said });
  return id;
}
