/** Octokit for one repository at a time: a token that reaches no other, and texts that were filtered. */
import { Octokit } from '@octokit/rest';
import type { Logger } from 'pino';
import { LoopError } from '../errors.ts';
import { type OutgoingRules, outgoing, outgoingPlain } from '../guard/outgoing.ts';
import { secretNamesIn } from '../guard/rendered-text.ts';
import { findCanaries } from '../guard/secrets.ts';
import { createFixed, type Fixed } from './fixed.ts';
import { ifThere as absentAfterTwo } from './github-errors.ts';
import type { RepositoryRef } from './github-port.ts';
import { createTokens, type Tokens } from './github-tokens.ts';
import { type AskLimits, createLimiter } from './limiter.ts';
import { readingById } from './relocation.ts';

export interface GitHubOptions {
  readonly appId: number;
  readonly privateKey: string;
  /** `https://api.github.com`, or `https://<host>/api/v3` for GitHub Enterprise Server and the embedded GitHub. */
  readonly apiUrl: string;
  /** The guarded way out; nothing else reaches GitHub. */
  readonly fetch: typeof globalThis.fetch;
  /** Values that must never leave in a text: the model's key, planted canaries. */
  readonly canaries?: readonly string[];
  /** Pause before a second try. */
  readonly pauseMs?: number;
  /** How it waits between tries; by this machine's timer when absent. */
  readonly pause?: (milliseconds: number) => Promise<void>;
  /** The time; this machine's when absent. */
  readonly now?: () => Date;
  /** What all processes of the App know together of an installation's limits; without, GitHub's refusals are all that is heeded. */
  readonly limits?: AskLimits;
  readonly log: Logger;
}

/** What every operation works with. */
export interface Call {
  readonly octokit: Octokit;
  readonly here: { readonly owner: string; readonly repo: string };
  readonly self: Self;
  readonly now: () => Date;
  /** Whether it is the operation's first try; what was new before it may be there before the next one, though no answer said so. */
  readonly isFirst: boolean;
  /** What GitHub has at an address; undefined where it says twice that there is nothing. */
  readonly ifThere: <Value>(ask: () => Promise<Value>) => Promise<Value | undefined>;
  /** What hashes stand for, in all repositories. */
  readonly fixed: Fixed;
  /** How the repository is called there. */
  readonly repositoryId: number;
  /** Markdown, filtered; `mention` are the only logins that it notifies. */
  readonly markdown: (text: string, mention?: readonly string[]) => string;
  /** A title or a commit message, filtered. */
  readonly plain: (text: string) => string;
  /** The secret that a file's text would give away, in words; files are never changed by the filter. In documents it may also be anybody else's. */
  readonly secretIn: (path: string, text: string) => string | undefined;
}

export interface Self {
  readonly appId: number;
  /** `loopwright[bot]` */
  readonly login: string;
}

export interface Client {
  /** Octokit as the App itself, for what belongs to no repository. */
  readonly app: () => Octokit;
  readonly call: (repository: RepositoryRef) => Promise<Call>;
  /** Why the App can ask for nothing, as far as it was asked. */
  readonly obstacle: Tokens['obstacle'];
  /** Octokit for the repository of this name, whose id is not known yet. */
  readonly named: (repository: Omit<RepositoryRef, 'repositoryId'>) => Promise<Octokit>;
  readonly token: (repository: RepositoryRef) => Promise<string>;
  /** Forgets the token of a repository. */
  readonly renew: (repository: RepositoryRef) => void;
  /** Where people and git find the repositories: `https://github.com`. */
  readonly webUrl: string;
}

/** Before a second try. */
export const PAUSE_MS = 500;
const REQUEST_TIMEOUT_MS = 120_000;
/** GitHub takes 65,536 characters in a body. */
const LONGEST_TEXT = 65_000;

/** Makes Octokits for repositories; installation tokens are kept until shortly before they expire. */
export function createClient(options: GitHubOptions): Client {
  const { appId, apiUrl, log, pauseMs = PAUSE_MS, pause, now = () => new Date() } = options;
  const send = withTimeout(options.fetch);
  const limited = createLimiter({ ...options, now }, send);
  const settingsFor = (repositoryId: number | undefined, within = send) => ({
    baseUrl: apiUrl,
    request: { fetch: readingById(within, { apiUrl, repositoryId }) },
    log: octokitLog(log),
  });
  const tokens = createTokens({ ...options, now }, settingsFor(undefined));
  const webUrl = webUrlOf(apiUrl);
  const texts = textsOf({
    allowedHosts: [new URL(webUrl).host],
    canaries: [options.privateKey, ...(options.canaries ?? [])],
  });
  const ifThere: Call['ifThere'] = (ask) => absentAfterTwo(ask, { pauseMs, ...(pause && { pause }) });
  const fixed = createFixed();
  let self: Promise<Self> | undefined;
  return {
    app: tokens.app,
    obstacle: tokens.obstacle,
    webUrl,
    token: tokens.of,
    renew: tokens.renew,
    named: async (repository) => new Octokit({ ...settingsFor(undefined), auth: await tokens.byName(repository) }),
    async call(repository) {
      const { installationId, repositoryId } = repository;
      const settings = settingsFor(repositoryId, limited(installationId));
      const octokit = new Octokit({ ...settings, auth: await tokens.of(repository) });
      self ??= selfOf(tokens, appId).catch((error: unknown) => {
        self = undefined;
        throw error;
      });
      return {
        octokit,
        here: { owner: repository.owner, repo: repository.repo },
        self: await self,
        now,
        isFirst: true,
        ifThere,
        fixed,
        repositoryId,
        ...texts,
      };
    },
  };
}

function textsOf(rules: OutgoingRules): Pick<Call, 'markdown' | 'plain' | 'secretIn'> {
  return {
    markdown: (text, mention = []) => outgoing(fitting(text), { ...rules, mention }),
    plain: (text) => outgoingPlain(text, rules),
    secretIn: (path, text) => secretIn(path, text, rules.canaries ?? []),
  };
}

function secretIn(path: string, text: string, canaries: readonly string[]): string | undefined {
  if (findCanaries(text, canaries).length > 0) return "one of the App's own secrets";
  const [name] = path.startsWith(DOCUMENTS) ? secretNamesIn(text, canaries) : [];
  return name === undefined ? undefined : `what looks like a ${name}`;
}

/** What the loop writes itself, and no scan judges. */
const DOCUMENTS = '.loopwright/';

function fitting(text: string): string {
  return text.length <= LONGEST_TEXT
    ? text
    : `${text.slice(0, LONGEST_TEXT - 1000)}\n\nThe rest is too long for GitHub and was left out.`;
}

async function selfOf(tokens: Tokens, appId: number): Promise<Self> {
  const { data } = await tokens.app().rest.apps.getAuthenticated();
  if (!data?.slug)
    throw new LoopError(`GitHub does not say what the App ${appId} is called; check APP_ID and the private key.`);
  return { appId, login: `${data.slug}[bot]` };
}

/** What a GitHub Enterprise Server says of itself in each answer; undefined of github.com. */
export function enterpriseVersionIn(headers: object): string | undefined {
  const version: unknown = Object.entries(headers).find(([name]) => name === 'x-github-enterprise-version')?.[1];
  return typeof version === 'string' ? version : undefined;
}

function webUrlOf(apiUrl: string): string {
  const url = new URL(apiUrl);
  if (url.pathname.replace(/\/$/, '').endsWith('/api/v3')) return url.origin;
  return `${url.protocol}//${url.host.replace(/^api\./, '')}`;
}

function withTimeout(send: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => {
    const deadline = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    return send(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, deadline]) : deadline });
  };
}

/** Octokit logs addresses and statuses only; without this it would write warnings to the console. */
function octokitLog(log: Logger) {
  const note = (message: string): void => log.debug(message);
  return { debug: note, info: note, warn: note, error: note };
}
