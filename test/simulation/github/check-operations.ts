/** Check runs: the App's own, and what others say, as the port has them. */
import type { GitHub } from '../../../src/github/github-port.ts';
import type { CheckRun } from '../../../src/loop/check-run.ts';
import type { Access } from './github-port.ts';
import type { Check, Hub } from './hub.ts';
import { markdown, plain } from './texts.ts';

type Checks = Pick<GitHub, 'checks' | 'foreignChecks'>;

export function checkOperations({ hub, wire }: Access): Checks {
  return {
    async checks(target, wanted) {
      const [first] = wanted;
      if (first === undefined) return;
      const sha = first.headSha;
      const own = await wire.request(target, {
        count: 1,
        writes: false,
        what: `GET commits/${sha}/check-runs`,
        perform: () => [...hub.checks.values()].filter((check) => check.own && check.sha === sha),
      });
      for (const one of wanted) {
        const existing = own.findLast(({ name }) => name === one.name);
        if (existing?.text === textOf(one) && existing.externalId === one.externalId) continue;
        await wire.request(target, {
          count: 1,
          writes: true,
          what: 'POST check-runs',
          perform: () => write(hub, one, existing),
        });
      }
    },
    foreignChecks: (target, sha) =>
      wire.request(target, {
        count: 2,
        writes: false,
        what: `GET commits/${sha}/check-runs`,
        perform: () =>
          [...hub.checks.values()]
            .filter((check) => !check.own && check.sha === sha)
            .map(({ name, status, conclusion }) => ({
              name,
              status: wordOf(status, conclusion),
              detail: conclusion ?? status,
            })),
      }),
  };
}

function wordOf(status: Check['status'], conclusion: string | undefined): 'pending' | 'passed' | 'failed' {
  if (status !== 'completed') return 'pending';
  return conclusion === 'success' || conclusion === 'skipped' || conclusion === 'neutral' ? 'passed' : 'failed';
}

function textOf(wanted: CheckRun): string {
  return JSON.stringify({ ...wanted, headSha: undefined });
}

function write(hub: Hub, wanted: CheckRun, existing: Check | undefined): void {
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
    return;
  }
  const id = hub.nextId();
  hub.checks.set(id, { id, sha: wanted.headSha, name: wanted.name, suite: undefined, own: true, ...said });
}
