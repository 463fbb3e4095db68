/** Why GitHub does not accept what the App calls itself by: its id, and what its key has signed. Pure. */

export interface KeyRefusal {
  /** Behind `GitHub does not accept them: `, with its full stop. */
  readonly reason: string;
  readonly remedy: string;
}

/** GitHub's own words tell the three cases apart. */
const CASES: readonly (readonly [words: RegExp, reason: string, remedy: string])[] = [
  [/'exp'|'iat'/, 'the clock of this machine is wrong', 'Set the clock; GitHub allows for a minute.'],
  [/Integration/, 'there is no App with this APP_ID', "Set APP_ID to the number on the App's page."],
  [
    /decoded/,
    'PRIVATE_KEY is no key of the App with this APP_ID',
    "Make a private key on the App's page, and set PRIVATE_KEY to its text; look whether APP_ID is that App's.",
  ],
];

/** For an App that it does not know GitHub answers 401 or 404. Undefined where the answer speaks of something else. */
export function keyRefusal({
  status,
  message,
}: {
  readonly status?: number | undefined;
  readonly message: string;
}): KeyRefusal | undefined {
  if (status !== 401 && status !== 404) return undefined;
  const [, reason, remedy] = CASES.find(([words]) => words.test(message)) ?? [];
  if (reason !== undefined && remedy !== undefined) return { reason: `${reason}.`, remedy };
  if (status === 404) return undefined;
  return {
    reason: message,
    remedy: 'Look whether APP_ID and PRIVATE_KEY belong together, and to the GitHub at GITHUB_API_URL.',
  };
}

/** For whoever runs the App. */
export function unacceptedText({ reason, remedy }: KeyRefusal): string {
  return `GitHub does not accept APP_ID and PRIVATE_KEY: ${reason} ${remedy}`;
}
