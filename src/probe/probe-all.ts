/** Takes every probe, one after the other, and takes back what was written. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Report } from '../doctor/doctor.ts';
import { failedLook, type Row, type State } from '../doctor/finding.ts';
import { LimitedError, LoopError } from '../errors.ts';
import type { Probe } from './probe.ts';
import { PROBES } from './probes.ts';
import type { Scratch } from './scratch.ts';

/** What a scratch repository has that does not come of the repository itself. */
type Given = Omit<Scratch, 'branch' | 'tip' | 'mark' | 'takesBack'>;

export interface ProbeOptions extends Given {
  readonly now: () => Date;
  /** Before each of them. */
  readonly tell: (probe: Probe) => void;
  /** Holds at each moment what may be there and is not taken back yet. */
  readonly standing?: Set<string>;
  /** Without them, all. */
  readonly probes?: readonly Probe[];
}

export interface Probed extends Report {
  readonly at: string;
  /** Of the GitHub Enterprise Server; null where it is none. */
  readonly serverVersion: string | null;
  /** What was written and could not be taken back, a sentence each. */
  readonly left: readonly string[];
}

export async function probeAll(options: ProbeOptions): Promise<Probed> {
  const { now, tell, standing = new Set(), probes = PROBES, ...given } = options;
  const { github, probing, repository, signal } = given;
  const { defaultBranch: branch } = await github.repository(repository);
  const tip = await github.head(repository, `refs/heads/${branch}`);
  if (tip === undefined) throw new LoopError(`The default branch ${branch} has no commit; push one first.`);
  const at = now().toISOString();
  const undone: Undone[] = [];
  const scratch: Scratch = {
    ...{ ...given, branch, tip },
    mark: `${at.slice(0, 10)}-${randomBytes(3).toString('hex')}`,
    takesBack(what, back) {
      standing.add(what);
      undone.push({ what, back });
    },
  };
  const rows: Row[] = [];
  let left: readonly string[] = [];
  try {
    for (const probe of probes) {
      if (signal.aborted) break;
      tell(probe);
      rows.push(await rowOf(probe, scratch));
    }
  } finally {
    left = await takeBack(undone, standing);
  }
  const countOf = (state: State): number => rows.filter((row) => row.state === state).length;
  const counts = {
    ok: countOf('ok'),
    missing: countOf('missing'),
    wrong: countOf('wrong'),
    unknown: countOf('unknown'),
  };
  // Whoever probed has to hear what was seen and what is left, whatever GitHub says at the end.
  const serverVersion = await probing.serverVersion().catch(() => undefined);
  return { at, serverVersion: serverVersion ?? null, rows, counts, left };
}

interface Undone {
  readonly what: string;
  readonly back: () => Promise<void>;
}

/** Gives what is left, a sentence each. */
async function takeBack(undone: readonly Undone[], standing: Set<string>): Promise<readonly string[]> {
  const left: string[] = [];
  for (const { what, back } of undone.toReversed())
    await unlimited(back).then(
      () => standing.delete(what),
      (error: Error) => left.push(`${what} is left: ${error.message}`),
    );
  return left;
}

const LONGEST_LIMIT_SECONDS = 60;

/** Once more, where all that stands against it is a limit that is over soon: what was tried may have reached it. */
async function unlimited(back: () => Promise<void>): Promise<void> {
  try {
    await back();
  } catch (error) {
    if (!(error instanceof LimitedError) || error.seconds > LONGEST_LIMIT_SECONDS) throw error;
    await sleep(error.seconds * 1000);
    await back();
  }
}

async function rowOf({ area, subject, probe }: Probe, scratch: Scratch): Promise<Row> {
  try {
    return { area, subject, ...(await probe(scratch)) };
  } catch (error) {
    return { area, subject, ...failedLook(error) };
  }
}
