/** GitHub's own limits: how its answers tell them, and whether it takes as much in a minute as it says. */
import { type Finding, ok, unknown, wrong } from '../doctor/finding.ts';
import { LimitedError, LoopError } from '../errors.ts';
import type { LimitHeaders, ReadTwice } from '../github/probing.ts';
import { TELL } from './probe.ts';
import { pullFor, type Scratch } from './scratch.ts';

/** By them we know for how long to wait. */
const READ = ['x-ratelimit-remaining', 'x-ratelimit-reset'] as const;
const [LEFT] = READ;

/** Others of the same installation may ask meanwhile, and what was just pushed may still change what is told of the repository. */
const TRIES = 3;

export async function countsOnlyAnswers({ probing, repository }: Scratch): Promise<Finding> {
  let seen = await probing.readTwice(repository);
  const lacking = READ.filter((name) => seen.first[name] === undefined);
  if (lacking.length > 0) return withoutHeaders(lacking, (await probing.serverVersion()) !== undefined);
  for (let tries = 1; tries < TRIES && isToBeAskedAgain(seen); tries += 1) seen = await probing.readTwice(repository);
  if (seen.isUnchanged && seen.second[LEFT] === undefined) return countsBySpending(probing, repository, seen);
  if (!seen.isUnchanged)
    return wrong('What has not changed was sent whole, though it was asked for only if it changed.', TELL);
  return isCounted(seen)
    ? wrong(
        `An answer that says only that nothing changed counts against the limit (${told(seen.first)}, then ${told(seen.second)}).`,
        TELL,
      )
    : ok(`Answers tell the limit (${told(seen.first)}), and one that says only that nothing changed does not count.`);
}

/** An administrator may have the limits off there, as they are at first. */
function withoutHeaders(lacking: readonly string[], isServer: boolean): Finding {
  const sentence = `Answers lack ${lacking.join(' and ')}`;
  return isServer
    ? unknown(`${sentence}: this GitHub Enterprise Server has no limits on.`, 'Switch its rate limits on to see them.')
    : wrong(`${sentence}, by which the App knows how long to wait.`, TELL);
}

function isToBeAskedAgain(seen: ReadTwice): boolean {
  return !seen.isUnchanged || (seen.second[LEFT] !== undefined && isCounted(seen));
}

/** Where only whole answers tell the limit, the next one tells what an unchanged one has cost: beside that, it costs one itself. */
async function countsBySpending(
  probing: Scratch['probing'],
  repository: Scratch['repository'],
  before: ReadTwice,
): Promise<Finding> {
  let last = before;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const next = await probing.readTwice(repository);
    if (Number(last.first[LEFT]) - Number(next.first[LEFT]) === 1)
      return ok(
        `Answers tell the limit (${told(next.first)}); one that says only that nothing changed does not, nor does it count.`,
      );
    last = next;
  }
  return unknown(
    `Answers tell the limit (${told(last.first)}), but one that says only that nothing changed does not, and whether it counts could not be seen.`,
    'Probe again while nothing else of the App is at work.',
  );
}

function isCounted({ first, second }: ReadTwice): boolean {
  return first[LEFT] !== second[LEFT];
}

const told = (headers: LimitHeaders): string => `${headers[LEFT]} of ${headers['x-ratelimit-limit']} left`;

/** Of what people see and are notified of: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits */
const CREATIONS_A_MINUTE = 80;
const MINUTE_MS = 60_000;

export async function takesLoad(scratch: Scratch): Promise<Finding> {
  if (!scratch.mayLoad)
    return unknown(
      `Whether GitHub takes ${CREATIONS_A_MINUTE} comments in a minute was not tried.`,
      'Say --load where it may be.',
    );
  const { number } = await pullFor(scratch, 'load');
  const began = performance.now();
  // The pull request was one.
  for (let written = 1; written < CREATIONS_A_MINUTE; written += 1) {
    if (scratch.signal.aborted)
      return unknown(`It was interrupted after ${written}, all taken.`, 'Probe again, and let it end.');
    if (performance.now() - began > MINUTE_MS)
      return unknown(
        `Only ${written} were written in a minute, all taken.`,
        'Probe again from where GitHub answers faster.',
      );
    const refusal = await refusalOfComment(scratch, number, written);
    if (refusal !== undefined) return refused(refusal, `After ${written} in ${secondsSince(began)} s`);
  }
  return ok(`${CREATIONS_A_MINUTE} were taken in ${secondsSince(began)} s.`);
}

const SLOWER = 'Loops wait for as long as GitHub says; run fewer of them at a time (MAX_LOOPS) where that is too long.';

/** Beside what the port reads as a limit. */
const TOO_MANY = /rate limit|too quickly|too many|abuse/i;

function refused(refusal: LoopError, when: string): Finding {
  return refusal instanceof LimitedError || refusal.status === 429 || TOO_MANY.test(refusal.message)
    ? wrong(`${when} it was refused: ${refusal.message}`, SLOWER)
    : unknown(
        `${when} it was refused, and for no limit that the words name: ${refusal.message}`,
        'Mend what the words name, and probe again.',
      );
}

async function refusalOfComment(
  { probing, repository }: Scratch,
  number: number,
  serial: number,
): Promise<LoopError | undefined> {
  try {
    await probing.comment(repository, number, `Comment ${serial} of a probe.`);
    return undefined;
  } catch (error) {
    if (error instanceof LoopError && (error.status === 403 || error.status === 429)) return error;
    throw error;
  }
}

const secondsSince = (began: number): number => Math.round((performance.now() - began) / 1000);
