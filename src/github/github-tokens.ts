/** Tokens of the App: a short-lived one for itself, and installation tokens that reach one repository each. */
import { sign } from 'node:crypto';
import { Octokit } from '@octokit/rest';
import type { Logger } from 'pino';
import { type AppStanding, createAppStanding } from './app-standing.ts';
import type { RepositoryRef } from './github-port.ts';

export interface AppKey {
  readonly appId: number;
  /** PEM. */
  readonly privateKey: string;
  readonly now: () => Date;
  readonly apiUrl: string;
  readonly log: Pick<Logger, 'error' | 'info'>;
}

export interface Tokens {
  /** Kept until shortly before it expires. */
  readonly of: (repository: RepositoryRef) => Promise<string>;
  /** For the repository of this name, whose id is not known yet; not kept. */
  readonly byName: (repository: Pick<RepositoryRef, 'installationId' | 'repo'>) => Promise<string>;
  /** Forgets the token of a repository, because GitHub no longer takes it. */
  readonly renew: (repository: RepositoryRef) => void;
  /** Octokit as the App itself. */
  readonly app: () => Octokit;
  /** Why the App can ask GitHub for nothing, as far as it was asked; with the remedy. */
  readonly obstacle: AppStanding['obstacle'];
}

interface Granted {
  readonly token: string;
  readonly expiresAtMs: number;
}

/** GitHub takes at most 10 minutes, and clocks differ. */
const JWT_SECONDS = 540;
const CLOCK_SKEW_SECONDS = 60;
const SPARE_MS = 120_000;

/** Mints tokens with the App's key. `settings` are Octokit's own: base address, fetch, log. */
export function createTokens(key: AppKey, settings: ConstructorParameters<typeof Octokit>[0] & object): Tokens {
  const kept = new Map<string, Granted>();
  const standing = createAppStanding(key);
  const app = (): Octokit => standing.heeding(new Octokit({ ...settings, auth: jwtOf(key) }));
  return {
    app,
    obstacle: standing.obstacle,
    renew: (repository) => void kept.delete(keyOf(repository)),
    async byName({ installationId, repo }) {
      const { data } = await app().rest.apps.createInstallationAccessToken({
        installation_id: installationId,
        repositories: [repo],
      });
      return data.token;
    },
    async of(repository) {
      const { installationId, repositoryId } = repository;
      const known = kept.get(keyOf(repository));
      if (known && known.expiresAtMs - SPARE_MS > key.now().getTime()) return known.token;
      const { data } = await app().rest.apps.createInstallationAccessToken({
        installation_id: installationId,
        repository_ids: [repositoryId],
      });
      kept.set(keyOf(repository), { token: data.token, expiresAtMs: Date.parse(data.expires_at) });
      return data.token;
    },
  };
}

/** After a transfer another installation has the repository, and the tokens of the former one reach nothing. */
function keyOf({ installationId, repositoryId }: RepositoryRef): string {
  return `${installationId}/${repositoryId}`;
}

/** https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app */
function jwtOf({ appId, privateKey, now }: AppKey): string {
  const seconds = Math.floor(now().getTime() / 1000);
  const claims = { iat: seconds - CLOCK_SKEW_SECONDS, exp: seconds + JWT_SECONDS, iss: String(appId) };
  const signed = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), privateKey).toString('base64url')}`;
}
