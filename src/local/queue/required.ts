/** What rules want of a commit before it is merged: https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/available-rules-for-rulesets */
import { z } from 'zod';
import type { Arranged } from '../controls/arranged.ts';
import type { Host } from '../host.ts';
import { ACTIONS_SLUG, OWN_SLUG } from '../host.ts';
import type { Pull } from '../records.ts';

const requiringRule = z.object({
  type: z.literal('required_status_checks'),
  parameters: z.object({
    required_status_checks: z.array(z.object({ context: z.string(), integration_id: z.int().optional() })),
    do_not_enforce_on_create: z.boolean().default(false),
  }),
});

interface Wanted {
  readonly context: string;
  readonly integration_id?: number | undefined;
}

type Based = Pick<Pull, 'repositoryId' | 'base'>;

/** Whether it is the default branch, which has a ruleset and a protection of its own. */
function isDefault({ state }: Pick<Host, 'state'>, { repositoryId, base }: Based): boolean {
  return state.repositories.get(repositoryId)?.defaultBranch === base;
}

/** Of the ruleset for branches that begin alike, where it holds for this one. */
export function rulesByPrefix({ switches }: Pick<Host, 'switches'>, branch: string): Arranged['rules'] {
  const { branchRules } = switches.values().arranged;
  return branchRules !== null && branch.startsWith(branchRules.prefix) ? branchRules.rules : [];
}

function requiringOf(host: Pick<Host, 'state' | 'switches'>, based: Based) {
  const ofDefault = isDefault(host, based) ? host.switches.values().arranged.rules : [];
  const rules = [...ofDefault, ...rulesByPrefix(host, based.base)];
  return rules.flatMap((rule) => requiringRule.safeParse(rule).data?.parameters ?? []);
}

function wantedOf(host: Pick<Host, 'state' | 'switches'>, based: Based): readonly Wanted[] {
  const protectedBy = (isDefault(host, based) ? host.switches.values().arranged.protectedBy : null) ?? [];
  const byRules = requiringOf(host, based).flatMap((required) => required.required_status_checks);
  return [...byRules, ...protectedBy.map((context) => ({ context }))];
}

/** Whether pull requests into the branch go through a merge queue. */
export function isQueued(host: Pick<Host, 'state' | 'switches'>, based: Based): boolean {
  return isDefault(host, based) && host.switches.values().arranged.rules.some(({ type }) => type === 'merge_queue');
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
  return firstLacking(host, based, { sha, all: wantedOf(host, based) });
}

/** The same for a new branch of that name; a rule may say that it does not ask then. */
export function lackingOnCreation(host: Host, based: Based, sha: string): string | undefined {
  const asking = requiringOf(host, based).filter((required) => !required.do_not_enforce_on_create);
  return firstLacking(host, based, { sha, all: asking.flatMap((required) => required.required_status_checks) });
}

function firstLacking(
  host: Host,
  based: Based,
  { sha, all }: { readonly sha: string; readonly all: readonly Wanted[] },
): string | undefined {
  for (const wanted of all) {
    const standing = standingBy(host, based, { wanted, sha });
    if (standing === 'passed') continue;
    return `Required status check "${wanted.context}" is ${standing === 'failed' ? 'failing' : 'expected'}.`;
  }
  return undefined;
}

/** https://docs.github.com/pull-requests/collaborating-with-pull-requests/collaborating-on-repositories-with-code-quality-features/troubleshooting-required-status-checks */
const PASSING: readonly (string | undefined)[] = ['success', 'skipped', 'neutral'];

function isPassing({ switches }: Host, conclusion: string | undefined): boolean {
  return PASSING.includes(conclusion) && (conclusion !== 'neutral' || switches.values().neutralPasses);
}

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
    return isPassing(host, run.conclusion) ? 'passed' : 'failed';
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
