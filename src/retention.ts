/** What of the past is kept, and what may go. */

/** For how many days what is no longer needed is kept. */
export interface KeepDays {
  /** Ids of webhooks: GitHub may bring one again for 3 days. */
  readonly deliveries: number;
  /** Logs of loops that have ended, and the blobs that only these name. */
  readonly logs: number;
  /** Blobs that no loop names, such as briefs: a run may wait 35 days for its runner. */
  readonly blobs: number;
  /** Commits in the clones that nobody has read since. */
  readonly commits: number;
}

/** What of the past may go; times are ISO. */
export interface Retention {
  /** Ids of deliveries that arrived before. */
  readonly deliveriesBefore: string;
  /** Logs of loops that ended before, and the blobs that only these name. */
  readonly logsBefore: string;
  /** Blobs that nothing names, stored before, and code of jobs that other code followed before. */
  readonly blobsBefore: string;
}
