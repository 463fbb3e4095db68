/** Deployment environments of a repository and which refs may deploy to them: https://docs.github.com/actions/reference/workflows-and-actions/deployments-and-environments */
import type { BranchPolicy, Environment } from './check-records.ts';
import { now } from './clock.ts';
import type { Host } from './host.ts';
import type { Repository } from './records.ts';

/** The environment of this name; names are compared without case, as GitHub does. */
export function findEnvironment({ state }: Host, repository: Repository, name: string): Environment | undefined {
  const environments = state.environments.find({ repositoryId: repository.id });
  return environments.find((environment) => environment.name.toLowerCase() === name.toLowerCase());
}

/** The environment, made without rules where there is none: so a job makes it that names it. */
export function environmentOf(host: Host, repository: Repository, name: string): Environment {
  const created = { repositoryId: repository.id, name, createdAt: now(host), updatedAt: now(host) };
  return findEnvironment(host, repository, name) ?? host.state.environments.insert(created);
}

/** The name patterns of an environment with `custom` branches. */
export function policiesOf({ state }: Host, { id }: Environment): readonly BranchPolicy[] {
  return state.branchPolicies.find({ environmentId: id });
}

/** GitHub's sentence where the environment's rules do not let `ref` (full, `refs/heads/main`) deploy; undefined where they do. */
export function deploymentRefusal(
  host: Host,
  {
    repository,
    environment,
    ref,
  }: { readonly repository: Repository; readonly environment: Environment; readonly ref: string },
): string | undefined {
  const { branches, name } = environment;
  const place = placeOf(ref);
  if (branches === undefined || ADMITS[branches](host, { repository, environment, ref, place })) return undefined;
  const kind = place.type === 'tag' ? 'Tag' : 'Branch';
  return `${kind} "${place.name}" is not allowed to deploy to ${name} due to environment protection rules.`;
}

/** Whether what has happened on `ref` cannot be taken back: only the default branch can be protected here. */
export function isProtectedRef({ switches }: Host, { defaultBranch }: Repository, ref: string): boolean {
  return switches.values().protectsDefaultBranch && ref === `refs/heads/${defaultBranch}`;
}

interface Place {
  readonly type: 'branch' | 'tag';
  /** Of a pull request, `refs/pull/1/merge`. */
  readonly name: string;
}

function placeOf(ref: string): Place {
  return { type: ref.startsWith('refs/tags/') ? 'tag' : 'branch', name: ref.replace(/^refs\/(heads|tags)\//, '') };
}

interface Deployment {
  readonly repository: Repository;
  readonly environment: Environment;
  readonly ref: string;
  readonly place: Place;
}

const ADMITS: Readonly<Record<NonNullable<Environment['branches']>, (host: Host, wanted: Deployment) => boolean>> = {
  // Where no branch at all is protected, GitHub lets every one deploy.
  protected: (host, { repository, ref }) =>
    !host.switches.values().protectsDefaultBranch || isProtectedRef(host, repository, ref),
  custom: (host, { environment, place }) =>
    policiesOf(host, environment).some(({ name, type }) => type === place.type && matchesPattern(name, place.name)),
};

/** Whether it can be a name pattern: a set in it may be none, as `[z-a]`. */
export function isNamePattern(pattern: string): boolean {
  try {
    return patternOf(pattern) instanceof RegExp;
  } catch {
    return false;
  }
}

/** Whether a ref of this name is meant. @throws SyntaxError for what is no name pattern */
export function matchesPattern(pattern: string, name: string): boolean {
  return patternOf(pattern).test(name);
}

/** As Ruby's `File.fnmatch` with FNM_PATHNAME, by which GitHub goes. https://docs.github.com/rest/deployments/branch-policies#create-a-deployment-branch-policy */
function patternOf(pattern: string): RegExp {
  return new RegExp(`^${pattern.replace(TOKENS, expressionOf)}$`);
}

/** Whole directories, stars, single characters, sets, and what has a meaning in an expression only. */
const TOKENS = /\*\*\/|\*+|\?|\[[!^]?[^\]]+\]|[.+^$(){}|[\]\\]/g;
/** No wildcard but the first passes a slash. */
const WILDCARDS: Readonly<Record<string, string>> = { '**/': '(?:[^/]+/)*', '?': '[^/]' };

function expressionOf(token: string): string {
  if (/^\*+$/.test(token)) return '[^/]*';
  if (!token.startsWith('[') || token.length === 1) return WILDCARDS[token] ?? `\\${token}`;
  return `(?!/)${token.replace('[!', '[^')}`;
}
