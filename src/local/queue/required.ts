/** What rules want of a commit before it is merged: https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/available-rules-for-rulesets */
import { z } from 'zod';
import type { Host } from '../host.ts';
import { ACTIONS_SLUG, OWN_SLUG } from '../host.ts';
import type { Pull } from '../records.ts';

const requiringRule = z.object({
  type: z.literal('required_status_checks'),
  parameters: z.object({
    required_status_checks: z.array(z.object({ context: z.string(), integration_id: z.int().optional() })),
  }),
});

interface Wanted {
  readonly context: string;
  readonly integration_id?: number | undefined;
}

type Based = Pick<Pull, 'repositoryId' | 'base'>;

/** Rules are of the default branch alone. */
function isRuled({ state }: Pick<Host, 'state'>, { repositoryId, base }: Based): boolean {
  return state.repositories.get(repositoryId)?.defaultBranch === base;
}

function wantedOf(host: Pick<Host, 'state' | 'switches'>, based: Based): readonly Wanted[] {
  if (!isRuled(host, based)) return [];
  const { rules, protectedBy } = host.switches.values().arranged;
  const byRules = rules.flatMap((rule) => requiringRule.safeParse(rule).data?.parameters.required_status_checks ?? []);
  return [...byRules, ...(protectedBy ?? []).map((context) => ({ context }))];
}

/** Whether pull requests into the branch go through a merge queue. */
export function isQueued(host: Pick<Host, 'state' | 'switches'>, based: Based): boolean {
  return isRuled(host, based) && host.switches.values().arranged.rules.some(({ type }) => type === 'merge_queue');
}

export type Standing = 'passed' | 'pending' | 'failed';

/** How a commit stands that is to become the branch, by all checks that are required of it. */
export function standingOf(host: Host, based: Based, sha: string): Standing {
  const standings = wantedOf(host, based).map((wanted) => standingBy(host, based, { wanted, sha }));
  if (standings.includes('failed')) return 'failed';
  return standings.includes('pending') ? 'pending' : 'passed';
}

/** GitHub's sentence for the first required check that keeps a commit from being merged. */
export function lackingCheck(host: Host, based: Based, sha: string): string | undefined {
  for (const wanted of wantedOf(host, based)) {
    const standing = standingBy(host, based, { wanted, sha });
    if (standing === 'passed') continue;
    return `Required status check "${wanted.context}" is ${standing === 'failed' ? 'failing' : 'expected'}.`;
  }
  return undefined;
}

/** https://docs.github.com/pull-requests/collaborating-with-pull-requests/collaborating-on-repositories-with-code-quality-features/troubleshooting-required-status-checks */
const PASSING: readonly (string | undefined)[] = ['success', 'skipped', 'neutral'];

function standingBy(
  host: Host,
  { repositoryId }: Based,
  { wanted, sha }: { readonly wanted: Wanted; readonly sha: string },
): Standing {
  const { context: name, integration_id: by } = wanted;
  const runs = host.state.checkRuns.find({ repositoryId, headSha: sha, name });
  const run = runs.filter(({ app }) => by === undefined || by === idOf(host, app)).at(-1);
  if (run !== undefined) {
    if (run.status !== 'completed') return 'pending';
    return PASSING.includes(run.conclusion) ? 'passed' : 'failed';
  }
  const state = host.state.statuses.find({ repositoryId, sha, context: name }).at(-1)?.state;
  if (state === undefined || state === 'pending' || by !== undefined) return 'pending';
  return state === 'success' ? 'passed' : 'failed';
}

const ACTIONS_ID = 15_368;

/** Of an App that was registered here no rule knows the id. */
function idOf({ credentials }: Host, slug: string): number | undefined {
  if (slug === OWN_SLUG) return credentials.appId;
  return slug === ACTIONS_SLUG ? ACTIONS_ID : undefined;
}
