/** Who is asking: people's tokens, the App's JWT, and the tokens that the server mints for installations and jobs. */
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { z } from 'zod';
import { ACTIONS_LOGIN, type Host, OWN_SLUG } from './host.ts';
import { HttpError } from './http-error.ts';
import type { Account, Minted } from './records.ts';
import { judgeSuspension, stillReached } from './standing.ts';

export type Permissions = Readonly<Record<string, string>>;

export type Actor =
  | { readonly type: 'anonymous' }
  | { readonly type: 'user'; readonly account: Account }
  /** The App itself, by JWT: it may ask about installations only. */
  | { readonly type: 'app' }
  | {
      readonly type: 'installation';
      /** The App's slug. */
      readonly app: string;
      readonly permissions: Permissions;
      readonly repositoryIds: readonly number[] | undefined;
    }
  | {
      readonly type: 'job';
      readonly permissions: Permissions;
      readonly repositoryIds: readonly number[];
      readonly runId: number;
    };

/** What the App was granted at its installation. */
export function grantedTo({ switches }: Host): Permissions {
  const { permissions, accepted = permissions } = switches.values().arranged;
  return accepted;
}

/** The actor behind an `authorization` header. @throws HttpError 401 for a token that the server does not know. */
export function actorOf(host: Host, header: string | undefined): Actor {
  if (!header) return { type: 'anonymous' };
  const [scheme = '', credential = ''] = header.split(' ');
  const token = scheme.toLowerCase() === 'basic' ? passwordOf(credential) : credential;
  if (!['basic', 'bearer', 'token'].includes(scheme.toLowerCase())) throw badCredentials();
  return token.split('.').length === 3 ? appOf(host, token) : tokenActorOf(host, token);
}

/** Name of the account whose deed this is; undefined for nobody. */
export function loginOf(actor: Actor): string | undefined {
  if (actor.type === 'user') return actor.account.login;
  if (actor.type === 'installation') return `${actor.app}[bot]`;
  return actor.type === 'job' ? ACTIONS_LOGIN : undefined;
}

/** The actor in the request log: `app` for ours, `app:dco`, `user:alice`, `job:12`, `anonymous`. */
export function actorLabel(actor: Actor): string {
  if (actor.type === 'user') return `user:${actor.account.login}`;
  if (actor.type === 'job') return `job:${actor.runId}`;
  if (actor.type === 'installation' && actor.app !== OWN_SLUG) return `app:${actor.app}`;
  return actor.type === 'anonymous' ? 'anonymous' : 'app';
}

export interface MintOptions {
  readonly kind: 'installation' | 'job';
  /** Absent: ours. */
  readonly app?: string;
  readonly permissions: Permissions;
  readonly repositoryIds: readonly number[] | undefined;
  readonly runId?: number;
  readonly lifetimeMs: number;
}

/** A new token; only its digest is stored. */
export function mintToken(host: Host, { kind, app, permissions, repositoryIds, runId, lifetimeMs }: MintOptions) {
  const token = `ghs_${randomBytes(27).toString('base64url').replaceAll('-', 'a').replaceAll('_', 'b')}`;
  const expiresAt = `${new Date(host.clock.now().getTime() + lifetimeMs).toISOString().slice(0, 19)}Z`;
  host.state.tokens.insert({
    digest: digestOf(token),
    kind,
    app,
    permissions: { ...permissions },
    repositoryIds: repositoryIds && [...repositoryIds],
    runId,
    expiresAt,
  });
  return { token, expiresAt };
}

/** An installation token has expired, from now on. */
export function endToken({ state, clock }: Host, header: string): void {
  const [scheme = '', credential = ''] = header.split(' ');
  const token = scheme.toLowerCase() === 'basic' ? passwordOf(credential) : credential;
  const minted = state.tokens.first({ digest: digestOf(token) });
  if (minted?.kind === 'installation') state.tokens.update(minted.id, { expiresAt: clock.now().toISOString() });
}

function tokenActorOf(host: Host, token: string): Actor {
  const minted = host.state.tokens.first({ digest: digestOf(token) });
  if (minted) return mintedActorOf(host, minted);
  const account = token === '' ? undefined : host.state.accounts.first({ token });
  if (!account) throw badCredentials();
  return { type: 'user', account };
}

function mintedActorOf(
  host: Host,
  { expiresAt, kind, permissions, repositoryIds, runId, app = OWN_SLUG }: Minted,
): Actor {
  if (Date.parse(expiresAt) <= host.clock.now().getTime()) throw badCredentials();
  if (kind === 'job') return { type: 'job', permissions, repositoryIds: repositoryIds ?? [], runId: runId ?? 0 };
  return app === OWN_SLUG
    ? ownActor(host, { permissions, repositoryIds })
    : { type: 'installation', app, permissions, repositoryIds };
}

/** What the installation no longer has, its older tokens do not have either. @throws HttpError 401 or 403 */
function ownActor(host: Host, { permissions, repositoryIds }: Pick<Minted, 'permissions' | 'repositoryIds'>): Actor {
  if (!host.switches.values().arranged.isInstalled) throw badCredentials();
  judgeSuspension(host);
  const granted = grantedTo(host);
  const left = Object.entries(permissions).flatMap(([name, level]) => {
    const most = granted[name];
    return most === undefined ? [] : [[name, most === 'read' ? most : level] as const];
  });
  return {
    type: 'installation',
    app: OWN_SLUG,
    permissions: Object.fromEntries(left),
    repositoryIds: stillReached(host, repositoryIds),
  };
}

const headerSchema = z.object({ alg: z.literal('RS256') });
const claimsSchema = z.object({ iat: z.number(), exp: z.number(), iss: z.union([z.string(), z.number()]) });
const LONGEST_JWT_SECONDS = 600;
const CLOCK_DRIFT_SECONDS = 60;

function appOf(host: Host, jwt: string): Actor {
  const [header = '', claims = '', signature = ''] = jwt.split('.');
  const parsed = claimsSchema.safeParse(decodePart(claims));
  const key = createPublicKey(host.credentials.privateKey);
  const signed = verify('sha256', Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url'));
  if (!parsed.success || !signed || !headerSchema.safeParse(decodePart(header)).success) {
    throw new HttpError(401, 'A JSON web token could not be decoded');
  }
  judgeClaims(host, parsed.data);
  return { type: 'app' };
}

function judgeClaims(host: Host, { iat, exp, iss }: z.infer<typeof claimsSchema>): void {
  const seconds = Math.floor(host.clock.now().getTime() / 1000);
  if (String(iss) !== String(host.credentials.appId)) throw new HttpError(401, 'Integration not found');
  if (iat > seconds + CLOCK_DRIFT_SECONDS)
    throw new HttpError(
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    );
  if (exp <= seconds)
    throw new HttpError(
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    );
  if (exp > seconds + LONGEST_JWT_SECONDS)
    throw new HttpError(401, "'Expiration time' claim ('exp') is too far in the future");
}

function decodePart(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return undefined;
  }
}

function passwordOf(credential: string): string {
  const decoded = Buffer.from(credential, 'base64').toString();
  return decoded.slice(decoded.indexOf(':') + 1);
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function badCredentials(): HttpError {
  return new HttpError(401, 'Bad credentials');
}
