/** Who the job is, where it asks the App for models: the OIDC token of its run, which opens the App's gateway and nothing else. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { jsonOf } from '../documents/json.ts';
import { IdentityError } from '../errors.ts';

export interface TokenRequest {
  /** `ACTIONS_ID_TOKEN_REQUEST_URL` and `ACTIONS_ID_TOKEN_REQUEST_TOKEN`, as GitHub gives them to a job that may ask. */
  readonly url: string;
  readonly token: string;
  /** The App's address. */
  readonly audience: string;
  readonly now?: () => number;
  /** After the first try; it grows with each further one. */
  readonly pauseMs?: number;
}

const TRIES = 5;
const PAUSE_MS = 1000;
const LONGEST_MS = 30_000;
/** The App takes none that is older, however long it is valid. */
const MOST_SECONDS = 600;
/** Before that, so that a call which has to wait still comes in time. */
const EARLY_MS = 120_000;

/**
 * Gives the token that is valid now; a new one in time before the App takes the old one no longer. Its age is counted from when it came, by the machine's own clock, which
 * need not be GitHub's. https://docs.github.com/en/actions/reference/security/oidc
 * @throws {IdentityError} where GitHub gives none.
 */
export function createIdentityToken(request: TokenRequest): () => Promise<string> {
  const { now = Date.now } = request;
  let held: Promise<string> | undefined;
  let untilMs = 0;
  const renewed = async (): Promise<string> => {
    // Whoever calls meanwhile waits for this one.
    untilMs = Number.POSITIVE_INFINITY;
    const value = await asked(request).catch((error: unknown) => {
      untilMs = 0;
      throw error;
    });
    untilMs = now() + lifetimeMs(value) - EARLY_MS;
    return value;
  };
  return () => {
    if (held === undefined || now() >= untilMs) held = renewed();
    return held;
  };
}

async function asked(request: TokenRequest): Promise<string> {
  const { pauseMs = PAUSE_MS } = request;
  for (let attempt = 1; ; attempt += 1) {
    const tried = await askOnce(request);
    if (typeof tried === 'object') return tried.value;
    if (attempt === TRIES) throw new IdentityError(`GitHub gave the job no identity in ${TRIES} tries: ${tried}.`);
    await sleep(pauseMs * attempt);
  }
}

const answer = z.object({ value: z.string().min(1) });

/** What went wrong, where it gave none; never what was sent or received. */
async function askOnce({ url, token, audience }: TokenRequest): Promise<z.infer<typeof answer> | string> {
  const asked = new URL(url);
  asked.searchParams.set('audience', audience);
  try {
    const response = await fetch(asked, {
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(LONGEST_MS),
    });
    if (!response.ok) return `it answered ${response.status}`;
    const parsed = answer.safeParse(await response.json());
    return parsed.success ? parsed.data : 'its answer holds no token';
  } catch (error) {
    if (error instanceof SyntaxError) return 'its answer is no JSON';
    return 'it cannot be reached';
  }
}

const times = z.object({ iat: z.number(), exp: z.number() });

/** The App reads the token; here only its times count, and one that tells none is asked for anew each time. */
function lifetimeMs(value: string): number {
  const parsed = times.safeParse(jsonOf(Buffer.from(value.split('.')[1] ?? '', 'base64url').toString('utf8')));
  return parsed.success ? Math.min(parsed.data.exp - parsed.data.iat, MOST_SECONDS) * 1000 : 0;
}
