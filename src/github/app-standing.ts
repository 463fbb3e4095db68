/** Whether GitHub lets the App ask anything at all, as its answers to the App itself tell. */
import type { Octokit } from '@octokit/rest';
import type { Logger } from 'pino';
import { keyRefusal, unacceptedText } from './key-refusal.ts';

export interface AppStanding {
  /** Why it can ask for nothing, and what to do; undefined where GitHub accepted it last, or was not asked yet. Asks nothing. */
  readonly obstacle: () => string | undefined;
  /** The same Octokit, whose answers are heeded. */
  readonly heeding: (octokit: Octokit) => Octokit;
}

interface Told {
  readonly apiUrl: string;
  /** Is told once when an obstacle begins, and when it is over. */
  readonly log: Pick<Logger, 'error' | 'info'>;
}

/** A GitHub that was there and is silent now may be back in a moment: the App stays in service, and takes in what webhooks and jobs bring. */
export function createAppStanding({ apiUrl, log }: Told): AppStanding {
  let wasThere = false;
  let obstacle: string | undefined;
  const note = (now: string | undefined, where = ''): void => {
    if (now !== undefined && now !== obstacle) log.error(now + where);
    if (now === undefined && obstacle !== undefined) log.info('GitHub accepts APP_ID and PRIVATE_KEY');
    obstacle = now;
  };
  const answered = (refusal: string | undefined): void => {
    wasThere = true;
    note(refusal);
  };
  return {
    obstacle: () => obstacle,
    heeding(octokit) {
      octokit.hook.after('request', () => answered(undefined));
      octokit.hook.error('request', (error) => {
        if (isByGitHub(error)) answered(refusalIn(error));
        else if (!wasThere) note(ABSENT, ` It is ${apiUrl}.`);
        throw error;
      });
      return octokit;
    },
  };
}

type Failure = Error & {
  readonly status?: number | undefined;
  readonly response?: { readonly data: unknown } | undefined;
};

/** Octokit says 500 too where nobody answered; and other servers answer with pages. */
function isByGitHub({ status = 500, response }: Failure): boolean {
  return status < 500 && typeof response?.data === 'object';
}

function refusalIn(error: Failure): string | undefined {
  const refusal = keyRefusal(error);
  return refusal && unacceptedText(refusal);
}

/** Anybody may read it: which address that is only the log says. */
const ABSENT =
  'Nobody has answered as GitHub does at GITHUB_API_URL since this process started; `npm run -s loopwright -- doctor` says why.';
