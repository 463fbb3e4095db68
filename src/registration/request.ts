/** What is to be registered, and on which GitHub: read from words that a person typed, before anything is begun. */
import { UsageError } from '../errors.ts';
import { WEBHOOK_PATH } from '../intake/webhooks.ts';
import type { AppFile } from '../settings/app-file.ts';

export interface Words {
  readonly github: string;
  readonly publicUrl: string;
  readonly organization?: string | undefined;
  readonly name?: string | undefined;
}

export interface RegistrationRequest {
  readonly app: AppFile;
  /** Unless the person writes another one on GitHub's page. */
  readonly name: string;
  readonly publicUrl: string;
  /** `https://github.com` */
  readonly webUrl: string;
  readonly apiUrl: string;
  /** Undefined for the person's own account. */
  readonly organization: string | undefined;
}

/** What GitHub takes in the name of an App: https://docs.github.com/en/apps/creating-github-apps/registering-a-github-app/registering-a-github-app */
const LONGEST_NAME = 34;
const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/** @throws {UsageError} for what GitHub would refuse, or what would be written and could not be read again. */
export function requestOf(app: AppFile, { github, publicUrl, organization, name }: Words): RegistrationRequest {
  const place = placeOf(github);
  if (organization !== undefined && !/^\w[\w-]*$/.test(organization))
    throw new UsageError(`--organization ${organization}: write its name as in its address, as in --organization acme`);
  return {
    ...{ app, organization },
    name: nameOf(name ?? [app.name, organization ?? ''].join(' ').trim().slice(0, LONGEST_NAME)),
    publicUrl: publicUrlOf(publicUrl, place.webUrl),
    ...place,
  };
}

function nameOf(name: string): string {
  if (name.trim() !== '' && name.length <= LONGEST_NAME) return name;
  throw new UsageError(`--name "${name}": GitHub takes names of 1 to ${LONGEST_NAME} characters`);
}

function placeOf(text: string): { readonly webUrl: string; readonly apiUrl: string } {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || `${url.origin}/` !== url.href)
    throw new UsageError(
      '--github: write the address of a GitHub and nothing behind it, as https://github.com or https://ghe.acme.dev',
    );
  if (url.protocol === 'http:' && !isLoopback(url))
    throw new UsageError(
      `--github ${url.origin}: its answer holds the private key of the App, so it has to begin with https://`,
    );
  const meant = /^(?:www|api)\.(github\.com|[^.]+\.ghe\.com)$/.exec(url.host)?.[1];
  if (meant !== undefined)
    throw new UsageError(`--github ${url.origin}: its pages are at another address; write https://${meant}`);
  return { webUrl: url.origin, apiUrl: apiUrlOf(url) };
}

/** Where each GitHub has its API: https://docs.github.com/en/enterprise-server/rest/using-the-rest-api/getting-started-with-the-rest-api */
function apiUrlOf({ origin, host }: URL): string {
  return host === 'github.com' || host.endsWith('.ghe.com') ? `https://api.${host}` : `${origin}/api/v3`;
}

/** Also told of the variable that is read where the option is left out. */
const PUBLIC = '--public-url (or PUBLIC_URL)';

/** What shells and files of variables would read otherwise is in no address of an App. */
const PLAIN = /^[\w.:/~%[\]-]+$/;

function publicUrlOf(text: string, webUrl: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || !PLAIN.test(text))
    throw new UsageError(
      `${PUBLIC}: write the address under which GitHub reaches the App, as https://loops.acme.dev, without a user, "?" and "#"`,
    );
  if (isLoopback(new URL(webUrl))) return withoutSlash(url);
  if (isLoopback(url))
    throw new UsageError(
      `${PUBLIC} is ${text}: at that address ${webUrl} would look for the App on its own machine; name one that it reaches`,
    );
  if (url.protocol === 'http:')
    throw new UsageError(
      `${PUBLIC} is ${text}: webhooks and the questions of jobs come there, so it has to begin with https://`,
    );
  return withoutSlash(url);
}

function withoutSlash({ href }: URL): string {
  return href.replace(/\/+$/, '');
}

function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.includes(hostname);
}

/** Where the browser sends the manifest. */
export function registrationUrlOf({ webUrl, organization }: RegistrationRequest, state: string): string {
  return `${settingsUrlOf({ webUrl, organization })}/new?state=${state}`;
}

/** Where the Apps of that account are listed. */
export function settingsUrlOf({ webUrl, organization }: Pick<RegistrationRequest, 'webUrl' | 'organization'>): string {
  return `${webUrl}${organization === undefined ? '' : `/organizations/${organization}`}/settings/apps`;
}

export function webhookUrlOf({ publicUrl }: RegistrationRequest): string {
  return `${publicUrl}${WEBHOOK_PATH}`;
}

/** `address` is that of our own pages. Source: https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest */
export function manifestOf(request: RegistrationRequest, address: string): string {
  const { app, name } = request;
  return JSON.stringify({
    ...{ name, url: app.url, description: app.description, public: false },
    hook_attributes: { url: webhookUrlOf(request), active: true },
    redirect_url: `${address}/registered`,
    default_permissions: app.permissions,
    default_events: app.events,
  });
}
