/** Who calls: the OIDC token of a GitHub Actions job, verified against its issuer's keys. What its claims allow is judged in run-checks.ts. */
import {
  createRemoteJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { z } from 'zod';
import type { Clock } from '../ports.ts';
import { Refusal } from './refusal.ts';

/**
 * The claims that are judged; ids are text in GitHub's tokens. `sub` is none of them: repositories may change its form at will.
 * https://docs.github.com/en/actions/reference/security/oidc
 */
const claims = z.object({
  event_name: z.string(),
  environment: z.string().optional(),
  /** Only of a job in a reusable workflow, as far as GitHub's pages say. */
  job_workflow_ref: z.string().optional(),
  ref: z.string(),
  repository: z.string(),
  repository_id: z.string().regex(/^\d{1,15}$/),
  run_attempt: z.string(),
  run_id: z.string().regex(/^\d{1,15}$/),
  workflow_ref: z.string(),
});
export type Claims = z.infer<typeof claims>;

export interface IdentityOptions {
  /** As `iss` must say, to the letter; its keys are found below it. */
  readonly issuer: string;
  /** As `aud` must say: the App's own PUBLIC_URL, so that a token for somebody else opens nothing here. */
  readonly audience: string;
  readonly clock: Clock;
  /** After the keys were read, an unknown one is looked for at most so often: a flood of forged tokens is none of requests to the issuer. */
  readonly cooldownMs?: number | undefined;
}

/** Gives the claims of a token that is genuine, for us and of now. @throws {Refusal} where it is not, or nobody can tell. */
export type Identity = (token: string) => Promise<Claims>;

const SKEW_SECONDS = 30;
const OLDEST_SECONDS = 600;
const COOLDOWN_MS = 30_000;
const DISCOVERY_MS = 5000;

/**
 * A token counts as often as it comes while it is valid and its run is awaited, so no `jti` is remembered: it is the bearer token of a run that makes many calls, the run id
 * in it binds it to that one, and whoever could replay it within the run could ask the issuer for another.
 */
export function createIdentity({ issuer, audience, clock, cooldownMs = COOLDOWN_MS }: IdentityOptions): Identity {
  const keys = keysOf(issuer, cooldownMs);
  const good = createGood();
  return async (token) => {
    const known = good.claims(token, clock.now());
    if (known !== undefined) return known;
    try {
      const { payload } = await jwtVerify(token, keys, {
        // Named, so that neither `none` nor an HMAC with the public key as its secret is tried.
        algorithms: ['RS256'],
        issuer,
        audience,
        clockTolerance: SKEW_SECONDS,
        maxTokenAge: OLDEST_SECONDS,
        requiredClaims: ['exp', 'nbf', 'iat'],
        currentDate: clock.now(),
      });
      const claims = claimsIn(payload);
      good.keep(token, { claims, until: until(payload) });
      return claims;
    } catch (error) {
      throw error instanceof Refusal ? error : refusalOf(error, { token, issuer, audience });
    }
  };
}

interface Good {
  readonly claims: Claims;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** A job calls with the same token for minutes. Far more than run at the same time. */
const MOST_KEPT = 1000;

/** Tokens whose signature was good and whose time has not passed: the same bytes need no second look. */
function createGood() {
  const kept = new Map<string, Good>();
  return {
    claims(token: string, now: Date): Claims | undefined {
      const found = kept.get(token);
      return found !== undefined && now.getTime() < found.until ? found.claims : undefined;
    },
    keep(token: string, one: Good): void {
      const [oldest] = kept.keys();
      if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
      kept.set(token, one);
    },
  };
}

/** From when on it would be refused, if it was looked at again. */
function until({ exp = 0, iat = 0 }: JWTPayload): number {
  return Math.min(exp + SKEW_SECONDS, iat + OLDEST_SECONDS + SKEW_SECONDS) * 1000;
}

function claimsIn(payload: JWTPayload): Claims {
  const parsed = claims.safeParse(payload);
  if (parsed.success) return parsed.data;
  const name = parsed.error.issues[0]?.path.join('.') ?? '';
  throw new Refusal(
    401,
    `The token's claim ${name} is ${quoted(payload[name])}, as in no token of a GitHub Actions job.`,
  );
}

const discovered = z.object({ issuer: z.string(), jwks_uri: z.url() });

/** The issuer's keys, looked for at the first token; what failed is tried again with the next one. */
function keysOf(issuer: string, cooldownDuration: number): JWTVerifyGetKey {
  let found: Promise<JWTVerifyGetKey> | undefined;
  return async (header, token) => {
    found ??= addressOfKeys(issuer).then((address) => createRemoteJWKSet(address, { cooldownDuration }));
    const keys = await found.catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return keys(header, token);
  };
}

/** https://openid.net/specs/openid-connect-discovery-1_0.html; keys that lie at another origin than their issuer are nobody's. */
async function addressOfKeys(issuer: string): Promise<URL> {
  try {
    const response = await globalThis.fetch(`${issuer}/.well-known/openid-configuration`, {
      redirect: 'error',
      signal: AbortSignal.timeout(DISCOVERY_MS),
    });
    const { issuer: named, jwks_uri } = discovered.parse(await response.json());
    const address = new URL(jwks_uri);
    if (named === issuer && address.origin === new URL(issuer).origin) return address;
  } catch (error) {
    throw unreadable(issuer, error);
  }
  throw unreadable(issuer, undefined);
}

function unreadable(issuer: string, cause: unknown): Refusal {
  const message = `The keys of ${issuer} cannot be read, so no token can be checked; see whether OIDC_ISSUER is right and the App reaches it.`;
  return new Refusal(503, message, { retryAfterSeconds: 5, cause });
}

interface Asked {
  readonly token: string;
  readonly issuer: string;
  readonly audience: string;
}

type Sentence = (asked: Asked) => string;

/** By the code of jose's error; of claims also by the claim. */
const SENTENCES: Readonly<Record<string, Sentence>> = {
  [errors.JOSEAlgNotAllowed.code]: ({ token }) =>
    `The token is signed with ${quoted(decodeProtectedHeader(token).alg)}; only RS256 counts, as GitHub signs.`,
  [errors.JWKSNoMatchingKey.code]: ({ token, issuer }) =>
    `The token names the key ${quoted(decodeProtectedHeader(token).kid)}, which ${issuer} does not have.`,
  [errors.JWSSignatureVerificationFailed.code]: ({ issuer }) => `The token was not signed by ${issuer}.`,
  iss: ({ token, issuer }) => `The token is of the issuer ${quoted(claimOf(token, 'iss'))}, not of ${issuer}.`,
  aud: ({ token, audience }) =>
    `The token is for ${quoted(claimOf(token, 'aud'))}; ask GitHub for one with the audience ${audience}.`,
  exp: ({ token }) => `The token expired at ${timeOf(token, 'exp')}; ask GitHub for a new one.`,
  nbf: ({ token }) => `The token is not valid before ${timeOf(token, 'nbf')}; set the clocks of runner and App.`,
  iat: ({ token }) =>
    `The token was issued at ${timeOf(token, 'iat')}; one counts for ${OLDEST_SECONDS / 60} minutes from then, so ask GitHub for a new one.`,
};

const GARBAGE = 'What came as a token is no signed JSON Web Token; send the one that GitHub gives a job for this App.';

function refusalOf(error: unknown, asked: Asked): Refusal {
  if (!(error instanceof errors.JOSEError) || isOfKeys(error)) return unreadable(asked.issuer, error);
  const sentence = SENTENCES[claimAt(error) ?? error.code];
  return new Refusal(401, sentence?.(asked) ?? GARBAGE, { cause: error });
}

/** The keys could not be had: jose has no code of its own for most of it. */
function isOfKeys({ code }: errors.JOSEError): boolean {
  return [errors.JOSEError.code, errors.JWKSTimeout.code, errors.JWKSInvalid.code].includes(code);
}

function claimAt(error: errors.JOSEError): string | undefined {
  return error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired
    ? error.claim
    : undefined;
}

/** Only asked of tokens whose signature held. */
function claimOf(token: string, name: string): unknown {
  return decodeJwt(token)[name];
}

function timeOf(token: string, name: string): string {
  const seconds = claimOf(token, name);
  const isTime = typeof seconds === 'number' && Math.abs(seconds) < 8.64e12;
  return isTime ? new Date(seconds * 1000).toISOString() : quoted(seconds);
}

const LONGEST_QUOTE = 100;

function quoted(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value).slice(0, LONGEST_QUOTE);
}
