/** What others say about a commit, as the App reads it. */

export interface HeadCheck {
  readonly name: string;
  /** `cancelled`: it ended without a verdict (cancelled, timed out, could not start, stale, waits for an action); a person can run it again. */
  readonly outcome: 'passed' | 'failed' | 'cancelled';
  /** GitHub's word for it, and the check's own title. */
  readonly detail: string;
  /** Id of the check run, where it is one: what `checkDetails` asks about. */
  readonly checkRun?: number;
}

/** What a check run says beside its verdict. */
export interface CheckDetails {
  /** `src/a.js:7: unused variable`, the first ones. */
  readonly annotations: readonly string[];
  /** The end of its job's log, without times and colours; empty where it is no job of Actions, or its log is gone. */
  readonly logEnd: readonly string[];
}

export interface HeadChecks {
  /** `pending`: something is at work; what is told then is only what was asked so far. */
  readonly state: 'pending' | 'complete';
  /** When any of them changed last; undefined when there is none. */
  readonly changedAt: string | undefined;
  /** Names of what is at work. */
  readonly waitsFor: readonly string[];
  /** Once complete; empty when nobody checks. */
  readonly checks: readonly HeadCheck[];
}
