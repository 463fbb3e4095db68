/** What people may look at of the loops that the App remembers. */
import type { BookedCall } from './loop/brief.ts';
import type { Loop } from './loop/loop.ts';
import type { LoopRef, PhaseName, Status } from './loop/terms.ts';

/** What a list of loops shows, from columns alone. */
export interface LoopOverview {
  readonly id: string;
  readonly ref: LoopRef;
  readonly title: string;
  readonly status: Status;
  readonly phase: PhaseName;
  readonly waitingFor: string | undefined;
  readonly priority: Loop['priority'];
  /** Why the App may not do its work in the repository for now. */
  readonly withheld: string | undefined;
  readonly pull: number | undefined;
  readonly startedAt: string;
  readonly usd: number;
  /** Give it as `before` for the next page. */
  readonly cursor: number;
}

/** A call to a model, as it was settled or, until then, reserved. */
export interface LoopCall extends BookedCall {
  readonly at: string;
  /** Undefined for a call that a job told of, and that passed no gateway. */
  readonly model: string | undefined;
  readonly entry: number | undefined;
  readonly usd: number | undefined;
  readonly isSettled: boolean;
  /** The digest of what was said, as guard/transcript.ts writes it. */
  readonly transcript: string | undefined;
}

export interface Overviews {
  /** Loops, newest first, without reading what they remember. */
  overview(filter: {
    readonly repositoryId?: number | undefined;
    readonly open?: boolean | undefined;
    /** Only those that wait for a right of the App. */
    readonly withheld?: true | undefined;
    /** Only those whose pull request is ready and, as far as is known, neither merged nor closed. */
    readonly awaitsMerge?: true | undefined;
    readonly limit: number;
    readonly before?: number | undefined;
  }): Promise<readonly LoopOverview[]>;
  /** Calls to models of a loop, in their order, as long as its log is kept. */
  calls(loopId: string): Promise<readonly LoopCall[]>;
}
