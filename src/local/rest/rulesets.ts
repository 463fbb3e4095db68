/** Rules of branches, and what Actions may do: https://docs.github.com/rest/repos/rules and https://docs.github.com/rest/actions/permissions */
import { type Need, PUBLIC } from '../access.ts';
import { type Host, repositoryHtmlUrlOf, repositoryUrlOf } from '../host.ts';
import { notFound } from '../http-error.ts';
import { rulesByPrefix } from '../queue/required.ts';
import { type Call, type Endpoints, list, numberParameter, ok, repositoryOf, textParameter } from './endpoint.ts';

const READ_ADMINISTRATION: Need = { permission: 'administration', level: 'read', people: 'admin' };
/** Of the ruleset for the default branch, of that which restricts creations, and of that for branches which begin alike. */
const [RULESET_ID, RESTRICTING_ID, PREFIX_ID] = [1, 2, 3];

export const rulesetEndpoints: Endpoints = {
  'GET /repos/{owner}/{repo}/rules/branches/{branch}': { need: PUBLIC, answer: listRules },
  'GET /repos/{owner}/{repo}/rulesets/{ruleset_id}': { need: PUBLIC, answer: getRuleset },
  'GET /repos/{owner}/{repo}/actions/permissions': {
    need: READ_ADMINISTRATION,
    answer: ({ host }) => ok(host.switches.values().arranged.actions),
  },
};

/** By every ruleset that holds for the branch. */
function listRules(call: Call) {
  const { owner, name, defaultBranch } = repositoryOf(call);
  const branch = textParameter(call, 'branch');
  const from = { ruleset_source_type: 'Repository', ruleset_source: `${owner}/${name}` };
  const { rules } = call.host.switches.values().arranged;
  return list([
    ...(isRestricted(call.host, branch) ? [{ type: 'creation', ...from, ruleset_id: RESTRICTING_ID }] : []),
    ...(branch === defaultBranch ? rules.map((rule) => ({ ...rule, ...from, ruleset_id: RULESET_ID })) : []),
    ...rulesByPrefix(call.host, branch).map((rule) => ({ ...rule, ...from, ruleset_id: PREFIX_ID })),
  ]);
}

/** Whether a ruleset restricts the creation of a branch, as https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/available-rules-for-rulesets#restrict-creations */
export function isRestricted({ switches }: Pick<Host, 'switches'>, branch: string): boolean {
  const { restricted } = switches.values().arranged;
  return restricted !== null && branch.startsWith(restricted);
}

/** Who may bypass it is told to its owners only; everybody is told whether they may. */
function getRuleset(call: Call) {
  const { rules, canBypass } = call.host.switches.values().arranged;
  if (numberParameter(call, 'ruleset_id') !== RULESET_ID || rules.length === 0) throw notFound();
  const { owner, name } = repositoryOf(call);
  const isApp = call.actor.type === 'installation';
  return ok({
    id: RULESET_ID,
    name: 'main',
    target: 'branch',
    source_type: 'Repository',
    source: `${owner}/${name}`,
    enforcement: 'active',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
    rules,
    current_user_can_bypass: isApp ? canBypass : 'never',
    _links: {
      self: { href: `${repositoryUrlOf(call.host, repositoryOf(call))}/rulesets/${RULESET_ID}` },
      html: { href: `${repositoryHtmlUrlOf(call.host, repositoryOf(call))}/rules/${RULESET_ID}` },
    },
  });
}
