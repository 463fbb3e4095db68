/** What a label needs to know before a loop starts: the base, the configuration, the goal, the limits. */

import { ConfigError } from '../errors.ts';
import { digestOf } from '../guard/digest.ts';
import type { Event } from '../loop/event.ts';
import { checkGoal, type Goal } from '../loop/goal.ts';
import { issueLane } from '../loop/lane.ts';
import type { Actor, LoopRef } from '../loop/terms.ts';
import type { Ports } from '../ports.ts';
import { BRANCH_PREFIX, type RepositoryConfig, repositoryConfig } from '../settings/config.ts';
import { CONFIG_MISSING, configAt, type ReadConfig } from './repository-config.ts';
import { setUpProblem, setUpPull } from './set-up-problem.ts';
import { readYaml } from './yaml-text.ts';

type Facts = Omit<Extract<Event, { type: 'labelled' }>, 'type' | 'at' | 'by' | 'role' | 'commentId'>;

interface LabelledIssue {
  readonly title: string;
  readonly body?: string | null | undefined;
  readonly user: Actor;
  readonly labels: readonly { readonly name: string }[];
  readonly isClosed?: boolean;
}

/** Reads everything afresh; what is wrong becomes `refusal`, one sentence with the remedy. */
export async function startingFacts(ref: LoopRef, issue: LabelledIssue, ports: Ports): Promise<Facts> {
  const { defaultBranch, server } = await ports.github.repository(ref);
  const sha = (await ports.github.head(ref, `refs/heads/${defaultBranch}`)) ?? '0'.repeat(40);
  const config = await configOrRefusal(ref, sha, ports);
  const stated = goalOrRefusal(issue.body ?? '');
  const goal = typeof stated === 'string' ? undefined : stated;
  const { config: settings, digest } = typeof config === 'string' ? FALLBACK : config;
  const branch = `${settings.branch.replace('{issue}', String(ref.issue))}${ref.n > 1 ? `-${ref.n}` : ''}`;
  const taken = await takenProblem(ref, branch, ports);
  const refusal =
    [closedProblem(issue), branchProblem(defaultBranch), taken, config, stated].find(
      (found) => typeof found === 'string',
    ) ?? (await setUpProblem(ref, { sha, server }, ports));
  const labels = issue.labels.map(({ name }) => name);
  return {
    issue: { title: issue.title, body: issue.body ?? '', author: issue.user },
    base: { branch: defaultBranch, sha },
    configDigest: digest,
    ...(refusal === undefined ? {} : { refusal }),
    limits: limitsOf(settings, goal),
    thresholds: ports.guardrails.thresholds,
    strength: settings.strength,
    ...(goal && { goal }),
    lane: issueLane(issue.title, labels),
    branch,
    ...(ports.modelFacts.price === undefined ? {} : { price: ports.modelFacts.price }),
  };
}

function closedProblem({ isClosed }: LabelledIssue): string | undefined {
  return isClosed === true ? 'The issue is closed; reopen it and set the label again.' : undefined;
}

/** Git keeps branches as files in folders: where one is called as a folder of the loop's branch, that cannot be made. */
async function takenProblem(ref: LoopRef, branch: string, { github }: Ports): Promise<string | undefined> {
  const folders = branch.split('/').slice(0, -1);
  for (const [index] of folders.entries()) {
    const name = folders.slice(0, index + 1).join('/');
    if ((await github.head(ref, `refs/heads/${name}`)) !== undefined)
      return `There is a branch \`${name}\`, so git cannot have the loop's branch \`${branch}\` below it; rename that branch and set the label again.`;
  }
  return undefined;
}

/** The App may write branches with this prefix, so the default branch must not have it. */
function branchProblem(defaultBranch: string): string | undefined {
  return defaultBranch.startsWith(BRANCH_PREFIX)
    ? `The default branch is named \`${defaultBranch}\`, but what begins with \`${BRANCH_PREFIX}\` belongs to loops; rename it and set the label again.`
    : undefined;
}

/** A goal, which anybody may write, only lowers the repository's limits; people raise them with `/budget`. No run may take longer than the whole loop. */
function limitsOf({ limits }: RepositoryConfig, goal: Goal | undefined): Facts['limits'] {
  const { iterations, usd, tokens, minutes } = goal?.limits ?? {};
  return {
    iterations: Math.min(iterations ?? limits.iterations, limits.iterations),
    usd: Math.min(usd ?? limits.usd, limits.usd),
    ...(tokens !== undefined && { tokens }),
    ...(minutes !== undefined && { minutes }),
    checksQuietSeconds: limits.checksQuietSeconds,
    runMinutes: Math.min(limits.runMinutes, minutes ?? limits.runMinutes),
    modelSeconds: limits.modelSeconds,
  };
}

/** Stands in only where the label is refused anyway; no loop ever starts with it. */
const FALLBACK: ReadConfig = {
  config: repositoryConfig.parse({ version: 1, commands: { test: 'false', runner: 'node-test' } }),
  digest: digestOf(''),
};

async function configOrRefusal(ref: LoopRef, sha: string, ports: Ports): Promise<ReadConfig | string> {
  try {
    return await configAt(ref, sha, ports);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const brings = error.message === CONFIG_MISSING ? await setUpPull(ref, ports) : undefined;
    return [error.message, ...(brings === undefined ? [] : [brings]), 'Then set the label again.'].join(' ');
  }
}

const FENCE = /^```(?:ya?ml|json)[^\n]*\n([\s\S]*?)^```/gm;
/** A fenced block with one of these keys is meant as a goal; any other is just an example in the text. */
const GOAL_KEY = /(?:^|[{,])[ \t]*["']?(?:objective|metrics)["']?[ \t]*:/m;

/** The goal block is optional (free text works too); where it is given it must be right. */
export function goalOrRefusal(body: string): Goal | string | undefined {
  const blocks = [...body.replaceAll('\r\n', '\n').matchAll(FENCE)].map(([, text = '']) => text);
  const text = blocks.find((block) => GOAL_KEY.test(block));
  if (text === undefined) return undefined;
  const read = readYaml(text);
  if (!('problem' in read)) return checkGoal(read.value);
  return `The goal block is not valid YAML at line ${read.line}, column ${read.column} of the block: ${read.problem} Correct it and set the label again.`;
}
