/** Which GitHub the server is like: they differ in what they take and tell, and not in their addresses. */

export interface Profile {
  /** What an answer says of itself; github.com says nothing. */
  readonly version: string | undefined;
  /** Whether a dispatch may ask for its run: https://github.blog/changelog/2026-02-19-workflow-dispatch-api-now-returns-run-ids */
  readonly tellsRunOfDispatch: boolean;
  /**
   * `older`: only what https://github.com/actions/upload-artifact#ghes-support has for a GitHub Enterprise Server; such artifacts are there when the
   * run has ended, and have no digest.
   */
  readonly artifacts: 'newest' | 'older';
}

export const PROFILES = {
  newest: { version: undefined, tellsRunOfDispatch: true, artifacts: 'newest' },
  'enterprise-server': { version: '3.17.0', tellsRunOfDispatch: false, artifacts: 'older' },
} as const satisfies Readonly<Record<string, Profile>>;
export type ProfileName = keyof typeof PROFILES;
