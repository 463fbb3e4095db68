/** The tables as Kysely sees them; migrations.ts makes them. */
import type { ColumnType, Generated, Kysely } from 'kysely';

/** A time: written as Date or ISO text. */
type Time = ColumnType<Date, Date | string, Date | string>;
type DefaultTime = ColumnType<Date, Date | string | undefined, Date | string>;
type OptionalTime = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;

export interface LoopRow {
  readonly id: string;
  /** Order of insertion, for "newest first". */
  readonly serial: Generated<number>;
  readonly version: number;
  readonly repository_id: number;
  readonly issue: number;
  readonly n: number;
  readonly status: string;
  readonly branch: string;
  readonly pull: number | null;
  readonly run_id: number | null;
  readonly created_at: DefaultTime;
  readonly updated_at: DefaultTime;
  readonly installation_id: Generated<number>;
  readonly owner: Generated<string>;
  readonly repo: Generated<string>;
  readonly title: Generated<string>;
  readonly phase: Generated<string>;
  readonly waiting_for: string | null;
  /** Why the App may not do its work there for now. */
  readonly withheld: string | null;
  readonly head: string | null;
  readonly base_branch: string | null;
  readonly priority: Generated<string>;
  /** Lanes with pending effects, with commas between. */
  readonly lanes: Generated<string>;
  readonly awaits_run: Generated<boolean>;
  readonly holds_slot: Generated<boolean>;
  /** Its pull request is ready, and open as far as is known. */
  readonly awaits_merge: Generated<boolean>;
  readonly usd: Generated<number>;
  readonly started_at: Generated<string>;
  readonly queued_at: OptionalTime;
  readonly ended_at: OptionalTime;
  /** Its log is gone. */
  readonly forgotten: Generated<boolean>;
  /** JSON as text, not jsonb: jsonb refuses \u0000 and reorders keys, and the log must replay to the byte. */
  readonly loop: string;
}

export interface LogRow {
  readonly loop_id: string;
  readonly seq: number;
  /** JSON as text, or null when only an effect was settled. */
  readonly event: string | null;
  readonly settled: string | null;
  /** The delivery that said so, and as the how manieth thing to this loop. */
  readonly delivery_id: string | null;
  readonly ordinal: number | null;
  readonly created_at: DefaultTime;
}

export interface DeliveryRow {
  readonly id: string;
  readonly name: string;
  readonly received_at: string;
  /** JSON as text; null when nothing of it is to be taken in, or nothing any more. */
  readonly payload: string | null;
  readonly serial: Generated<number>;
  readonly repository_id: number | null;
  readonly tries: Generated<number>;
  readonly due_at: DefaultTime;
  readonly note: string | null;
  readonly created_at: DefaultTime;
}

export interface BlobRow {
  readonly digest: string;
  readonly content: Uint8Array;
  readonly created_at: DefaultTime;
}

/** Which blobs the log of a loop names. */
export interface LoopBlobRow {
  readonly digest: string;
  readonly loop_id: string;
}

export interface MissedDeliveryRow {
  readonly guid: string;
  readonly name: string;
  readonly delivery_id: string;
  readonly first_tried_at: Time;
  readonly tried_at: Time;
  readonly asked: Generated<number>;
  readonly due_at: Time;
}

/** What was applied once and is never applied again, as `Source.said` names it; it outlives the logs. */
export interface HeardRow {
  readonly repository_id: number;
  readonly said: string;
}

/** A call to a model: reserved before it is made by the App, settled after it, and told once an event of the loop has it. */
export interface CallRow {
  readonly loop_id: string;
  /** Order within the loop, from 1. */
  readonly number: number;
  /** Entry of a phase; null for the call of a job. */
  readonly entry: number | null;
  readonly phase: string;
  readonly skill: string;
  readonly role: string;
  readonly attempt: number;
  readonly model: string | null;
  readonly reserved_tokens: number | null;
  readonly reserved_usd: number | null;
  readonly settled: boolean;
  /** As settled; until then as reserved. */
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  /** Null where nobody stated what tokens cost. */
  readonly usd: number | null;
  readonly estimated: boolean;
  readonly duration_ms: number;
  readonly told: boolean;
  readonly at: Time;
  /** Digest of what was said. */
  readonly transcript: string | null;
}

/** The newest proof of a pull request that somebody asked for. */
export interface PullProofRow {
  readonly repository_id: number;
  readonly pull: number;
  readonly version: number;
  readonly stage: string;
  readonly run_id: number | null;
  readonly updated_at: DefaultTime;
  /** JSON as text, as that of loops. */
  readonly proof: string;
}

/** How far a repository is on its way to its first loop. */
export interface OnboardingRow {
  readonly repository_id: number;
  readonly version: number;
  readonly stage: string;
  readonly updated_at: DefaultTime;
  /** JSON as text, as that of loops. */
  readonly onboarding: string;
}

export interface ShownRow {
  readonly loop_id: string;
  /** JSON as text. */
  readonly shown: string;
}

interface BegunRow {
  readonly loop_id: string;
  readonly name: string;
}

/** Which blobs are code of jobs. */
interface JobRow {
  readonly digest: string;
  readonly offered_at: DefaultTime;
}

/** What GitHub may still be asked for an installation. */
interface InstallationLimitsRow {
  readonly installation_id: number;
  /** JSON as text. */
  readonly limits: string;
}

export interface Tables {
  readonly calls: CallRow;
  readonly loops: LoopRow;
  readonly loop_log: LogRow;
  readonly deliveries: DeliveryRow;
  readonly blobs: BlobRow;
  readonly loop_blobs: LoopBlobRow;
  readonly missed_deliveries: MissedDeliveryRow;
  readonly heard: HeardRow;
  readonly pull_proofs: PullProofRow;
  readonly onboardings: OnboardingRow;
  readonly shown: ShownRow;
  readonly begun: BegunRow;
  readonly jobs: JobRow;
  readonly installation_limits: InstallationLimitsRow;
  readonly schema_migrations: { readonly number: number; readonly name: string; readonly applied_at: DefaultTime };
}

/** What may be done with a connection: queries. Transactions are the engine's, because it guards them. */
export type Queries = Pick<
  Kysely<Tables>,
  'selectFrom' | 'insertInto' | 'updateTable' | 'deleteFrom' | 'with' | 'getExecutor' | 'executeQuery'
>;
