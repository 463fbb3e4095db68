/** What a repository says about its settings to the installation that it has. */
import type { Call } from './github-client.ts';
import { file, head } from './github-commits.ts';
import { unlessGone } from './github-errors.ts';
import type { HeadChecks } from './github-port.ts';
import { headChecks } from './head-checks.ts';
import type {
  CheckFacts,
  EnvironmentFacts,
  ProtectionFacts,
  RepositoryInspection,
  RuleFacts,
} from './inspection-port.ts';
import { requiredByProtection, requiredByRule } from './required-checks.ts';

/** Performs a read with the repository's token. */
type Perform = <Value>(operation: (call: Call) => Promise<Value>) => Promise<Value>;

export function inside(perform: Perform, branch: string): RepositoryInspection {
  const ifThere = <Value>(operation: (call: Call) => Promise<Value>) => unlessGone(perform(operation));
  return {
    file: (path) => perform((call) => file(call, path, branch)),
    workflowState: async (id) =>
      (await ifThere(({ octokit, here }) => octokit.rest.actions.getWorkflow({ ...here, workflow_id: id })))?.data
        .state,
    lastGoodRun: (id) => ifThere((call) => lastGoodRun(call, id)),
    actions: () => perform(actions),
    rules: () => perform((call) => rules(call, branch)),
    canBypass: (id) => perform((call) => canBypass(call, id)),
    protection: () => perform((call) => protection(call, branch)),
    environment: (name) => perform((call) => environment(call, name)),
    hasDraft: () => perform(hasDraft),
    checksOnHead: (name) => perform((call) => checksOnHead(call, branch, name)),
    headChecks: () => perform((call) => checksOf(call, branch)),
  };
}

async function lastGoodRun({ octokit, here }: Call, id: string): Promise<string | undefined> {
  const { data } = await octokit.rest.actions.listWorkflowRuns({
    ...here,
    workflow_id: id,
    status: 'success',
    per_page: 1,
  });
  return data.workflow_runs[0]?.created_at;
}

async function actions({ octokit, here }: Call) {
  const { data } = await octokit.rest.actions.getGithubActionsPermissionsRepository({ ...here });
  return { isEnabled: data.enabled, allowed: data.allowed_actions };
}

async function rules({ octokit, here }: Call, branch: string): Promise<readonly RuleFacts[]> {
  const { data } = await octokit.rest.repos.getBranchRules({ ...here, branch, per_page: 100 });
  return data.map((rule) => ({
    type: rule.type,
    rulesetId: rule.ruleset_id,
    checks: requiredByRule(rule),
    approvals: rule.type === 'pull_request' ? (rule.parameters?.required_approving_review_count ?? 0) : 0,
  }));
}

async function canBypass({ octokit, here }: Call, rulesetId: number): Promise<string | undefined> {
  const { data } = await octokit.rest.repos.getRepoRuleset({ ...here, ruleset_id: rulesetId });
  return data.current_user_can_bypass;
}

async function protection({ octokit, here }: Call, branch: string): Promise<ProtectionFacts> {
  const { data } = await octokit.rest.repos.getBranch({ ...here, branch });
  return { isEnabled: data.protection.enabled === true, checks: requiredByProtection(data) };
}

/** Undefined where there is none. */
export async function environment(call: Call, name: string): Promise<EnvironmentFacts | undefined> {
  const { octokit, here } = call;
  const place = { ...here, environment_name: name };
  const found = await call.ifThere(() => octokit.rest.repos.getEnvironment(place));
  if (found === undefined) return undefined;
  const policy = found.data.deployment_branch_policy;
  if (!policy) return { branches: 'every', names: [] };
  if (policy.protected_branches) return { branches: 'protected', names: [] };
  const { data: named } = await octokit.rest.repos.listDeploymentBranchPolicies({ ...place, per_page: 100 });
  return { branches: 'named', names: named.branch_policies.map((one) => one.name ?? '') };
}

async function hasDraft({ octokit, here }: Call): Promise<boolean> {
  const { data } = await octokit.rest.pulls.list({ ...here, state: 'all', per_page: 100 });
  return data.some(({ draft }) => draft === true);
}

async function checksOnHead({ octokit, here }: Call, ref: string, name: string): Promise<readonly CheckFacts[]> {
  const { data } = await octokit.rest.checks.listForRef({ ...here, ref, check_name: name, filter: 'latest' });
  return data.check_runs.map(({ status, conclusion, output, app, html_url: url }) => ({
    status,
    conclusion: conclusion ?? undefined,
    title: output.title ?? '',
    by: app?.slug,
    url: url ?? '',
  }));
}

async function checksOf(call: Call, branch: string): Promise<HeadChecks & { readonly sha: string }> {
  const sha = (await head(call, `refs/heads/${branch}`)) ?? '';
  return { ...(await headChecks(call, sha)), sha };
}
