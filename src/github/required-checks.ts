/** Which checks the rules of a branch require: by rulesets, and by a protection of the old kind. */
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { OWN_CHECK } from '../loop/check-run.ts';
import type { HeldRules } from './fixed.ts';
import type { Call } from './github-client.ts';
import { hasStatus, isLimit } from './github-errors.ts';
import type { Operation } from './github-talk.ts';
import type { RequiredCheck } from './inspection-port.ts';

type Repositories = RestEndpointMethodTypes['repos'];
type Rule = Repositories['getBranchRules']['response']['data'][number];
type Branch = Repositories['getBranch']['response']['data'];

/** https://docs.github.com/rest/repos/rules#get-rules-for-a-branch */
export function requiredByRule(rule: Rule): readonly RequiredCheck[] {
  if (rule.type !== 'required_status_checks') return [];
  const required = rule.parameters?.required_status_checks ?? [];
  return required.map(({ context: name, integration_id: by }) => ({ name, by }));
}

/** https://docs.github.com/rest/branches/branches#get-a-branch; an App of -1 is any. */
export function requiredByProtection({
  protection: { required_status_checks: required },
}: Branch): readonly RequiredCheck[] {
  const ofApps = new Map((required?.checks ?? []).map(({ context, app_id: id }) => [context, id]));
  const names = new Set([...(required?.contexts ?? []), ...ofApps.keys()]);
  return [...names].map((name) => {
    const by = ofApps.get(name) ?? -1;
    return { name, by: by > 0 ? by : undefined };
  });
}

/** Whether a check of ours fulfils it. */
export function isOfApp({ name, by }: RequiredCheck, appId: number): boolean {
  return name.startsWith(OWN_CHECK) && (by === undefined || by === appId);
}

/** So long they are taken to be as they were: of many pull requests at once one asks. */
const ASKED_MS = 60_000;

/** Asked again with the tags of the last answers, which costs nothing of GitHub's limits while nothing has changed. */
export const requiredChecks: Operation<'requiredChecks'> = async (call, branch) => {
  const { fixed, repositoryId, now, self } = call;
  const key = `${repositoryId}/${branch}`;
  const held = fixed.rules.get(key);
  const isFresh = held !== undefined && now().getTime() - held.askedMs < ASKED_MS;
  const { sources } = isFresh ? held : await askedAgain(call, branch, held);
  const names = sources.flatMap(({ required }) => required.filter((one) => isOfApp(one, self.appId)));
  return [...new Set(names.map(({ name }) => name))];
};

type Source = HeldRules['sources'][number];

async function askedAgain(call: Call, branch: string, held: HeldRules | undefined): Promise<HeldRules> {
  const { octokit, here, fixed, repositoryId, now } = call;
  const [byRules, byBranch] = held?.sources ?? [];
  const tagged = (known: Source | undefined) => ({
    ...{ ...here, branch },
    headers: known?.tag === undefined ? {} : { 'if-none-match': known.tag },
  });
  const sources = [
    await unlessSame(byRules, async () => {
      const { data, headers } = await octokit.rest.repos.getBranchRules({ ...tagged(byRules), per_page: 100 });
      return { tag: headers.etag, required: data.flatMap(requiredByRule) };
    }),
    await unlessSame(byBranch, async () => {
      const { data, headers } = await octokit.rest.repos.getBranch(tagged(byBranch));
      return { tag: headers.etag, required: requiredByProtection(data) };
    }),
  ];
  const asked = { askedMs: now().getTime(), sources };
  fixed.rules.set(`${repositoryId}/${branch}`, asked);
  return asked;
}

/** Octokit takes an unchanged answer for an error. Where a plan or an older server has no such rules, nothing is required by them. */
async function unlessSame(known: Source | undefined, ask: () => Promise<Source>): Promise<Source> {
  try {
    return await ask();
  } catch (error) {
    if (known !== undefined && hasStatus(error, 304)) return known;
    if (hasStatus(error, 404) || (hasStatus(error, 403) && !isLimit(error))) return { tag: undefined, required: [] };
    throw error;
  }
}
