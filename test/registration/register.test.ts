import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request as rawRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { wire } from '../../src/github/wire.ts';
import type { Registered } from '../../src/registration/desk.ts';
import { register } from '../../src/registration/register.ts';
import { requestOf, type Words } from '../../src/registration/request.ts';
import { readAppFile } from '../../src/settings/app-file.ts';
import { childEnvironment } from '../../src/settings/env.ts';
import { app } from '../../src/settings/variables.ts';
import { eventually } from '../eventually.ts';
import { sleepNock, wakeNock } from '../nock.ts';
import { createBrowser } from './browser.ts';
import {
  CLIENT_SECRET,
  conversionOf,
  PEM,
  type RegisteringGitHub,
  startRegisteringGitHub,
  WEBHOOK_SECRET,
} from './github.ts';

let github: RegisteringGitHub;
let directory: string;
beforeEach(async () => {
  github = await startRegisteringGitHub();
  directory = await mkdtemp(join(tmpdir(), 'loopwright-register-'));
});
afterEach(async () => {
  github.close();
  await rm(directory, { recursive: true });
});

interface Begun {
  readonly address: string;
  readonly envFile: string;
  readonly complaints: string[];
  readonly ended: Promise<Registered | undefined>;
  readonly interrupt: () => void;
}

async function begun(words: Partial<Words> = {}): Promise<Begun> {
  const request = requestOf(await readAppFile(), { github: github.url, publicUrl: 'https://loops.acme.dev', ...words });
  const { promise: address, resolve } = Promise.withResolvers<string>();
  const controller = new AbortController();
  const complaints: string[] = [];
  const envFile = join(directory, 'loopwright.env');
  const ended = register({
    ...{ request, envFile, host: '127.0.0.1', port: 0, listens: resolve, signal: controller.signal },
    complain: (sentence) => void complaints.push(sentence),
  });
  return { address: await address, envFile, complaints, ended, interrupt: () => controller.abort() };
}

const NAMES = ['APP_ID', 'APP_SLUG', 'PUBLIC_URL', 'GITHUB_API_URL', 'WEBHOOK_SECRET', 'PRIVATE_KEY', 'LLM_MODEL'];
const PRINT = `process.stdout.write(JSON.stringify(${JSON.stringify(NAMES)}.map((name) => process.env[name] ?? null)))`;

/** The variables as a process has them that Node gave the file. */
async function readByNode(envFile: string): Promise<Record<string, string | null>> {
  const options = { extendEnv: false, env: childEnvironment() };
  const { stdout } = await execa(process.execPath, [`--env-file=${envFile}`, '-e', PRINT], options);
  const values: (string | null)[] = JSON.parse(stdout);
  return Object.fromEntries(NAMES.map((name, index) => [name, values[index] ?? null]));
}

test('the button, GitHub and the way back make a file that Node reads, with the exact key, for its owner alone', async () => {
  const { address, envFile, ended, complaints } = await begun();
  const browser = createBrowser();
  const page = await browser.open(await browser.confirm(address));
  expect(page.status).toBe(200);
  expect(page.text).toContain(envFile);
  expect(page.links['Install it']).toBe(`${github.url}/github-apps/loopwright/installations/new`);
  expect(await ended).toEqual({
    ...{ id: 4711, slug: 'loopwright', envFile },
    installUrl: `${github.url}/github-apps/loopwright/installations/new`,
  });
  expect(await readByNode(envFile)).toEqual({
    ...{ APP_ID: '4711', APP_SLUG: 'loopwright', PUBLIC_URL: 'https://loops.acme.dev' },
    ...{ GITHUB_API_URL: `${github.url}/api/v3`, WEBHOOK_SECRET, PRIVATE_KEY: PEM, LLM_MODEL: null },
  });
  expect((await stat(envFile)).mode & 0o777).toBe(0o600);
  for (const secret of [WEBHOOK_SECRET, CLIENT_SECRET, 'PRIVATE KEY']) expect(page.html).not.toContain(secret);
  expect(complaints).toEqual([]);
});

test('a shell reads the file too, with the key in the form that the App takes', async () => {
  const { address, envFile, ended } = await begun();
  const browser = createBrowser();
  await browser.open(await browser.confirm(address));
  await ended;
  const command = `set -a; . ./loopwright.env; exec "$1" -e '${PRINT}'`;
  const { stdout } = await execa('sh', ['-c', command, 'sh', process.execPath], {
    cwd: dirname(envFile),
    extendEnv: false,
    env: childEnvironment(),
  });
  const values: string[] = JSON.parse(stdout);
  expect(app.shape.PRIVATE_KEY.parse(values[NAMES.indexOf('PRIVATE_KEY')])).toBe(PEM);
  expect(values[NAMES.indexOf('WEBHOOK_SECRET')]).toBe(WEBHOOK_SECRET);
});

test('GitHub is sent what app.yml asks for, where webhooks go, and no token', async () => {
  const { address, ended } = await begun({ publicUrl: 'https://acme.dev/loops/', name: 'acme loops' });
  const browser = createBrowser();
  await browser.open(await browser.confirm(address));
  await ended;
  const { permissions, events, url, description } = await readAppFile();
  expect(github.submitted).toEqual([
    {
      path: '/settings/apps/new',
      manifest: {
        ...{ name: 'acme loops', url, description, public: false },
        hook_attributes: { url: 'https://acme.dev/loops/api/github/webhooks', active: true },
        redirect_url: `${address}/registered`,
        default_permissions: permissions,
        default_events: events,
      },
    },
  ]);
  expect(github.exchanges.map(({ authorization }) => authorization)).toEqual([undefined]);
});

test('for an organization its own page is asked, with its name in that of the App', async () => {
  const { address, ended } = await begun({ organization: 'acme' });
  const browser = createBrowser();
  await browser.open(await browser.confirm(address));
  expect((await ended)?.slug).toBe('loopwright-acme');
  expect(github.submitted.map(({ path }) => path)).toEqual(['/organizations/acme/settings/apps/new']);
});

test('github.com has its API at a host of its own, which needs no variable', async () => {
  const { address, envFile, ended } = await begun({ github: 'https://github.com' });
  onTestFinished(sleepNock);
  const exchanged = wakeNock()('https://api.github.com')
    .post('/app-manifests/c0de/conversions')
    .reply(201, conversionOf('https://github.com', 'loopwright'));
  const browser = createBrowser();
  const { html, headers } = await browser.open(`${address}/`);
  expect(headers.get('content-security-policy')).toContain('form-action https://github.com;');
  const [, state = ''] = /action="https:\/\/github\.com\/settings\/apps\/new\?state=([\w.-]+)"/.exec(html) ?? [];
  await browser.open(`${address}/registered?code=c0de&state=${state}`);
  await ended;
  expect(exchanged.isDone()).toBe(true);
  sleepNock();
  expect(await readByNode(envFile)).toMatchObject({ GITHUB_API_URL: null, PRIVATE_KEY: PEM });
});

test('the page shows each permission and event with its reason, and holds no more than a form to that GitHub', async () => {
  const { address, ended, interrupt } = await begun();
  const { text, html, headers } = await createBrowser().open(`${address}/`);
  const { permissions, events, reasons } = await readAppFile();
  for (const words of [...Object.entries(permissions).map((pair) => pair.join(': ')), ...events])
    expect(text).toContain(words);
  for (const reason of [...reasons.permissions.values(), ...reasons.events.values()]) expect(text).toContain(reason);
  expect(html).not.toContain('<script');
  expect(headers.get('content-security-policy')).toMatch(
    new RegExp(
      `^default-src 'none'; style-src 'sha256-[^']+'; form-action ${github.url}; base-uri 'none'; frame-ancestors 'none'$`,
    ),
  );
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('set-cookie')).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/);
  interrupt();
  await ended;
});

test('the address with the code is told to nobody, and kept nowhere', async () => {
  const { address, ended } = await begun();
  const browser = createBrowser();
  const { headers } = await browser.open(await browser.confirm(address));
  await ended;
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('content-security-policy')).toContain("form-action 'none'");
});

test('an answer with another state, or in another browser, is refused; the right one is taken afterwards', async () => {
  const { address, ended, complaints } = await begun();
  const browser = createBrowser();
  const back = await browser.confirm(address);
  const wrong = [
    [createBrowser(), back],
    [browser, back.replace(/.$/, (last) => (last === 'A' ? 'E' : 'A'))],
    [browser, back.replace(/state=[^&]+/, 'state=')],
    [browser, back.replace(/state=/, 'state=x')],
  ] as const;
  for (const [who, where] of wrong) {
    const { status, text } = await who.open(where);
    expect({ status, text }).toMatchObject({
      status: 403,
      text: expect.stringContaining('belongs to nothing that was begun in this browser'),
    });
  }
  expect(github.exchanges).toEqual([]);
  expect(await readdir(directory)).toEqual([]);
  expect((await browser.open(back)).status).toBe(200);
  await ended;
  expect(complaints).toEqual([]);
});

test('two tabs of one browser are both awaited', async () => {
  const { address, ended } = await begun();
  const browser = createBrowser();
  const first = await browser.confirm(address);
  await browser.confirm(address);
  expect((await browser.open(first)).status).toBe(200);
  expect(await ended).toBeDefined();
});

test('an answer that is brought twice at once is taken once', async () => {
  const { address, ended } = await begun();
  const browser = createBrowser();
  const back = await browser.confirm(address);
  const { promise: until, resolve } = Promise.withResolvers<void>();
  github.troubles.push({ until });
  const first = browser.open(back);
  await eventually(() => github.exchanges.length > 0, 'GitHub is asked');
  const second = await browser.open(back);
  expect(second.status).toBe(409);
  expect(second.text).toContain('counts once');
  resolve();
  expect((await first).status).toBe(200);
  await ended;
  expect(github.exchanges).toHaveLength(1);
  expect(await readdir(directory)).toEqual(['loopwright.env']);
});

test('a code that was used up is told on the page and in the terminal, and one begins again without a restart', async () => {
  const { address, ended, complaints } = await begun();
  const browser = createBrowser();
  const back = await browser.confirm(address);
  const code = new URL(back).searchParams.get('code');
  await fetch(`${github.url}/api/v3/app-manifests/${code}/conversions`, { method: 'POST' });
  const { status, text, links } = await browser.open(back);
  const sentence = `${new URL(github.url).host} does not know this code: it was used already, or is older than an hour. Delete the App that has no key at ${github.url}/settings/apps, and begin again.`;
  expect({ status, links }).toEqual({ status: 502, links: { 'Begin again': '/' } });
  expect(text).toContain(sentence);
  expect(complaints).toEqual([sentence]);
  expect((await browser.open(back)).text).toContain('counts once');
  expect(await readdir(directory)).toEqual([]);
  expect((await browser.open(await browser.confirm(address))).status).toBe(200);
  expect(await ended).toBeDefined();
});

test('where GitHub gave no answer the same code is good for another try, with a link that makes it', async () => {
  const { address, ended, complaints } = await begun();
  const browser = createBrowser();
  const back = await browser.confirm(address);
  github.troubles.push({ cut: true }, { status: 502, text: '<html>' });
  const first = await browser.open(back);
  expect(first.status).toBe(502);
  expect(first.text).toMatch(/127\.0\.0\.1:\d+ gave no answer \(\w+\); try again\./);
  expect(`${address}${first.links['Try again']}`).toBe(back);
  const second = await browser.open(back);
  expect(second.text).toContain('refused the code with status 502; try again in a minute.');
  expect(await readdir(directory)).toEqual([]);
  expect((await browser.open(back)).status).toBe(200);
  expect(await ended).toBeDefined();
  expect(complaints).toHaveLength(2);
});

test.each([
  ['no JSON', '<html>'],
  ['another JSON', '{"id":"4711"}'],
  ['a key that is none', JSON.stringify({ ...conversionOf('https://ghe.acme.dev', 'x'), pem: 'PEM' })],
  [
    'a secret that a shell would run',
    JSON.stringify({ ...conversionOf('https://ghe.acme.dev', 'x'), webhook_secret: '$(id)' }),
  ],
])('an answer that is %s is told, and writes nothing', async (_, answer) => {
  const { address, ended, interrupt } = await begun();
  const browser = createBrowser();
  github.troubles.push({ status: 201, text: answer });
  const { text } = await browser.open(await browser.confirm(address));
  expect(text).toContain('answered what is no registered App, and the code is used up');
  expect(await readdir(directory)).toEqual([]);
  interrupt();
  expect(await ended).toBeUndefined();
});

test('a file that came meanwhile stays as it is, and what GitHub gave stands beside it', async () => {
  const { address, envFile, ended } = await begun();
  const browser = createBrowser();
  const back = await browser.confirm(address);
  await writeFile(envFile, 'mine\n');
  const { text } = await browser.open(back);
  expect(text).toContain(`${envFile}.1`);
  expect(await ended).toMatchObject({ envFile: `${envFile}.1` });
  expect(await readFile(envFile, 'utf8')).toBe('mine\n');
  expect(await readByNode(`${envFile}.1`)).toMatchObject({ PRIVATE_KEY: PEM });
});

test('a folder that is gone is told before GitHub is asked, and the same answer is good once it is back', async () => {
  const { address, envFile, ended } = await begun();
  const browser = createBrowser();
  const back = await browser.confirm(address);
  await rm(directory, { recursive: true });
  const { text } = await browser.open(back);
  expect(text).toContain(`${envFile} cannot be written (ENOENT); mend that, and try again.`);
  expect(github.exchanges).toEqual([]);
  await execa('mkdir', [directory]);
  expect((await browser.open(back)).status).toBe(200);
  await ended;
  expect(await readByNode(envFile)).toMatchObject({ PRIVATE_KEY: PEM });
});

test.each(['evil.test', 'localhost:PORT', '127.0.0.1'])('with the name %s it serves nothing', async (name) => {
  const { address, ended, interrupt } = await begun();
  const { port } = new URL(address);
  const host = name.replace('PORT', port);
  const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const sent = rawRequest({ host: '127.0.0.1', port, path: '/', headers: { host } }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    sent.on('error', reject).end();
  });
  expect(answer.status).toBe(421);
  expect(answer.text).toContain(`Open ${address}/ instead.`);
  expect(answer.text).not.toContain('manifest');
  interrupt();
  await ended;
});

test('the App that runs cannot exchange codes', async () => {
  const send = wire({ apiUrl: `${github.url}/api/v3`, checked: false });
  const sent = send(`${github.url}/api/v3/app-manifests/c0de/conversions`, { method: 'POST' });
  await expect(sent).rejects.toThrow('it is not among the requests that the App may send');
  expect(github.exchanges).toEqual([]);
});

test.each(['HEAD', 'POST', 'OPTIONS'])('%s of the way back exchanges nothing', async (method) => {
  const { address, ended, interrupt } = await begun();
  const browser = createBrowser();
  const back = await browser.confirm(address);
  expect((await fetch(back, { method })).status).toBe(405);
  expect(github.exchanges).toEqual([]);
  interrupt();
  await ended;
});

test('what was sent to GitHub when it is interrupted is waited for, because GitHub answers once', async () => {
  const { address, envFile, ended, interrupt } = await begun();
  const browser = createBrowser();
  const back = await browser.confirm(address);
  const { promise: until, resolve } = Promise.withResolvers<void>();
  github.troubles.push({ until });
  const page = browser.open(back);
  await eventually(() => github.exchanges.length > 0, 'GitHub is asked');
  interrupt();
  resolve();
  expect(await ended).toMatchObject({ envFile });
  expect((await page).status).toBe(200);
  expect(await readByNode(envFile)).toMatchObject({ PRIVATE_KEY: PEM });
});
