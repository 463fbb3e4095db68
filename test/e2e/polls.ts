/** Which reads of a log of requests nothing gave a reason for: the same was read before, and nobody told of anything since. */

/** As the embedded GitHub logs what the App asked. */
export interface Asked {
  readonly at: string;
  readonly method: string;
  readonly path: string;
}

/** A webhook as it was brought to the App, to the second. */
export interface Told {
  readonly at: string;
  /** `workflow_run.completed` */
  readonly name: string;
  readonly sender: string;
  /** The App that a check is of. */
  readonly app: string | undefined;
}

interface Timed {
  readonly path: RegExp;
  readonly everySeconds: number;
  /** Webhooks that are a reason for it besides those that are one for everything. */
  readonly told: readonly string[];
  /** Each pause is twice the one before, until something is told. */
  readonly doubles: boolean;
  readonly because: string;
}

/** All that is read without having been told of anything, and no oftener than that. */
export const TIMED: readonly Timed[] = [
  {
    path: /^\/app\/hook\/deliveries\?/,
    everySeconds: 30,
    told: [],
    doubles: false,
    because: 'GitHub tries to bring a webhook once, and what it could not bring it tells in this list alone',
  },
  {
    path: /^\/repositories\/\d+\/actions\/runs\/\d+$/,
    everySeconds: 300,
    told: [],
    doubles: false,
    because: 'the webhook of its end may be lost for good, and the loop would wait for ever',
  },
  {
    path: /^\/repositories\/\d+\/actions\/runs\?head_sha=/,
    everySeconds: 2,
    told: ['check_run.completed', 'check_suite.completed', 'status'],
    doubles: true,
    because: 'what checks a repository need not tell by a webhook that it ended; it begins with `checksQuietSeconds`',
  },
];

const OURS = 'loopwright';
/** A webhook is brought, stored and taken up before what it means is read. */
const ON_THE_WAY_MS = 2000;

/** What the App does not know already, and goes on by: a word of a person, the end of a run. Echoes of its own writes are none, and nothing that only begins. */
function isNews({ name, sender, app }: Told, timed: Timed | undefined): boolean {
  if (!sender.endsWith('[bot]') || name === 'workflow_run.completed') return true;
  return app !== OURS && timed?.told.includes(name) === true;
}

interface Reading {
  readonly atMs: number;
  /** Pauses of a timer since the last news. */
  readonly pauses: number;
  readonly used: readonly Told[];
}

/** Reads without a reason, as `path, after 3.2 s`. Each piece of news is a reason to read each thing once more. */
export function pollsIn(asked: readonly Asked[], told: readonly Told[]): readonly string[] {
  const before = new Map<string, Reading>();
  return asked
    .filter(({ method, path }) => method === 'GET' && !path.includes('.git/'))
    .flatMap(({ path, at }) => {
      const atMs = Date.parse(at);
      const last = before.get(path);
      const timed = TIMED.find((one) => one.path.test(path));
      const news = last && told.find((one) => isNews(one, timed) && isSince(one, last, atMs));
      const pauses = last === undefined || news !== undefined ? 0 : last.pauses + 1;
      before.set(path, { atMs, pauses, used: [...(last?.used ?? []), ...(news === undefined ? [] : [news])] });
      const isExplained = last === undefined || news !== undefined || isInTime(timed, atMs - last.atMs, last.pauses);
      return isExplained ? [] : [`${path}, after ${((atMs - last.atMs) / 1000).toFixed(1)} s`];
    });
}

function isSince(one: Told, { atMs: beforeMs, used }: Reading, atMs: number): boolean {
  const toldMs = Date.parse(one.at);
  return toldMs >= Math.floor(beforeMs / 1000) * 1000 - ON_THE_WAY_MS && toldMs <= atMs && !used.includes(one);
}

/** The machine's clock and the timer's differ by less than a tenth. */
function isInTime(timed: Timed | undefined, pauseMs: number, pauses: number): boolean {
  return timed !== undefined && pauseMs >= 900 * timed.everySeconds * (timed.doubles ? 2 ** pauses : 1);
}
