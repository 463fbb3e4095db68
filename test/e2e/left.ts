/** What a loop left, in the App's store and for people to see: the same with and without faults. */
import { z } from 'zod';
import type { Verdict } from '../../src/loop/loop.ts';
import { isBuilt } from '../../src/loop/stages.ts';
import { phaseName } from '../../src/loop/terms.ts';
import { markerOf } from './seen.ts';
import type { World } from './world.ts';

export interface Left {
  readonly status: string;
  readonly entries: readonly string[];
  /** Of each phase's last entry. */
  readonly gates: readonly string[];
  readonly codeTree: string | undefined;
  /** Everything on GitHub that anybody sees, as kind and key, sorted. */
  readonly visible: readonly string[];
}

const commentRows = z.array(z.object({ id: z.int(), body: z.string(), user: z.object({ login: z.string() }) }));
const pullRows = z.array(
  z.object({
    number: z.int(),
    state: z.string(),
    draft: z.boolean(),
    title: z.string(),
    head: z.object({ ref: z.string() }),
  }),
);
const issueRow = z.object({ state: z.string(), labels: z.array(z.object({ name: z.string() })) });
const runRows = z.object({
  workflow_runs: z.array(
    z.object({
      event: z.string(),
      display_title: z.string(),
      head_branch: z.string(),
      conclusion: z.string().nullable(),
    }),
  ),
});

/** Once nothing is pending. */
export async function leftBy(world: World, issue: number): Promise<Left> {
  const loop = await world.until(issue, () => true);
  return {
    status: loop.status,
    entries: loop.entries.map(({ phase, outcome }) => `${phase} ${outcome}`),
    gates: phaseName.options.flatMap((phase) =>
      (loop.entries.findLast((entry) => entry.phase === phase)?.gates ?? []).map(
        (gate) => `${phase} ${gateText(gate)}`,
      ),
    ),
    codeTree: isBuilt(loop) ? loop.built.candidate.codeTree : undefined,
    visible: await visibleOf(world, issue),
  };
}

/** Measured times differ, so only whether they passed is told. */
function gateText({ name, value, passed }: Verdict): string {
  return ['p95_ms', 'approval'].includes(name) ? `${name} ${passed}` : `${name} ${value} ${passed}`;
}

async function visibleOf(world: World, issue: number): Promise<readonly string[]> {
  const read = async <Row>(path: string, schema: z.ZodType<Row>) =>
    schema.parse((await world.as('maria', 'GET', path)).body);
  const pulls = await read('/pulls?state=all', pullRows);
  const { state, labels } = await read(`/issues/${issue}`, issueRow);
  const conversations = await Promise.all(
    [issue, ...pulls.map(({ number }) => number)].map((number) =>
      read(`/issues/${number}/comments?per_page=100`, commentRows),
    ),
  );
  const said = conversations
    .flat()
    .map(({ id, body, user }) => ({ id, key: markerOf(body) ?? `${user.login}: ${body}` }));
  const reactions = await Promise.all(
    said.map(async ({ id, key }) => (await world.reactions(id)).map((content) => `reaction ${content} to ${key}`)),
  );
  const { review } = await world.until(issue, () => true);
  const checks = review === undefined ? [] : await world.checks(review.head);
  const { workflow_runs: runs } = await read('/actions/runs?per_page=100', runRows);
  return [
    `issue ${state} [${labels.map(({ name }) => name)}]`,
    ...pulls.map(
      ({ draft, state: open, title, head }) => `pull ${open} ${draft ? 'draft' : 'ready'} ${head.ref} ${title}`,
    ),
    ...said.map(({ key }) => `comment ${key}`),
    ...reactions.flat(),
    ...checks.map(({ name, conclusion }) => `check ${name} ${conclusion}`),
    ...runs.map((run) => `run ${run.display_title} ${run.event} ${run.head_branch} ${run.conclusion}`),
  ].sort();
}
