/** What a database would hold, in memory. */
import type { InstallationLimits } from '../../../src/github/installation-limits.ts';
import type { BookedCall } from '../../../src/loop/brief.ts';
import type { Event } from '../../../src/loop/event.ts';
import type { Shown } from '../../../src/loop/shown.ts';
import type { Delivery, LoopCall, StoredLoop, StoredOnboarding, StoredPullProof } from '../../../src/ports.ts';

export interface LogEntry {
  readonly seq: number;
  readonly event: Event | undefined;
  readonly settled: string | undefined;
  /** The delivery and its ordinal, where one said so. */
  readonly source: string | undefined;
}

export interface LoopRow extends StoredLoop {
  readonly serial: number;
  readonly queuedAt: string | undefined;
  readonly endedAt: string | undefined;
  readonly forgotten: boolean;
}

/** What a database would hold. */
export interface Database {
  readonly loops: Map<string, LoopRow>;
  readonly logs: Map<string, LogEntry[]>;
  readonly deliveries: Map<string, DeliveryRow>;
  readonly missed: Map<string, MissedRow>;
  readonly blobs: Map<string, { readonly bytes: Uint8Array; readonly atMs: number }>;
  /** Code of jobs by digest, in the order in which it was offered, and when. */
  readonly jobs: Map<string, number>;
  /** Which loops name a blob: `<digest> <loop>`. */
  readonly names: Set<string>;
  /** What people said: `<repository> <said>`. */
  readonly heard: Set<string>;
  /** By `<repository>/<pull request>`. */
  readonly pullProofs: Map<string, StoredPullProof>;
  readonly onboardings: Map<number, StoredOnboarding>;
  /** By loop. */
  readonly shown: Map<string, Shown>;
  /** Names by loop. */
  readonly begun: Map<string, ReadonlySet<string>>;
  /** By loop, in order. */
  readonly calls: Map<string, BookedRow[]>;
  /** By installation. */
  readonly limits: Map<number, InstallationLimits>;
  serial: number;
}

export interface BookedRow extends Mutable<Omit<LoopCall, keyof BookedCall>> {
  call: BookedCall;
  told: boolean;
  isTakenBack?: boolean;
}

type Mutable<Row> = { -readonly [Key in keyof Row]: Row[Key] };

export interface DeliveryRow {
  /** As a database counts: what is there already has taken a number too. */
  readonly serial: number;
  delivery: Delivery;
  dueMs: number;
  tries: number;
}

export interface MissedRow {
  readonly guid: string;
  readonly name: string;
  id: string;
  readonly firstTriedAt: string;
  triedAt: string;
  dueAt: string;
  asked: number;
}

export function createDatabase(): Database {
  return {
    loops: new Map(),
    logs: new Map(),
    deliveries: new Map(),
    missed: new Map(),
    blobs: new Map(),
    jobs: new Map(),
    names: new Set(),
    heard: new Set(),
    pullProofs: new Map(),
    onboardings: new Map(),
    shown: new Map(),
    begun: new Map(),
    calls: new Map(),
    limits: new Map(),
    serial: 0,
  };
}

/** The digests that a stored text names. */
export function digestsIn(text: string): readonly string[] {
  return text.match(/sha256:[0-9a-f]{64}/g) ?? [];
}
