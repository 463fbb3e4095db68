/** Looks at a repository from outside: whether the App is there with all that it asks for, and whether people can begin. */

import type { CheckFacts } from '../github/inspection-port.ts';
import { SETUP_CHECK } from '../onboarding/onboarding.ts';
import { waitingIn } from './app-looks.ts';
import { type Finding, missing, ok, unknown, wrong } from './finding.ts';
import { listed, looksAt } from './look.ts';
import type { Patient } from './patient.ts';

export const repositoryLooks = looksAt('repository', {
  installation: async ({ installation, place, app }) => {
    const [found, { url }] = [await installation(), await app()];
    const name = `${place?.owner}/${place?.repo}`;
    if (found === undefined)
      return missing(
        `The App is not installed on ${name}, or there is no such repository.`,
        `Install it there: ${url}/installations/new`,
      );
    return found.isSuspended
      ? wrong(`The installation on ${name} is suspended.`, `Unsuspend it: ${found.url}`)
      : ok(`The App is installed on ${name}.`);
  },
  'accepted permissions': async (patient) => {
    const { installation } = await patient.ward();
    const waiting = await waitingIn(patient, installation.permissions);
    if (waiting.length === 0) return ok('The installation has accepted all that the App asks for.');
    return missing(
      `The installation has not accepted ${listed(waiting)} yet.`,
      `Its owner accepts new permissions there: ${installation.url}`,
    );
  },
  state: async ({ ward }) => {
    const { repository } = await ward();
    if (repository.isArchived)
      return wrong('It is archived: nobody can change anything in it.', `Unarchive it: ${repository.url}/settings`);
    if (repository.isDisabled) return wrong('GitHub has disabled it.', 'Ask the support of GitHub.');
    return ok(`It can be written, and its default branch is \`${repository.defaultBranch}\`.`);
  },
  issues: async ({ ward }) => {
    const { repository } = await ward();
    return repository.hasIssues
      ? ok('It has issues.')
      : missing(
          'It has no issues, so there is nothing to set the label on.',
          `Switch issues on: ${repository.url}/settings`,
        );
  },
  drafts: async ({ ward, environment }) => {
    const { look, repository } = await ward();
    if (!repository.isPrivate) return ok('It is public, so it has draft pull requests.');
    if (new URL(environment.app.GITHUB_API_URL ?? '').hostname !== 'api.github.com')
      return ok('A GitHub Enterprise Server has draft pull requests.');
    if (await look.hasDraft()) return ok('One of its pull requests is a draft.');
    return unknown(
      'It is private, and whether its plan has draft pull requests cannot be seen from here.',
      'They need GitHub Team or Enterprise; without, the App cannot open its pull requests.',
    );
  },
  base: async (patient) => {
    const { look, repository } = await patient.ward();
    const { sha, state, checks, waitsFor } = await look.headChecks();
    const head = `\`${repository.defaultBranch}\` (${sha.slice(0, 7)})`;
    const red = checks.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name);
    if (red.length > 0)
      return wrong(
        `${head} is red: ${listed(red)} failed. A loop begins with a green base, or ends with what is red.`,
        'Make the default branch green.',
      );
    if (state === 'pending')
      return unknown(`Checks of ${head} are at work: ${listed(waitsFor)}.`, 'Ask again when they have ended.');
    if (checks.length === 0)
      return (await ownCheck(patient))?.conclusion === 'success'
        ? ok(`Nobody but the App has checked ${head}, and there it is green.`)
        : unknown(
            `Nobody has checked ${head}; the first BUILD tries it, before it spends anything.`,
            'Run `loopwright init` in a checkout: it runs the suite once.',
          );
    return ok(`${head} is green: ${listed(checks.map(({ name }) => name))}.`);
  },
  trial: async (patient) => trialFinding(await ownCheck(patient), (await patient.ward()).repository.defaultBranch),
});

async function ownCheck({ ward, app }: Patient): Promise<CheckFacts | undefined> {
  const [{ look }, { slug }] = [await ward(), await app()];
  // Anybody's workflow may call a check so.
  return (await look.checksOnHead(SETUP_CHECK)).find(({ by }) => by === slug);
}

/** What our own check says of the default branch as it is: whether all is there, and whether it installs, builds, and is green twice. */
function trialFinding(check: CheckFacts | undefined, branch: string): Finding {
  if (check === undefined)
    return unknown(
      `The App has not tried \`${branch}\` as it is now: whether it installs, builds and is green twice nobody knows.`,
      `Press Re-run on a check \`${SETUP_CHECK}\`; the pull request that set the repository up has one.`,
    );
  const { status, conclusion, title, url } = check;
  if (status !== 'completed') return unknown(`The App is trying \`${branch}\`.`, 'Ask again when its run has ended.');
  return conclusion === 'success'
    ? ok(`\`${SETUP_CHECK}\` on \`${branch}\`: ${title}.`)
    : wrong(`\`${SETUP_CHECK}\` on \`${branch}\`: ${title}.`, `Do what it says: ${url}`);
}
