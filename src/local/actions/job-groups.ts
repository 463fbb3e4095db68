/** Concurrency of jobs: one of a group at a time, and one that waits; a newer one takes its place. https://docs.github.com/actions/how-tos/write-workflows/choose-when-workflows-run/control-workflow-concurrency */
import type { Concurrency } from './workflow-types.ts';

/** A name within a repository. */
export interface Group {
  readonly repositoryId: number;
  readonly group: string;
}

export interface GroupClaim extends Group, Concurrency {
  readonly runId: number;
  readonly jobId: number;
  /** Aborted with the run. */
  readonly signal: AbortSignal;
  /** Ends the job that runs. */
  readonly cancel: (reason: string) => void;
}

export interface JobGroups {
  /** Resolves when the job may begin, to undefined; or when it must not any more, to what to say of it ('' when its run was cancelled). */
  readonly enter: (claim: GroupClaim) => Promise<string | undefined>;
  /** A job that holds its group, or waits for it, has ended. */
  readonly leave: (jobId: number) => void;
  /** Ends the jobs that run in the group. */
  readonly cancel: (group: Group) => void;
  readonly isHeld: (group: Group) => boolean;
  /** Something that held a group from outside has ended. */
  readonly wake: () => void;
}

export interface GroupsAround {
  /** Whether another run of its workflow's own group stands in the way. */
  readonly isHeldByRun: (claim: GroupClaim) => boolean;
  /** A group may have become free. */
  readonly freed: () => void;
}

interface Place {
  readonly claim: GroupClaim;
  /** Undefined once the job runs. */
  answer: ((reason: string | undefined) => void) | undefined;
}

/** Groups without any job. They are of this process: the jobs of a former one have ended. */
export function createJobGroups({ isHeldByRun, freed }: GroupsAround): JobGroups {
  let places: readonly Place[] = [];
  const placesOf = (group: Group, isWanted: (place: Place) => boolean): readonly Place[] =>
    places.filter((place) => isSame(place.claim, group) && isWanted(place));
  const isHeld = (group: Group): boolean => placesOf(group, isRunning).length > 0;
  const turnAway = (place: Place, reason: string): void => {
    places = places.filter((other) => other !== place);
    place.answer?.(reason);
  };
  const wake = (): void => {
    for (const place of places)
      if (!isRunning(place) && !isHeld(place.claim) && !isHeldByRun(place.claim)) begin(place);
  };
  const cancel = (group: Group): void => {
    for (const { claim } of placesOf(group, isRunning)) claim.cancel(replacementReason(group));
  };
  return {
    wake,
    cancel,
    isHeld,
    enter: (claim) => {
      for (const place of placesOf(claim, isWaiting)) turnAway(place, replacementReason(claim));
      if (claim.cancelsRunning) cancel(claim);
      return new Promise((answer) => {
        const place: Place = { claim, answer };
        places = [...places, place];
        // One that runs leaves when it has ended.
        const giveUp = (): void => void (isWaiting(place) && turnAway(place, ''));
        claim.signal.addEventListener('abort', giveUp, { once: true });
        if (claim.signal.aborted) giveUp();
        wake();
      });
    },
    leave: (jobId) => {
      const left = places.filter(({ claim }) => claim.jobId === jobId);
      places = places.filter(({ claim }) => claim.jobId !== jobId);
      if (left.length === 0) return;
      wake();
      freed();
    },
  };
}

const isRunning = ({ answer }: Place): boolean => answer === undefined;
const isWaiting = ({ answer }: Place): boolean => answer !== undefined;
const isSame = (one: Group, other: Group): boolean =>
  one.repositoryId === other.repositoryId && one.group === other.group;

function begin(place: Place): void {
  const { answer } = place;
  place.answer = undefined;
  answer?.(undefined);
}

/** GitHub's sentence for a job that a newer one of its group ends. */
function replacementReason({ group }: Group): string {
  return `Canceling since a higher priority waiting request for '${group}' exists`;
}
