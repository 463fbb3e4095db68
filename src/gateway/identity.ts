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
    const now = clock.now();
    const known = good.claims(token, now);
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
        currentDate: now,
      });
      const claims = claimsIn(payload);
      good.keep(token, { claims, until: until(payload) });
      return claims;
    } catch (error) {
      throw error instanceof Refusal ? error : refusalOf(error, { token, issuer, audience, now });
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
  throw new Refusal(401, oddClaim(name, payload[name]));
}

function oddClaim(name: string, value: unknown): string {
  return `The token's claim ${name} is ${quoted(value)}, as in no token of a GitHub Actions job.`;
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
  /** By the App's clock, when the token was judged. */
  readonly now: Date;
}

type Sentence = (asked: Asked) => string;

const ISSUED_LATER = 'iat, still to come';

/** By the code of jose's error; of claims also by the claim, and where its time is still to come by that. */
const SENTENCES: Readonly<Record<string, Sentence>> = {
  [errors.JOSEAlgNotAllowed.code]: ({ token }) =>
    `The token is signed with ${quoted(decodeProtectedHeader(token).alg)}; only RS256 counts, as GitHub signs.`,
  [errors.JWKSNoMatchingKey.code]: ({ token, issuer }) => {
    const { kid } = decodeProtectedHeader(token);
    return kid === undefined
      ? `The token names no key, and ${issuer} has none that fits.`
      : `The token names the key ${quoted(kid)}, which ${issuer} does not have.`;
  },
  [errors.JWKSMultipleMatchingKeys.code]: ({ issuer }) =>
    `The token names no single key of ${issuer}, as those of GitHub do.`,
  [errors.JWSSignatureVerificationFailed.code]: ({ issuer }) => `The token was not signed by ${issuer}.`,
  iss: ({ token, issuer }) => `The token is of the issuer ${quoted(claimOf(token, 'iss'))}, not of ${issuer}.`,
  aud: ({ token, audience }) =>
    `The token is for ${quoted(claimOf(token, 'aud'))}; ask GitHub for one with the audience ${audience}.`,
  exp: ({ token }) => `The token expired at ${timeOf(token, 'exp')}; ask GitHub for a new one.`,
  nbf: (asked) => `The token is not valid before ${timeOf(asked.token, 'nbf')}, ${clocksOf(asked)}`,
  [ISSUED_LATER]: (asked) => `The token was issued at ${timeOf(asked.token, 'iat')}, ${clocksOf(asked)}`,
  iat: ({ token }) =>
    `The token was issued at ${timeOf(token, 'iat')}; one counts for ${OLDEST_SECONDS / 60} minutes from then, so ask GitHub for a new one.`,
};

/** A new token would say the same, so none is asked for: one of the two clocks is wrong. */
function clocksOf({ issuer, now }: Asked): string {
  return `and the App's clock says ${now.toISOString()}; set the clock of the App's machine, or that of ${issuer}.`;
}

const GARBAGE = 'What came as a token is no signed JSON Web Token; send the one that GitHub gives a job for this App.';

function refusalOf(error: unknown, asked: Asked): Refusal {
  if (!(error instanceof errors.JOSEError) || isOfKeys(error)) return unreadable(asked.issuer, error);
  const odd = isOdd(error) ? oddClaim(error.claim, claimOf(asked.token, error.claim)) : undefined;
  const sentence = SENTENCES[placeOf(error)];
  return new Refusal(401, odd ?? sentence?.(asked) ?? GARBAGE, { cause: error });
}

/** The keys could not be had: jose has no code of its own for most of it. */
function isOfKeys({ code }: errors.JOSEError): boolean {
  return [errors.JOSEError.code, errors.JWKSTimeout.code, errors.JWKSInvalid.code].includes(code);
}

/** A claim that is missing or of another type says nothing that could be judged. */
function isOdd(error: errors.JOSEError): error is errors.JWTClaimValidationFailed {
  return error instanceof errors.JWTClaimValidationFailed && ['missing', 'invalid'].includes(error.reason);
}

function placeOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return error.claim;
  if (!(error instanceof errors.JWTClaimValidationFailed)) return error.code;
  // Of one that is too old jose says that it expired.
  return error.claim === 'iat' ? ISSUED_LATER : error.claim;
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
