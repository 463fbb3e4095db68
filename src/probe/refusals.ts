/** How rules of a repository refuse what the App pushes: with an answer that is read as a refusal, and told in GitHub's words. */
import { type Finding, ok, unknown, wrong } from '../doctor/finding.ts';
import { type LoopError, WriteRefusedError } from '../errors.ts';
import { BRANCH_PREFIX } from '../settings/config.ts';
import { answered, TELL } from './probe.ts';
import { branchFor, messageFor, ownRef, type Scratch } from './scratch.ts';

/** What the push of a new branch with an unsigned commit breaks for sure. */
const BROKEN: readonly string[] = ['creation', 'required_signatures'];

const RESTRICT = `Make a ruleset for \`${BRANCH_PREFIX}probe-rules-**\` that restricts creations, without the App in its bypass list, and probe again.`;

export async function refusesByRules(scratch: Scratch): Promise<Finding> {
  const branch = branchFor(scratch, 'rules');
  const rules = await scratch.probing.rulesOn(scratch.repository, branch);
  if (rules.length === 0)
    return unknown(`No rule holds for ${branch}, so how a rule refuses cannot be seen.`, RESTRICT);
  const refusal = await refusalOfPush(scratch, branch);
  const held = rules.join(', ');
  if (refusal !== undefined) return judged(refusal, held);
  return rules.some((type) => BROKEN.includes(type))
    ? wrong(
        `${branch} was pushed, though its rules (${held}) forbid it.`,
        'Take the App off the bypass list of that ruleset, or see whether the ruleset is active; then probe again.',
      )
    : unknown(`The rules of ${branch} (${held}) forbid nothing of what was pushed.`, RESTRICT);
}

/** GitHub refuses for other reasons too, in the same way. */
const BY_RULES = /rule violation|repository rule|protected/i;

function judged(refusal: LoopError, held: string): Finding {
  const said = oneLine(refusal.message);
  if (!(refusal instanceof WriteRefusedError))
    return wrong(`Refused by its rules (${held}), and not read as a refusal: ${said}`, TELL);
  return BY_RULES.test(said)
    ? ok(`Refused by its rules (${held}): ${said}`)
    : unknown(
        `Refused, and in words that name no rule (${held} hold there): ${said}`,
        'Mend what the words name, and probe again.',
      );
}

/** The commit is made like nobody's of ours, so that it is not signed. */
async function refusalOfPush(scratch: Scratch, branch: string): Promise<LoopError | undefined> {
  const { probing, repository, tip } = scratch;
  const sha = await probing.unsignedCommit(repository, tip, messageFor(scratch));
  return refusalOfBranch(scratch, branch, sha);
}

/** What GitHub answers to a new branch; undefined where it takes it. */
export async function refusalOfBranch(scratch: Scratch, branch: string, sha: string): Promise<LoopError | undefined> {
  const ref = `refs/heads/${branch}`;
  const { made } = ownRef(scratch, ref);
  try {
    await scratch.github.moveRef(scratch.repository, ref, sha, { at: undefined });
    made();
    return undefined;
  } catch (error) {
    return answered(error);
  }
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
