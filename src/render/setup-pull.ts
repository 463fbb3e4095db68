/** The one pull request that a repository gets when the App is installed there, and what is said on it afterwards. Pure. */
import { code, fitted, list } from '../documents/markdown.ts';
import { isReady } from '../onboarding/verdict.ts';
import { gapList, type ShownGap, type ToldTrial, trialText } from './setup-check.ts';

export const SETUP_TITLE = 'Set up Loopwright';

export interface SetupPull {
  /** Files that it brings, and what each is for. */
  readonly brought: readonly { readonly path: string; readonly purpose: string }[];
  /** What was guessed of the tests, where the configuration is new; `unseen` says why the runner stands in a comment. */
  readonly tests: { readonly runner: string; readonly test: string; readonly unseen?: string | undefined } | undefined;
  /** What people do on the branch themselves. */
  readonly left: readonly ShownGap[];
  readonly defaultBranch: string;
}

/** In the order in which somebody acts on it. */
export function setupBody({ brought, tests, left, defaultBranch }: SetupPull): string {
  return fitted([
    {
      text: `Label an issue \`loop\`, and Loopwright turns it into a reviewed spec, a reviewed plan and a verified pull request. It never merges. This pull request brings what it needs; **no loop starts before that is on the default branch. Closing it means: not here**; the button **Re-run** of its check brings it back.`,
    },
    ...(left.length === 0
      ? []
      : [
          {
            text: `### First\n\nThe App has no permission to write workflows, on purpose: where there is a link, it opens a page with the text in it; commit it to this branch.\n\n${gapList(left)}`,
          },
        ]),
    {
      text: `### What it brings\n\n${list(
        brought.map(({ path, purpose }) => `${code(path)}: ${purpose}`),
        '',
      )}`,
    },
    ...(tests === undefined ? [] : [{ text: guessText(tests) }]),
    {
      text: `### Then\n\n${[
        `Make the environment \`loopwright\` in the settings of the repository, for ${code(defaultBranch)} alone: jobs that ask for a model run in it.`,
        'Merge. The base is tried in a run: installed, built, its tests twice; what comes of it is said here and in the check `loopwright / setup`, before a loop spends anything.',
        'Label an issue `loop`.',
      ]
        .map((text, index) => `${index + 1}. ${text}`)
        .join('\n')}`,
    },
  ]);
}

function guessText({ runner, test, unseen }: NonNullable<SetupPull['tests']>): string {
  return unseen === undefined
    ? `### Look this over\n\nFrom the files alone, as nothing was run yet: the suite is ${code(test)}, and single tests are read by ${code(runner)}. Correct \`.github/loopwright.yml\` on this branch where that is wrong.`
    : `### Decide this\n\nThe runner stands as a comment in \`.github/loopwright.yml\`, because ${unseen}.`;
}

/** On the merged pull request, what the trial came to. */
export function trialComment(told: ToldTrial): string {
  const next = isReady(told.verdict, told.model?.verdict) ? '\n\nLabel an issue `loop` to begin.' : '';
  return `${trialText(told)}${next}`;
}

/** On the merged pull request, while something is missing. */
export function gapsComment(gaps: readonly ShownGap[]): string {
  return `Merged, and no loop can start yet:\n\n${gapList(gaps)}`;
}
