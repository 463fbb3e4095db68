/** Check runs of ours that are required where no loop writes any: each says why in one sentence, and none is ever a success. Pure. */
import { code, oneLine } from '../documents/markdown.ts';
import type { CheckRun } from '../loop/check-run.ts';
import { SETUP_CHECK } from '../onboarding/onboarding.ts';
import { PROOF_CHECK } from '../proof/pull-proof.ts';

interface Place {
  readonly repositoryId: number;
  readonly headSha: string;
}

/** On the head of a pull request that is no loop's. */
export function nothingToJudge(name: string, { pull, ...place }: Place & { readonly pull: number }): CheckRun {
  return check(name, place, {
    conclusion: 'neutral',
    about: `pull/${pull}`,
    title: 'Nothing to judge',
    summary: WHY_NOTHING[name] ?? "This pull request is no loop's, so there is nothing to judge.",
  });
}

const WHY_NOTHING: Readonly<Record<string, string>> = {
  [PROOF_CHECK]:
    'Nobody has asked for a proof of this pull request, so there is nothing to judge; the comment `/prove` asks for one.',
  [SETUP_CHECK]: 'This pull request does not set the repository up, so there is nothing to judge.',
};

/** On a commit that was pushed to a loop's pull request after it was made ready. */
export function cameLater(
  name: string,
  { pull, judged, ...place }: Place & { readonly pull: number; readonly judged: string },
): CheckRun {
  return check(name, place, {
    conclusion: 'failure',
    about: `pull/${pull}`,
    title: 'Not judged: pushed after the pull request was ready',
    summary: `The loop judged ${code(judged.slice(0, 7))}, and ${code(place.headSha.slice(0, 7))} came after it; \`/reject <what>\` sends pull request #${pull} back, and what is there is built on and judged.`,
  });
}

/** What is known of the pull request that a merge group is made for. */
export type Grouped =
  /** The group does not say which one. */
  | { readonly kind: 'unknown' }
  /** The check has nothing to do with it. */
  | { readonly kind: 'other'; readonly pull: number }
  /** Somebody asked for a proof of it. */
  | { readonly kind: 'proof'; readonly pull: number }
  /** It is a loop's, and `own` is what the loop says on its own head. */
  | { readonly kind: 'loop'; readonly pull: number; readonly own: CheckRun };

/** On the head of a merge group, which is a tree of its own. What its pull request was not given on its own head speaks against it here. */
export function inMergeGroup(name: string, grouped: Grouped, place: Place): CheckRun {
  const about = `group/${grouped.kind === 'unknown' ? '' : grouped.pull}`;
  return check(name, place, { about, ...saidOf(name, grouped) });
}

type Said = Pick<CheckRun, 'conclusion' | 'title' | 'summary'>;

function saidOf(name: string, grouped: Grouped): Said {
  switch (grouped.kind) {
    case 'unknown':
      return nothing('This merge group names no pull request, so nothing was judged for it.');
    case 'other':
      return nothing(
        `${(WHY_NO_GROUP[name] ?? isNoLoops)(grouped.pull)}, so there is nothing to judge in its merge group.`,
      );
    case 'proof':
      return {
        conclusion: 'neutral',
        title: `Judged on #${grouped.pull}, not here`,
        summary: `What ${code(name)} says of pull request #${grouped.pull} stands on its own head; this merge group is another tree, which was not judged.`,
      };
    case 'loop':
      return saidByLoop(name, grouped.pull, grouped.own);
  }
}

const isNoLoops = (pull: number): string => `Pull request #${pull} is no loop's`;
const WHY_NO_GROUP: Readonly<Record<string, (pull: number) => string>> = {
  [PROOF_CHECK]: (pull) => `Nobody has asked for a proof of pull request #${pull}`,
  [SETUP_CHECK]: (pull) => `Pull request #${pull} does not set the repository up`,
};
const nothing = (summary: string): Said => ({ conclusion: 'neutral', title: 'Nothing to judge', summary });

const PASSING: readonly CheckRun['conclusion'][] = ['success', 'neutral'];

function saidByLoop(name: string, pull: number, { headSha, status, conclusion, title }: CheckRun): Said {
  const there = `${code(name)} of pull request #${pull} says "${oneLine(title, 150)}" on its own head ${code(headSha.slice(0, 7))}`;
  return status === 'completed' && PASSING.includes(conclusion)
    ? {
        conclusion: 'neutral',
        title: `Judged on #${pull}, not here`,
        summary: `${there}; this merge group is another tree, which was not judged.`,
      }
    : {
        conclusion: 'failure',
        title: `Not passed on #${pull}`,
        summary: `${there}, which is no pass; its merge group cannot be one either.`,
      };
}

function check(name: string, { repositoryId, headSha }: Place, said: Said & { readonly about: string }): CheckRun {
  const { about, ...rest } = said;
  const externalId = `neutral/${repositoryId}/${about}`;
  return { name, headSha, externalId, status: 'completed', text: '', actions: [], annotations: [], ...rest };
}
