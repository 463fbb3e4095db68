/** What the App remembers: deliveries, loops with their logs, blobs, missed webhooks. adapters/database/store.ts keeps it in Postgres. */
import type { LimitAnswer, LimitAsk } from './github/installation-limits.ts';
import type { BookedCall, ModelCall } from './loop/brief.ts';
import type { EffectLane } from './loop/effect.ts';
import type { Event } from './loop/event.ts';
import type { Loop } from './loop/loop.ts';
import type { Shown } from './loop/shown.ts';
import type { Onboarding } from './onboarding/onboarding.ts';
import type { Overviews } from './overview-port.ts';
import type { PullProof } from './proof/pull-proof.ts';
import type { Retention } from './retention.ts';

export type * from './retention.ts';

/** One webhook; stored before it is acknowledged. intake/reduce.ts makes it of what GitHub sent. */
export interface Delivery {
  readonly id: string;
  readonly name: string;
  readonly receivedAt: string;
  /** Deliveries of one repository are taken in one after another, in the order in which they came. */
  readonly repositoryId: number | undefined;
  /** What the intake reads of it; undefined where nothing in it decides, and once it was taken in: then only the id stays. */
  readonly payload: unknown;
  /** Why nothing is read of it, where that is worth saying. */
  readonly note: string | undefined;
}

export interface UnreadDelivery extends Delivery {
  /** How often taking it in failed so far. */
  readonly tries: number;
  /** When it is to be taken in (again). */
  readonly dueAt: string;
  /** Its place among all deliveries. */
  readonly serial: number;
}

export interface StoredLoop {
  readonly loop: Loop;
  readonly version: number;
}

/** At most so many loops hold a slot at the same time; a loop holds one while it is working or paused. */
export interface AdmissionLimits {
  readonly overall: number;
  readonly installation: number;
  readonly repository: number;
}

/** Which delivery said so, and as the how manieth thing: it is saved once. Only the body of a webhook is signed, so who has one can bring it again under another id. */
export interface Source {
  readonly delivery: string;
  readonly ordinal: number;
  /** Once by this loop, or by one of the loops that its issue has had: read again, it may find that another loop has begun. */
  readonly once: 'by-loop' | 'by-issue';
  /** What somebody said or did, by GitHub's own id for it: it is saved once in a repository, whatever delivery brings it to which loop, and for ever. */
  readonly said?: string | undefined;
}

/** One save: the loop as it shall be, and what led there. */
export interface Change {
  readonly loop: Loop;
  /** 0 inserts. */
  readonly expectedVersion: number;
  readonly event: Event | undefined;
  readonly settled: string | undefined;
  readonly wakes: readonly EffectLane[];
  /** It gives a slot back, which a queued loop may have. */
  readonly freesSlot?: boolean | undefined;
  readonly source?: Source | undefined;
  /** Given where the save takes a slot. Without a free one, `queued` is logged after the event and its loop is saved; where it is undefined, nothing is. */
  readonly admission?:
    | {
        readonly limits: AdmissionLimits;
        readonly queued:
          | { readonly loop: Loop; readonly event: Event; readonly wakes: readonly EffectLane[] }
          | undefined;
      }
    | undefined;
}

/** A webhook that did not arrive, and what was done about it. */
export interface MissedDelivery {
  readonly guid: string;
  readonly name: string;
  /** Of its newest failed try, as GitHub names it. */
  readonly id: string;
  readonly triedAt: string;
  /** How often it was asked for. */
  readonly asked: number;
}

/** A model call that the App is about to make. */
export interface Reservation {
  readonly loopId: string;
  readonly entry: number;
  readonly model: string;
  /** What it is expected to take. */
  readonly call: ModelCall;
  /** Undefined where nobody stated what tokens cost. */
  readonly usd: number | undefined;
  readonly at: string;
}

export interface Settlement {
  readonly call: ModelCall;
  readonly usd: number | undefined;
  /** What was said in it, as it is to be kept. */
  readonly transcript?: string | undefined;
}

/** A loop, and what no event has told of its calls yet. */
export interface Account {
  readonly loop: Loop;
  /** Those that are not settled, in order. */
  readonly underWay: readonly BookedCall[];
  /** What the others took together. */
  readonly took: { readonly promptTokens: number; readonly completionTokens: number };
}

export interface StoredPullProof {
  readonly proof: PullProof;
  readonly version: number;
}

export interface StoredOnboarding {
  readonly onboarding: Onboarding;
  readonly version: number;
}

export interface Store extends Overviews {
  /**
   * Stores a delivery and, where it has a payload, queues the intake of its repository, in one transaction. What arrives while a transaction is under way
   * is written together in the next one. False when its id was seen before.
   */
  receive(delivery: Delivery): Promise<boolean>;
  delivery(id: string): Promise<Delivery | undefined>;
  /** Deliveries of a repository that are to be taken in, oldest first: those that are due at the time, and those that wait but were received since. */
  unread(of: {
    readonly repositoryId: number;
    readonly at: string;
    readonly since: string;
    /** Behind this place; from the first one, without. */
    readonly after?: number | undefined;
    readonly limit: number;
  }): Promise<readonly UnreadDelivery[]>;
  /** Repositories with deliveries that are not taken in yet, and when the first of them is due. */
  unreadRepositories(): Promise<readonly { readonly repositoryId: number; readonly dueAt: string }[]>;
  /** Deliveries were taken in, or are given up with a note; their payloads go. */
  markRead(ids: readonly string[], note?: string): Promise<void>;
  /** Taking a delivery in failed: it counts as one more try, and is due again at the time. */
  postpone(id: string, until: string): Promise<void>;
  load(id: string): Promise<StoredLoop | undefined>;
  /** The newest loop of an issue. */
  newest(repositoryId: number, issue: number): Promise<StoredLoop | undefined>;
  byPull(repositoryId: number, pull: number): Promise<StoredLoop | undefined>;
  byBranch(repositoryId: number, branch: string): Promise<StoredLoop | undefined>;
  byRun(repositoryId: number, runId: number): Promise<StoredLoop | undefined>;
  /** Open loops (working, waiting, paused or queued) whose head is this commit. */
  awaitingChecks(repositoryId: number, sha: string): Promise<readonly StoredLoop[]>;
  /** Open loops whose base is this branch. */
  onBase(repositoryId: number, branch: string): Promise<readonly StoredLoop[]>;
  /** Finished loops whose pull request is to be merged into this branch, and was neither merged nor closed as far as is known. */
  awaitingMerge(repositoryId: number, branch: string): Promise<readonly StoredLoop[]>;
  /** Loops with pending effects, and those that wait for a run: what is to be looked after. */
  unfinished(): Promise<
    readonly { readonly id: string; readonly lanes: readonly EffectLane[]; readonly awaitsRun: boolean }[]
  >;
  /**
   * Saves the loop, appends the event and queues a wake for each lane, all in one transaction. `saved`: so it was. `repeated`: the source was
   * saved already, nothing was changed. `queued`: there was no free slot. @throws {ConflictError} when the stored version is another.
   */
  save(change: Change): Promise<'saved' | 'repeated' | 'queued'>;
  /** The queued loop that goes next, of those whose installation and repository have a free slot: by priority, each step of waiting lifts one class. */
  nextQueued(limits: AdmissionLimits, at: string): Promise<StoredLoop | undefined>;
  /** Everything that was decided on, in order: events, and the settling of effects between them. Refolding gives the loop. */
  log(
    id: string,
  ): Promise<
    readonly { readonly seq: number; readonly event: Event | undefined; readonly settled: string | undefined }[]
  >;
  /**
   * Books a call before it is made; gives its id. What was spent is what the events of the loop tell of, and nothing else: a call stays untold until
   * a save appends an event with it, in the same transaction. A call of an event that was not reserved, as those of jobs, is booked then.
   */
  reserve(reservation: Reservation): Promise<string>;
  /** Takes back what was booked for a call that is not made; its id is given to no other. What is settled or told stays. */
  release(id: string): Promise<void>;
  /** What a reserved call took, and what was said in it: that is kept as long as the loop's log, under the digest that this gives. */
  settle(id: string, settlement: Settlement): Promise<string | undefined>;
  /** Calls of a loop that no event has told of, in order: as they were settled, or else as they were reserved. */
  untold(loopId: string): Promise<readonly BookedCall[]>;
  /** Books a call, and gives the account of the loop that `byRun` gives, as it was at the moment before; `release` takes the booking back where that forbids it. */
  reserveFor(
    run: { readonly repositoryId: number; readonly runId: number },
    reservation: Reservation,
  ): Promise<{ readonly id: string; readonly account: Account | undefined }>;
  /** What of the loop was brought to GitHub last, and forgets it: whoever takes it says by `keepShown` what is there then. */
  takeShown(loopId: string): Promise<Shown | undefined>;
  keepShown(loopId: string, shown: Shown): Promise<void>;
  /** Notes that something of this name is begun for the loop, before it is; whether it was for sure never begun before. */
  begins(loopId: string, name: string): Promise<boolean>;
  /** The newest proof of a pull request that somebody asked for. */
  pullProof(repositoryId: number, pull: number): Promise<StoredPullProof | undefined>;
  pullProofByRun(repositoryId: number, runId: number): Promise<StoredPullProof | undefined>;
  /** Those that have not ended. */
  openPullProofs(): Promise<readonly StoredPullProof[]>;
  /**
   * Saves a proof and, where it has not begun, queues its first step, in one transaction. `said` is as in `Source`. `repeated`: that was said already, and
   * nothing was changed. @throws {ConflictError} when the stored version is another.
   */
  savePullProof(save: {
    readonly proof: PullProof;
    /** 0 inserts. */
    readonly expectedVersion: number;
    readonly said?: string | undefined;
  }): Promise<'saved' | 'repeated'>;
  onboarding(repositoryId: number): Promise<StoredOnboarding | undefined>;
  /** Those that have a step to take, or await a run. */
  openOnboardings(): Promise<readonly StoredOnboarding[]>;
  /** Saves an onboarding and, where it has a step to take, queues that, as `savePullProof` does. @throws {ConflictError} when the stored version is another. */
  saveOnboarding(save: {
    readonly onboarding: Onboarding;
    /** 0 inserts. */
    readonly expectedVersion: number;
    readonly said?: string | undefined;
  }): Promise<'saved' | 'repeated'>;
  /** Stores text or bytes under their sha256 (`sha256:<hex>`); repeating it is harmless. */
  putBlob(content: string | Uint8Array): Promise<string>;
  /** @throws {StoreError} when nothing is stored under the digest. */
  blob(digest: string): Promise<Uint8Array>;
  /** Stores the code of a job to be served from now on, also by later versions; its digest, as that of a blob. */
  offerJob(content: Uint8Array): Promise<string>;
  /** The code of a job that was offered; undefined where none has the digest, whatever else has. */
  job(digest: string): Promise<Uint8Array | undefined>;
  /** Remembers webhooks that did not arrive; one that is known already gets its newest try. */
  noteMissed(missed: readonly Omit<MissedDelivery, 'asked'>[]): Promise<void>;
  /** Missed webhooks that are due to be asked for, oldest first; those that arrived meanwhile are forgotten, and those of before `horizon`. */
  dueMissed(of: {
    readonly at: string;
    readonly horizon: string;
    readonly limit: number;
  }): Promise<readonly MissedDelivery[]>;
  /** A missed webhook was asked for; it is due again at the time. */
  askedFor(guid: string, dueAt: string): Promise<void>;
  /** Answers one process at a time what GitHub may still be asked for an installation, and counts it for all of them. */
  askLimits(installationId: number, ask: LimitAsk): Promise<LimitAnswer>;
  /** True in one process at a time, until that ends: for what must not be done by two. */
  leads(): Promise<boolean>;
  /** Removes what is older than it need be kept. */
  forget(retention: Retention): Promise<Readonly<Record<'deliveries' | 'logs' | 'blobs', number>>>;
}
