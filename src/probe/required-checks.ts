/** Whether GitHub lets a pull request pass whose required check is neutral, as those of ours are where a pull request is no loop's. */
import { type Finding, ok, unknown, wrong } from '../doctor/finding.ts';
import type { CheckRun } from '../loop/check-run.ts';
import { BRANCH_PREFIX } from '../settings/config.ts';
import { oneLine, refusalOfBranch } from './refusals.ts';
import { branchFor, checkOf, commitOn, openFor, ownFile, type Scratch, settled } from './scratch.ts';

const REQUIRE = `Make a ruleset for \`${BRANCH_PREFIX}probe-required-**\` that requires \`loopwright / evidence\` and nothing else, without the App in its bypass list, and probe again.`;

const BYPASSED =
  'Take the App off the bypass list of that ruleset, see whether the ruleset is active, or give GitHub more time with --wait; then probe again.';

/** A neutral check shows something only where the pull request is blocked without it, and is not with a success. */
export async function passesNeutral(scratch: Scratch): Promise<Finding> {
  const base = branchFor(scratch, 'required');
  const names = await scratch.github.requiredChecks(scratch.repository, base);
  if (names.length === 0)
    return unknown(`No rule requires a check of ours of ${base}, so what a neutral one does cannot be seen.`, REQUIRE);
  const passed = await passedCommit(scratch, names);
  const refusal = await refusalOfBranch(scratch, base, passed);
  if (refusal !== undefined) return unknown(`${base} could not be made: ${oneLine(refusal.message)}`, REQUIRE);
  const pull = await pullInto(scratch, { base, parent: passed, names });
  return judged(await seenOf(scratch, pull), pull, scratch.patienceMs);
}

type Said = Pick<CheckRun, 'status' | 'conclusion'>;

const AT_WORK: Said = { status: 'in_progress', conclusion: undefined };
const NEUTRAL: Said = { status: 'completed', conclusion: 'neutral' };
const SUCCESS: Said = { status: 'completed', conclusion: 'success' };

/** A rule that requires checks may ask them of the first commit of a branch too: they have passed on another ref before. */
async function passedCommit(scratch: Scratch, names: readonly string[]): Promise<string> {
  const sha = await commitOn(scratch, `refs/loopwright/probe/${scratch.mark}-required`);
  await say(scratch, { headSha: sha, names }, SUCCESS);
  return sha;
}

interface Required {
  readonly headSha: string;
  readonly names: readonly string[];
}

interface Pull extends Required {
  readonly number: number;
}

/** Its checks are at work before it is opened, so that an App which runs finds nothing that it would have to add. */
async function pullInto(
  scratch: Scratch,
  { base, parent, names }: { readonly base: string; readonly parent: string; readonly names: readonly string[] },
): Promise<Pull> {
  const own = ownFile(scratch);
  const change = { ...own, path: `more-${own.path}` };
  const headSha = await commitOn(scratch, `refs/heads/${branchFor(scratch, 'neutral')}`, { parent, change });
  await say(scratch, { headSha, names }, AT_WORK);
  const { number } = await openFor(scratch, 'neutral', { base, isDraft: false });
  return { number, headSha, names };
}

async function say({ github, repository }: Scratch, { headSha, names }: Required, said: Said): Promise<void> {
  await github.checks(
    repository,
    names.map((name) => checkOf(name, headSha, said)),
  );
}

/** https://docs.github.com/graphql/reference/enums#mergestatestatus: those that keep nobody from merging. */
const PASSING: readonly string[] = ['clean', 'unstable', 'has_hooks'];

/** While it finds out. */
const UNTOLD = 'unknown';

const isPassing = (state: string): boolean => PASSING.includes(state);
const isBlocked = (state: string): boolean => state === 'blocked';

/** How GitHub says that the pull request stands, with each of them in turn. */
interface Seen {
  readonly atWork: string;
  /** Undefined where the pull request was not blocked before. */
  readonly neutral?: string;
  /** Undefined where that was not needed any more. */
  readonly success?: string;
}

async function seenOf(scratch: Scratch, pull: Pull): Promise<Seen> {
  const settledAs = (isWanted: (state: string) => boolean): Promise<string> =>
    settled(scratch, () => scratch.probing.mergeableState(scratch.repository, pull.number), isWanted);
  const atWork = await settledAs(isBlocked);
  if (!isBlocked(atWork)) return { atWork };
  await say(scratch, pull, NEUTRAL);
  const neutral = await settledAs(isPassing);
  if (isPassing(neutral)) return { atWork, neutral };
  await say(scratch, pull, SUCCESS);
  return { atWork, neutral, success: await settledAs(isPassing) };
}

function judged({ atWork, neutral = '', success = '' }: Seen, { number, names }: Pull, patienceMs: number): Finding {
  const pull = `ull request #${number}`;
  const them = names.length === 1 ? 'it' : 'them';
  const [working, passing] = [`with ${names.join(' and ')} in progress`, `with ${names.join(' and ')} neutral`];
  if (atWork === UNTOLD || neutral === UNTOLD)
    return unknown(
      `GitHub did not tell within ${Math.round(patienceMs / 1000)} s how p${pull} stands ${atWork === UNTOLD ? working : passing}.`,
      'Give GitHub more time with --wait, and probe again.',
    );
  if (!isBlocked(atWork)) return unknown(`P${pull} was ${atWork}, and not blocked, ${working}.`, BYPASSED);
  if (isPassing(neutral)) return ok(`P${pull} was blocked ${working}, and ${neutral} with ${them} neutral.`);
  return isBlocked(neutral) && isPassing(success)
    ? wrong(
        `P${pull} stayed blocked ${passing}, and was ${success} with ${them} a success.`,
        "Require no check of ours: pull requests that are no loop's could not be merged. Tell the maintainers.",
      )
    : unknown(
        `P${pull} was blocked ${working}, ${neutral} with ${them} neutral, and ${success} with ${them} a success: something else is in its way.`,
        REQUIRE,
      );
}
