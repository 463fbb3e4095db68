/** A person installs the App on repositories: https://docs.github.com/apps/using-github-apps/installing-your-own-github-app */
import { parseHTML } from 'linkedom';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, HERE, installationToken, jwtOf, octokit, type Stage, startStage } from './server.ts';

const INSTALL = '/apps/loopwright/installations/new';
const GAMES = { owner: 'alice', repo: 'games' };
let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ others: ['alice/games', 'bob/tools'] });
});
afterAll(() => stage.close());

interface Visitor {
  readonly login?: string;
  readonly server?: Stage['server'];
  readonly session?: string;
}

const cookieOf = ({ login = 'alice', session = '' }: Visitor) =>
  `local_github_token=token-${login}; local_github_session=${session}`;

async function open(path: string, visitor: Visitor = {}) {
  const { url } = visitor.server ?? stage.server;
  const response = await fetch(url + path, { headers: { cookie: cookieOf(visitor) } });
  return { status: response.status, ...readPage(await response.text()) };
}

async function install(names: readonly string[], { path = INSTALL, ...visitor }: Visitor & { path?: string } = {}) {
  const { url } = visitor.server ?? stage.server;
  const response = await fetch(url + path, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams([['action', 'install'], ...names.map((name) => [`repository:${name}`, 'on'])]),
    headers: { cookie: cookieOf(visitor), origin: url },
  });
  const location = response.headers.get('location') ?? undefined;
  return { status: response.status, location, ...readPage(await response.text()) };
}

function readPage(page: string) {
  const { document } = parseHTML(page);
  const boxes = [...document.querySelectorAll('main input[type=checkbox]')];
  return {
    alert: document.querySelector('[role=alert]')?.textContent ?? undefined,
    text: document.querySelector('main')?.textContent ?? '',
    boxes: Object.fromEntries(boxes.map((box) => [box.getAttribute('name'), box.hasAttribute('checked')])),
    buttons: [...document.querySelectorAll('main button')].map(({ textContent }) => textContent),
    links: [...document.querySelectorAll('main a')].map((link) => link.getAttribute('href')),
  };
}

const told = () => stage.receiver.received.filter(({ event }) => event === 'installation_repositories');

test('the way leads from the first page and from where the App says that it is', async () => {
  expect((await open('/')).links).toContain('/apps/loopwright');
  const { data: app } = await octokit(stage.server.url, jwtOf(stage.server.credentials)).rest.apps.getAuthenticated();
  expect(app?.html_url).toBe(`${stage.server.url}/apps/loopwright`);
  const page = await open('/apps/loopwright');
  expect(page.text).toContain('contents: write');
  expect(page.links).toContain(INSTALL);
  expect((await open(INSTALL)).status).toBe(200);
});

test('a person chooses among the repositories that they administer', async () => {
  const { boxes, buttons } = await open(INSTALL);
  expect(boxes).toEqual({
    'repository:alice/games': false,
    'repository:alice/toys': false,
    'repository:bob/tools': false,
  });
  expect(buttons).toEqual(['Install']);
});

test('where there is one, it is chosen already', async () => {
  const { repos } = stage.as('alice').rest;
  await repos.addCollaborator({ ...GAMES, username: 'tina', permission: 'admin' });
  expect((await open(INSTALL, { login: 'tina' })).boxes).toEqual({ 'repository:alice/games': true });
});

test('the App is told of all that were chosen, at once and of who chose them, and the page says so', async () => {
  const { location } = await install(['alice/games', 'bob/tools']);
  expect(location).toBe(`${INSTALL}?installed=alice%2Fgames&installed=bob%2Ftools`);
  await eventually(() => told().length > 0, 'the webhook arrives');
  expect(told()).toMatchObject([
    {
      signed: true,
      payload: {
        action: 'added',
        repository_selection: 'selected',
        repositories_added: [{ full_name: 'alice/games' }, { full_name: 'bob/tools' }],
        sender: { login: 'alice' },
      },
    },
  ]);
  const { text, links } = await open(location ?? '');
  expect(text).toContain('Loopwright is installed on alice/games, bob/tools, and has been told so.');
  expect(links).toEqual(expect.arrayContaining(['/alice/games', '/bob/tools']));
});

test('whoever administers one repository installs it there, and is the sender', async () => {
  const before = told().length;
  await install(['alice/games'], { login: 'tina' });
  await eventually(() => told().length > before, 'the webhook arrives');
  expect(told().at(-1)?.payload).toMatchObject({
    repositories_added: [{ full_name: 'alice/games' }],
    sender: { login: 'tina' },
  });
});

test('an App that was nowhere is installed by it', async () => {
  await stage.local('PATCH', '/switches', { arranged: { isInstalled: false } });
  await expect(installationToken(stage.server)).rejects.toThrow();
  await install(['alice/toys']);
  await expect(installationToken(stage.server)).resolves.toMatch(/^ghs_/);
});

test('who administers nothing, and who is nobody, is told so and has nothing to press', async () => {
  const bob = await open(INSTALL, { login: 'bob' });
  expect(bob.text).toContain('bob has admin on no repository here, and installing the App is for a person with admin.');
  const nobody = await open(INSTALL, { login: 'nobody' });
  expect(nobody.text).toContain('Choose who you are at the top right to install it.');
  expect([...bob.buttons, ...nobody.buttons]).toEqual([]);
});

test('what the page did not offer is refused in a sentence, and nobody is told', async () => {
  const before = told().length;
  expect((await install(['alice/toys'], { login: 'bob' })).alert).toBe(
    'Installing the App is for a person with admin, and bob has write on alice/toys.',
  );
  const tina = await install(['alice/games', 'alice/toys'], { login: 'tina' });
  expect(tina.alert).toBe('Installing the App is for a person with admin, and tina has triage on alice/toys.');
  expect((await install(['alice/toys'], { login: 'nobody' })).alert).toContain('Choose who you are first');
  expect((await install([])).alert).toBe('Choose a repository.');
  const wrong = await install(['alice/games', 'alice/none']);
  expect(wrong.alert).toBe('There is no repository alice/none here.');
  expect(wrong.boxes).toMatchObject({ 'repository:alice/games': true, 'repository:alice/toys': false });
  await stage.as('alice').rest.issues.create({ ...HERE, title: 'The next that is told' });
  await stage.as('alice').rest.issues.create({ ...GAMES, title: 'And here' });
  await eventually(
    () => stage.receiver.received.filter(({ payload }) => payload.action === 'opened').length >= 2,
    'what came after has arrived',
  );
  expect(told()).toHaveLength(before);
});

test('another App has no page here', async () => {
  expect(await open('/apps/other')).toMatchObject({
    status: 404,
    alert: 'There is no App other here; the one that there is is loopwright.',
  });
  const path = '/apps/other/installations/new';
  expect((await open(path)).status).toBe(404);
  const before = told().length;
  expect((await install(['alice/toys'], { path })).status).toBe(404);
  expect(told()).toHaveLength(before);
});

test('no other page installs anything in a name', async () => {
  const response = await fetch(stage.server.url + INSTALL, {
    method: 'POST',
    body: new URLSearchParams({ action: 'install', 'repository:alice/toys': 'on' }),
    headers: { cookie: cookieOf({}), origin: 'http://elsewhere.example' },
  });
  expect(response.status).toBe(403);
});

test('with a printed address it is for whoever came by it', async () => {
  const closed = await startStage({ key: 'printed' });
  const { server, receiver } = closed;
  expect((await open(INSTALL, { server })).text).toContain('Open the address that was printed at the start');
  expect((await install(['alice/toys'], { server })).alert).toContain('Open the address that was printed');
  expect((await install(['alice/toys'], { server, session: 'printed' })).location).toContain('installed=alice%2Ftoys');
  await eventually(() => receiver.names().includes('installation_repositories.added'), 'the webhook arrives');
  await closed.close();
});
