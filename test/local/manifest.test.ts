/** An App is registered from a manifest: https://docs.github.com/apps/sharing-github-apps/registering-a-github-app-from-a-manifest */
import { join } from 'node:path';
import { parseHTML } from 'linkedom';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startLocalGitHub } from '../../src/local/local-github.ts';
import {
  eventually,
  HERE,
  jwtOf,
  octokit,
  PEOPLE,
  type Receiver,
  type Stage,
  startReceiver,
  startStage,
} from './server.ts';

const APP = 'http://app.example:3000';
const MANIFEST = {
  name: 'Our Loopwright',
  url: 'https://loopwright.example/about',
  description: 'It <never> merges',
  redirect_url: `${APP}/setup/done?from=github`,
  hook_attributes: { url: '' },
  public: false,
  default_permissions: { contents: 'write', issues: 'write', workflows: 'write' },
  default_events: ['issues', 'push'],
};

let stage: Stage;
let other: Receiver;
let manifest: string;
beforeAll(async () => {
  stage = await startStage();
  other = await startReceiver();
  other.secret = stage.server.credentials.webhookSecret;
  manifest = JSON.stringify({ ...MANIFEST, hook_attributes: { url: other.url } });
});
afterAll(async () => {
  await stage.close();
  await other.close();
});

const NEW = '/settings/apps/new';
/** Sends a form as a browser does, to an address of the pages. */
async function send(path: string, form: Record<string, string>, { login = 'alice', origin = stage.server.url } = {}) {
  const response = await fetch(stage.server.url + path, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(form),
    headers: { cookie: `local_github_token=token-${login}`, origin },
  });
  return { response, location: response.headers.get('location') ?? '', ...readPage(await response.text()) };
}

async function open(path: string, login = 'alice') {
  const response = await fetch(stage.server.url + path, { headers: { cookie: `local_github_token=token-${login}` } });
  return { response, ...readPage(await response.text()) };
}

function readPage(page: string) {
  const { document } = parseHTML(page);
  const form = document.querySelector('main form');
  const inputs = [...(form?.querySelectorAll('input') ?? [])];
  return {
    alert: document.querySelector('[role=alert]')?.textContent ?? undefined,
    heading: document.querySelector('h1')?.textContent,
    text: document.querySelector('main')?.textContent ?? '',
    target: form?.getAttribute('action') ?? '',
    fields: Object.fromEntries(inputs.map((input) => [input.getAttribute('name'), input.getAttribute('value') ?? ''])),
  };
}

/** Confirms a manifest as alice; the answer's address. */
async function confirm(json = manifest, change: Record<string, string> = {}): Promise<URL> {
  const asked = await open((await send(`${NEW}?state=s-1`, { manifest: json }, { origin: APP })).location);
  const { location, alert } = await send(asked.target, { action: 'create', ...asked.fields, ...change });
  expect(alert).toBeUndefined();
  return new URL(location);
}

const convert = (code: string) =>
  fetch(`${stage.server.url}/api/v3/app-manifests/${code}/conversions`, { method: 'POST' });
const codeOf = (address: URL) => address.searchParams.get('code') ?? '';
const itself = () => octokit(stage.server.url, jwtOf(stage.server.credentials)).rest;

test('the page that the App leads to says what would be created, for whom, and lets the name be changed', async () => {
  const { response, location } = await send(`${NEW}?state=s-1`, { manifest }, { origin: APP });
  expect(response.status).toBe(303);
  const asked = await open(location);
  expect(asked.heading).toBe('Create GitHub App for alice');
  for (const part of [MANIFEST.description, MANIFEST.url, other.url, 'workflows: write', 'issues', 'app.example:3000'])
    expect(asked.text).toContain(part);
  expect(asked.fields).toMatchObject({ name: 'Our Loopwright', state: 's-1' });
  expect((await open(location, 'nobody')).text).toContain('Choose who you are');
  expect((await open(location.replace('/settings', '/organizations/alice/settings'))).target).toBe(
    '/organizations/alice/settings/apps',
  );
});

test('only the form with the manifest may come from another page, and only that page may lead elsewhere', async () => {
  const forged = { action: 'create', manifest, name: 'Mine' };
  expect((await send('/settings/apps', forged, { origin: APP })).response.status).toBe(403);
  expect((await send('/organizations/alice/settings/apps', forged, { origin: APP })).response.status).toBe(403);
  const { location } = await send(NEW, { manifest }, { origin: APP });
  const policyOf = async (path: string) => (await open(path)).response.headers.get('content-security-policy');
  expect(await policyOf(location)).toContain(`form-action 'self' ${APP};`);
  expect(await policyOf(NEW)).toContain("form-action 'self';");
  expect(await policyOf('/alice/toys')).toContain("form-action 'self';");
});

test('without a manifest the page says in one sentence what it is for', async () => {
  const { response, text, fields } = await open(NEW);
  expect([response.status, fields]).toEqual([200, {}]);
  expect(text).toContain('The page of an App leads here');
  expect((await send(NEW, { other: 'x' }, { origin: APP })).alert).toBe('The form has no field "manifest".');
});

test.each([
  ['no JSON', '{name', /^The manifest is no JSON: .+\.$/],
  ['no object', '[]', /^The manifest must be an object\.$/],
  ['no name', { name: undefined }, /^The manifest's name is missing\.$/],
  ['an empty name', { name: ' ' }, /^The manifest's name is empty\.$/],
  ['no address', { url: undefined }, /^The manifest's url is missing\.$/],
  [
    'a way back by another protocol',
    { redirect_url: 'javascript:alert(1)' },
    /^The manifest's redirect_url must be an http or https address\.$/,
  ],
  [
    'a way back that would be more than an origin in a policy',
    { redirect_url: 'http://a;sandbox/' },
    /^The manifest's redirect_url must be an http or https address\.$/,
  ],
  ['no way back', { redirect_url: undefined }, /^The manifest's redirect_url is missing\.$/],
  ['no address of the hook', { hook_attributes: {} }, /^The manifest's hook_attributes\.url is missing\.$/],
  [
    'an unknown permission',
    { default_permissions: { toys: 'read' } },
    /^The manifest asks for the permission "toys", which GitHub does not have\.$/,
  ],
  [
    'a permission of objects',
    { default_permissions: { constructor: 'read' } },
    /"constructor", which GitHub does not have\.$/,
  ],
  [
    'an unknown level',
    { default_permissions: { contents: 'admin' } },
    /^The manifest asks for the permission "contents" at "admin", and it can be read or write\.$/,
  ],
  ['events that are no list', { default_events: 'push' }, /^The manifest's default_events must be a list\.$/],
])('%s is refused in one sentence, and nothing is asked', async (_what, wrong, sentence) => {
  const json = typeof wrong === 'string' ? wrong : JSON.stringify({ ...JSON.parse(manifest), ...wrong });
  const asked = await open((await send(NEW, { manifest: json }, { origin: APP })).location);
  expect(asked.alert).toMatch(sentence);
  expect(asked.fields).toEqual({});
});

test('the way back has its own query, the code and the state', async () => {
  const address = await confirm();
  expect(`${address.origin}${address.pathname}`).toBe(`${APP}/setup/done`);
  expect(Object.fromEntries(address.searchParams)).toEqual({
    from: 'github',
    state: 's-1',
    code: expect.stringMatching(/^[0-9a-f]{40}$/),
  });
});

test('until somebody brings the code nothing has changed', async () => {
  await confirm();
  expect((await itself().apps.getAuthenticated()).data).toMatchObject({ name: 'Loopwright' });
  expect((await itself().apps.getWebhookConfigForApp()).data.url).toBe(stage.receiver.url);
});

test('the code is worth the registration of the one App, without any token and once', async () => {
  const code = codeOf(await confirm(manifest, { name: 'Toy Maker' }));
  const answer = await convert(code);
  expect(answer.status).toBe(201);
  const { appId, privateKey, webhookSecret } = stage.server.credentials;
  expect(await answer.json()).toMatchObject({
    id: appId,
    slug: 'loopwright',
    node_id: expect.stringMatching(/./),
    name: 'Toy Maker',
    owner: { login: 'alice' },
    description: MANIFEST.description,
    external_url: MANIFEST.url,
    html_url: `${stage.server.url}/apps/loopwright`,
    permissions: { metadata: 'read', ...MANIFEST.default_permissions },
    events: ['issues', 'push'],
    client_id: `Iv1.local${appId}`,
    client_secret: expect.stringMatching(/^[0-9a-f]{40}$/),
    webhook_secret: webhookSecret,
    pem: privateKey,
  });
  expect((await convert(code)).status).toBe(404);
  expect((await convert('0'.repeat(40))).status).toBe(404);
});

test('the App is what was registered: its name, its rights and where webhooks go', async () => {
  await stage.local('PATCH', '/switches', { arranged: { accepted: { metadata: 'read' }, hasIssues: false } });
  await convert(codeOf(await confirm()));
  expect((await itself().apps.getAuthenticated()).data).toMatchObject({
    name: 'Our Loopwright',
    owner: { login: 'alice' },
    permissions: { metadata: 'read', ...MANIFEST.default_permissions },
    events: ['issues', 'push'],
  });
  const { data: token } = await itself().apps.createInstallationAccessToken({
    installation_id: stage.server.credentials.installationId,
  });
  expect(token.permissions).toEqual({ metadata: 'read', ...MANIFEST.default_permissions });
  expect((await stage.as('bob').rest.repos.get(HERE)).data.has_issues).toBe(false);
  expect((await itself().apps.getWebhookConfigForApp()).data).toMatchObject({ url: other.url, secret: '********' });
  const before = stage.receiver.received.length;
  await stage.as('alice').rest.issues.create({ ...HERE, title: 'Where do you hear of it?' });
  await eventually(() => other.names().includes('issues.opened'), 'the new address is told');
  expect(other.received.every(({ signed }) => signed)).toBe(true);
  expect(stage.receiver.received).toHaveLength(before);
});

test('a code is worth nothing an hour later', async () => {
  const code = codeOf(await confirm());
  const soon = codeOf(await confirm());
  await stage.local('POST', '/clock', { advanceMs: 59 * 60_000 });
  expect((await convert(soon)).status).toBe(201);
  await stage.local('POST', '/clock', { advanceMs: 60_000 });
  expect((await convert(code)).status).toBe(404);
  await stage.local('POST', '/clock', { offsetMs: 0 });
});

test('whoever has no admin creates nothing, and is told why, with what they typed', async () => {
  const { location } = await send(`${NEW}?state=s-2`, { manifest }, { origin: APP });
  const { target, fields } = await open(location, 'bob');
  const refused = await send(target, { action: 'create', ...fields, name: 'Typed' }, { login: 'bob' });
  expect(refused.alert).toBe('Registering the App is for a person with admin, and bob has write.');
  expect(refused.fields).toMatchObject({ name: 'Typed', state: 's-2', manifest });
  const nobody = await send(target, { action: 'create', ...fields }, { login: 'nobody' });
  expect(nobody.alert).toContain('Choose who you are first');
  const organization = await send('/organizations/nowhere/settings/apps', { action: 'create', ...fields });
  expect(organization.alert).toBe('There is no account nowhere here.');
});

test('an App without a webhook has no secret for one, and is told nothing', async () => {
  const json = JSON.stringify({ ...MANIFEST, hook_attributes: undefined });
  expect(await (await convert(codeOf(await confirm(json)))).json()).toMatchObject({ webhook_secret: null });
  const { data } = await itself().apps.getWebhookConfigForApp();
  expect(data).toEqual({ content_type: 'json', insecure_ssl: '0' });
  const before = other.received.length;
  await stage.as('alice').rest.issues.create({ ...HERE, title: 'Nobody hears of it' });
  await convert(codeOf(await confirm()));
  await stage.as('alice').rest.issues.create({ ...HERE, title: 'This is heard' });
  await eventually(() => other.received.length > before, 'the webhook is there again');
  expect(other.received.slice(before)).toMatchObject([{ payload: { issue: { title: 'This is heard' } } }]);
});

test('a registration outlives a restart', async () => {
  const dataDirectory = join(stage.directory, 'restarted');
  const start = () =>
    startLocalGitHub({
      dataDirectory,
      port: 0,
      users: PEOPLE,
      executeWorkflow: () => Promise.reject(new Error('none')),
    });
  const first = await start();
  const confirmed = await fetch(`${first.url}/_local/app-manifests`, {
    method: 'POST',
    headers: { authorization: 'Bearer token-alice' },
    body: JSON.stringify({ manifest }),
  });
  const { code } = (await confirmed.json()) as { code: string };
  await first.close();
  const second = await start();
  await fetch(`${second.url}/api/v3/app-manifests/${code}/conversions`, { method: 'POST' });
  await second.close();
  const third = await start();
  const app = octokit(third.url, jwtOf(third.credentials)).rest.apps;
  expect((await app.getWebhookConfigForApp()).data.url).toBe(other.url);
  expect((await app.getAuthenticated()).data?.name).toBe('Our Loopwright');
  await third.close();
});
