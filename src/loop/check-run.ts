/** A check run of ours, as it is said and as GitHub takes it. */
export interface CheckRun {
  readonly name: string;
  readonly headSha: string;
  readonly externalId: string;
  readonly status: 'queued' | 'in_progress' | 'completed';
  readonly conclusion: 'success' | 'neutral' | 'failure' | 'action_required' | 'cancelled' | undefined;
  readonly title: string;
  readonly summary: string;
  readonly text: string;
  readonly actions: readonly { readonly label: string; readonly description: string; readonly identifier: string }[];
  readonly annotations: readonly {
    readonly path: string;
    readonly line: number;
    readonly level: 'notice' | 'warning' | 'failure';
    readonly message: string;
  }[];
}

/** How the names of the App's own check runs begin. */
export const OWN_CHECK = 'loopwright / ';

/** Those that a loop writes on its pull request. */
export const LOOP_CHECKS = {
  plan: 'loopwright / plan',
  build: 'loopwright / build',
  verify: 'loopwright / verify',
  evidence: 'loopwright / evidence',
} as const;
