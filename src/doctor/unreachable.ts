/** Why nothing that is asked of GITHUB_API_URL arrives, where no waiting helps. Other failures may pass, as a GitHub that is slow. */
import { TLS_TROUBLES } from '../onboarding/tls-trouble.ts';
import { type Finding, wrong } from './finding.ts';
import { codeOf } from './outside.ts';

type Row = readonly [isCode: RegExp, sentence: (address: string, code: string) => string, remedy: string];

const REACH =
  'Correct GITHUB_API_URL (https://<host>/api/v3; unset it for github.com), or let this machine reach it: the App works by nothing else.';

const GITHUB = {
  variable: 'GITHUB_API_URL',
  trusting: 'for the App and the runners, and GIT_SSL_CAINFO for their git',
};

const ROWS: readonly Row[] = [
  [/^ECONNREFUSED$/, (address) => `Nobody answers at GITHUB_API_URL, ${address}: the connection is refused.`, REACH],
  [/^ENOTFOUND$/, (address) => `Nobody answers at GITHUB_API_URL, ${address}: there is no such name.`, REACH],
  [
    // Of ports that browsers connect to no more; https://fetch.spec.whatwg.org/#port-blocking. It has no code.
    /^bad port$/,
    (address) =>
      `GITHUB_API_URL, ${address}, has a port that the App does not connect to: it is kept for something else.`,
    'Correct GITHUB_API_URL, or have GitHub answer at another port.',
  ],
  ...TLS_TROUBLES.map(
    ({ isCode, says, remedy }): Row => [
      isCode,
      (address, code) => `What answers at GITHUB_API_URL, ${address}, ${says} (${code}).`,
      remedy(GITHUB),
    ],
  ),
];

/** Undefined where it may pass, or where something answers. */
export function unreachableFinding(error: unknown, address: string): Finding | undefined {
  const code = codeOf(error);
  const [, sentence, remedy] = ROWS.find(([isCode]) => isCode.test(code)) ?? [];
  return sentence && remedy ? wrong(sentence(address, code), remedy) : undefined;
}

export function isUnreachable(error: unknown): boolean {
  const code = codeOf(error);
  return ROWS.some(([isCode]) => isCode.test(code));
}
