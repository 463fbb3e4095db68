/** Looks at what GitHub itself enforces: rules of the default branch, required checks, the environment of jobs that ask for models. */
import { LoopError } from '../errors.ts';
import type { RepositoryFacts, RuleFacts } from '../github/inspection-port.ts';
import { environmentFinding } from '../onboarding/environment.ts';
import { JOB_ENVIRONMENT } from '../settings/config.ts';
import { type Finding, missing, ok, unknown, wrong } from './finding.ts';
import { looksAt } from './look.ts';
import type { Ward } from './patient.ts';
import { requiredChecksFinding } from './required-checks.ts';

export const ruleLooks = looksAt('rules', {
  'pull requests': async ({ ward }) => pullRequestFinding(await ward()),
  'required checks': requiredChecksFinding,
  environment: async ({ ward }) => {
    const { look, repository } = await ward();
    return environmentFinding(await look.environment(JOB_ENVIRONMENT), repository);
  },
});

function settingsOf({ url }: RepositoryFacts): string {
  return `${url}/settings/rules`;
}

/** `contents: write` includes merging on GitHub: beside the App's own guard, a rule must keep it from the default branch. */
async function pullRequestFinding({ look, repository }: Ward): Promise<Finding> {
  const branch = repository.defaultBranch;
  const requiring = (await look.rules()).filter(({ type }) => type === 'pull_request');
  if (requiring.length > 0) return bypassFinding(requiring, { look, repository });
  const { isEnabled } = await look.protection();
  if (isEnabled)
    return unknown(
      `\`${branch}\` is protected by settings of its own; whether they require a pull request of the App too, only owners can see.`,
      `Look there, or make a ruleset, which can be seen: ${repository.url}/settings/branches`,
    );
  return missing(
    `Not enforced by GitHub: nothing requires a pull request to change \`${branch}\`, and \`contents: write\` includes merging.`,
    `Make a ruleset for \`${branch}\` that requires a pull request with one approval, without the App in its bypass list: ${settingsOf(repository)}`,
  );
}

async function bypassFinding(
  rules: readonly RuleFacts[],
  { look, repository }: Pick<Ward, 'look' | 'repository'>,
): Promise<Finding> {
  const branch = repository.defaultBranch;
  if (rules.every(({ approvals }) => approvals === 0))
    return wrong(
      `A ruleset requires a pull request to change \`${branch}\`, and nobody's approval: whoever may write could merge alone, the App too.`,
      `Have the ruleset require one approval: ${settingsOf(repository)}`,
    );
  const ids = [...new Set(rules.flatMap(({ rulesetId, approvals }) => (approvals > 0 ? (rulesetId ?? []) : [])))];
  const answers = await Promise.all(ids.map((id) => bypassOf(look.canBypass(id))));
  // One that the App cannot bypass is enough.
  if (answers.includes('never'))
    return ok(`A ruleset requires a pull request to change \`${branch}\`, and the App cannot bypass it.`);
  return answers.includes(undefined) || answers.length === 0
    ? unknown(
        `A ruleset requires a pull request to change \`${branch}\`; whether the App can bypass it GitHub does not say.`,
        `Look that the App is not in its bypass list: ${settingsOf(repository)}`,
      )
    : wrong(
        `A ruleset requires a pull request to change \`${branch}\`, and the App can bypass it.`,
        `Take the App out of its bypass list: ${settingsOf(repository)}`,
      );
}

/** A ruleset of an organisation may be hidden from the App. */
async function bypassOf(asked: Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof LoopError && (error.status === 403 || error.status === 404)) return undefined;
    throw error;
  }
}
