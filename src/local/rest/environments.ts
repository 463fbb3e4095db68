/** Environments and their branch policies: https://docs.github.com/rest/deployments/environments and https://docs.github.com/rest/deployments/branch-policies */
import { z } from 'zod';
import type { Fields } from '../../referee/json.ts';
import { type Need, PUBLIC } from '../access.ts';
import type { BranchPolicy, Environment } from '../check-records.ts';
import { now } from '../clock.ts';
import { environmentOf, findEnvironment, isNamePattern, policiesOf } from '../environments.ts';
import { type Host, nodeIdOf, repositoryHtmlUrlOf, repositoryUrlOf } from '../host.ts';
import { found, HttpError, notFound } from '../http-error.ts';
import type { Repository } from '../records.ts';
import {
  type Call,
  type Endpoints,
  list,
  noContent,
  numberParameter,
  ok,
  parseBody,
  repositoryOf,
  textParameter,
} from './endpoint.ts';

const ADMINISTER: Need = { permission: 'administration', level: 'write', people: 'admin' };
const ENVIRONMENTS = '/repos/{owner}/{repo}/environments';
const ENVIRONMENT = `${ENVIRONMENTS}/{environment_name}`;
const POLICIES = `${ENVIRONMENT}/deployment-branch-policies`;

export const environmentEndpoints: Endpoints = {
  [`GET ${ENVIRONMENTS}`]: { need: PUBLIC, answer: listEnvironments },
  [`GET ${ENVIRONMENT}`]: { need: PUBLIC, answer: (call) => ok(payloadOf(call, knownEnvironment(call))) },
  [`PUT ${ENVIRONMENT}`]: { need: ADMINISTER, answer: putEnvironment },
  [`DELETE ${ENVIRONMENT}`]: { need: ADMINISTER, answer: deleteEnvironment },
  [`GET ${POLICIES}`]: { need: PUBLIC, answer: listPolicies },
  [`POST ${POLICIES}`]: { need: ADMINISTER, answer: addPolicy },
  [`DELETE ${POLICIES}/{branch_policy_id}`]: { need: ADMINISTER, answer: deletePolicy },
};

function listEnvironments(call: Call) {
  const environments = call.host.state.environments.find({ repositoryId: repositoryOf(call).id });
  const payloads = environments.map((environment) => payloadOf(call, environment));
  return list(payloads, (page, total) => ({ total_count: total, environments: page }));
}

const LONGEST_NAME = 255;
const policy = z.object({ protected_branches: z.boolean(), custom_branch_policies: z.boolean() });
const environmentBody = z.object({ deployment_branch_policy: policy.nullish() });

/** What is not said is as if it were new: every ref may deploy. */
function putEnvironment(call: Call) {
  const { host } = call;
  const name = textParameter(call, 'environment_name');
  if (name.length > LONGEST_NAME) throw new HttpError(422, `Name is too long (maximum is ${LONGEST_NAME} characters)`);
  const branches = branchesOf(parseBody(call, environmentBody));
  return host.state.transaction(() => {
    const { id } = environmentOf(host, repositoryOf(call), name);
    const changed = host.state.environments.update(id, { branches, updatedAt: now(host) });
    if (branches !== 'custom') removePolicies(host, changed);
    return ok(payloadOf(call, changed));
  });
}

function branchesOf({ deployment_branch_policy: wanted }: z.infer<typeof environmentBody>): Environment['branches'] {
  if (!wanted) return undefined;
  if (wanted.protected_branches === wanted.custom_branch_policies)
    throw new HttpError(422, 'protected_branches and custom_branch_policies cannot have the same value');
  return wanted.protected_branches ? 'protected' : 'custom';
}

function deleteEnvironment(call: Call) {
  const { host } = call;
  const environment = knownEnvironment(call);
  host.state.transaction(() => {
    removePolicies(host, environment);
    host.state.environments.remove(environment.id);
  });
  return noContent;
}

function removePolicies(host: Host, environment: Environment): void {
  for (const { id } of policiesOf(host, environment)) host.state.branchPolicies.remove(id);
}

function listPolicies(call: Call) {
  const payloads = policiesOf(call.host, knownEnvironment(call)).map(policyPayload);
  return list(payloads, (page, total) => ({ total_count: total, branch_policies: page }));
}

const policyBody = z.object({
  name: z.string().min(1).refine(isNamePattern, 'is invalid'),
  type: z.enum(['branch', 'tag']).default('branch'),
});

/** 303 for one that there is, and 404 where the environment takes none, as GitHub answers. */
function addPolicy(call: Call) {
  const { host } = call;
  const environment = knownEnvironment(call);
  if (environment.branches !== 'custom') throw notFound();
  const wanted = parseBody(call, policyBody);
  const isKnown = policiesOf(host, environment).some(({ name, type }) => name === wanted.name && type === wanted.type);
  if (isKnown) return { status: 303 };
  return ok(policyPayload(host.state.branchPolicies.insert({ ...wanted, environmentId: environment.id })));
}

function deletePolicy(call: Call) {
  const where = { id: numberParameter(call, 'branch_policy_id'), environmentId: knownEnvironment(call).id };
  call.host.state.branchPolicies.remove(found(call.host.state.branchPolicies.first(where)).id);
  return noContent;
}

function knownEnvironment(call: Call): Environment {
  return found(findEnvironment(call.host, repositoryOf(call), textParameter(call, 'environment_name')));
}

function payloadOf(call: Call, environment: Environment): Fields {
  return environmentPayload(call.host, repositoryOf(call), environment);
}

function environmentPayload(host: Host, repository: Repository, environment: Environment): Fields {
  const { id, name, branches, createdAt, updatedAt } = environment;
  const rule = { id, node_id: nodeIdOf('BranchPolicyGate', id), type: 'branch_policy' };
  return {
    id,
    node_id: nodeIdOf('Environment', id),
    name,
    url: `${repositoryUrlOf(host, repository)}/environments/${encodeURIComponent(name)}`,
    html_url: `${repositoryHtmlUrlOf(host, repository)}/deployments/activity_log?environments_filter=${encodeURIComponent(name)}`,
    created_at: createdAt,
    updated_at: updatedAt,
    protection_rules: branches === undefined ? [] : [rule],
    deployment_branch_policy:
      branches === undefined
        ? null
        : { protected_branches: branches === 'protected', custom_branch_policies: branches === 'custom' },
  };
}

function policyPayload({ id, name, type }: BranchPolicy): Fields {
  return { id, node_id: nodeIdOf('DeploymentBranchPolicy', id), name, type };
}
