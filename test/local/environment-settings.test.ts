/** A person with admin says on a page which branches may deploy: https://docs.github.com/actions/how-tos/deploy/configure-and-manage-deployments/manage-environments */
import { parseHTML } from 'linkedom';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { HERE, type Stage, startStage } from './server.ts';

const SETTINGS = '/alice/toys/settings/environments';
let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage.close());
beforeEach(async () => {
  for (const { name } of await environments())
    await repos().deleteAnEnvironment({ ...HERE, environment_name: name ?? '' });
});

const repos = () => stage.as('alice').rest.repos;
const environments = async () => (await repos().getAllEnvironments(HERE)).data.environments ?? [];

/** What REST tells of an environment; undefined where there is none. */
async function rulesOf(environment_name: string) {
  const one = (await environments()).find(({ name }) => name === environment_name);
  if (!one) return undefined;
  const policy = one.deployment_branch_policy;
  if (!policy) return 'every';
  if (policy.protected_branches) return 'protected';
  const { data } = await repos().listDeploymentBranchPolicies({ ...HERE, environment_name });
  return data.branch_policies.map(({ name, type }) => `${type} ${name}`);
}

async function open(path: string, login = 'alice') {
  const response = await fetch(stage.server.url + path, { headers: { cookie: `local_github_token=token-${login}` } });
  return { status: response.status, ...readPage(await response.text()) };
}

async function save(fields: Record<string, string>, { login = 'alice', path = SETTINGS } = {}) {
  const response = await fetch(stage.server.url + path, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ action: 'save', ...fields }),
    headers: { cookie: `local_github_token=token-${login}`, origin: stage.server.url },
  });
  return { location: response.headers.get('location') ?? undefined, ...readPage(await response.text()) };
}

function readPage(page: string) {
  const { document } = parseHTML(page);
  const textOf = (selector: string) => document.querySelector(selector)?.textContent ?? undefined;
  const name = document.querySelector('main input[name=name]')?.getAttribute('value') ?? undefined;
  return {
    alert: textOf('[role=alert]'),
    text: textOf('main') ?? '',
    heading: textOf('main h2'),
    rows: [...document.querySelectorAll('main .rows li .grow')].map(({ textContent }) => flat(textContent)),
    links: [...document.querySelectorAll('main a')].map((link) => link.getAttribute('href')),
    // Browsers drop the line break after the tag.
    form:
      name === undefined
        ? undefined
        : { name, branches: chosenIn(document), patterns: textOf('main textarea')?.replace(/^\n/, '') },
  };
}

function chosenIn(document: Document): string | undefined {
  const radios = [...document.querySelectorAll('main input[type=radio]')];
  return radios.find((radio) => radio.hasAttribute('checked'))?.getAttribute('value') ?? undefined;
}

const flat = (text: string | null) => (text ?? '').replace(/\s+/g, ' ').trim();

test('at first there is none, and the form makes one that every branch may use', async () => {
  const page = await open(SETTINGS);
  expect(page.text).toContain('No environment yet');
  expect([page.heading, page.form]).toEqual(['New environment', { name: '', branches: 'every', patterns: '' }]);
  expect((await save({ name: ' docs ', branches: 'every', patterns: '' })).location).toBe(SETTINGS);
  expect(await rulesOf('docs')).toBe('every');
  expect((await open(SETTINGS)).rows).toEqual(['docs No restriction']);
});

test('an address fills in name and branch, and saving it lets that branch alone deploy', async () => {
  const filled = { name: 'loopwright', branches: 'selected', patterns: 'main' };
  expect((await open(`${SETTINGS}?name=loopwright&branch=main`)).form).toEqual(filled);
  await save(filled);
  expect(await rulesOf('loopwright')).toEqual(['branch main']);
  expect((await open(SETTINGS)).rows).toEqual(['loopwright Selected branches: main']);
});

test('the list tells of each which branches may deploy, and leads to its form', async () => {
  await save({ name: 'a', branches: 'every' });
  await save({ name: 'b', branches: 'protected' });
  await save({ name: 'c/d & e', branches: 'selected', patterns: 'main\r\n\r\n release/* \r\nmain\r\n' });
  const { rows, links } = await open(SETTINGS);
  expect(rows).toEqual(['a No restriction', 'b Protected branches', 'c/d & e Selected branches: main release/*']);
  expect(links).toEqual(['?name=a', '?name=b', '?name=c%2Fd%20%26%20e']);
  const page = await open(`${SETTINGS}?name=c%2Fd%20%26%20e`);
  expect(page.heading).toBe('Edit c/d & e');
  expect(page.form).toEqual({ name: 'c/d & e', branches: 'selected', patterns: 'main\nrelease/*' });
  expect((await open(`${SETTINGS}?name=B`)).form).toEqual({ name: 'b', branches: 'protected', patterns: '' });
});

test('an edit leaves what stands in the form, and the patterns of tags', async () => {
  await save({ name: 'stores', branches: 'selected', patterns: 'main\nwork' });
  await repos().createDeploymentBranchPolicy({ ...HERE, environment_name: 'stores', name: 'v*', type: 'tag' });
  expect((await open(SETTINGS)).rows).toEqual(['stores Selected branches: main work tag v*']);
  // Names are compared without case.
  await save({ name: 'Stores', branches: 'selected', patterns: 'work\nrelease/*' });
  expect(await rulesOf('stores')).toEqual(['branch work', 'tag v*', 'branch release/*']);
  await save({ name: 'stores', branches: 'every', patterns: 'work' });
  expect(await rulesOf('stores')).toBe('every');
  expect(await environments()).toHaveLength(1);
});

test.each([
  ['no name', { name: ' ' }, 'Name the environment.'],
  ['a name that leads elsewhere', { name: '..' }, 'An environment cannot be called "..".'],
  ['a long name', { name: 'x'.repeat(256) }, 'Name is too long (maximum is 255 characters).'],
  ['no choice', { branches: 'some' }, 'Choose which branches may deploy.'],
  ['selected branches without any', { patterns: ' \n' }, 'Name at least one branch.'],
])('%s is refused in a sentence, what was typed stays, and nothing is made', async (_what, wrong, sentence) => {
  const typed = { name: 'docs', branches: 'selected', patterns: 'main\nwork', ...wrong };
  const { alert, form, location } = await save(typed, { path: `${SETTINGS}?name=other&branch=x` });
  expect([alert, location]).toEqual([sentence, undefined]);
  // No choice is marked where there is none of that name.
  expect(form).toEqual({ ...typed, branches: typed.branches === 'some' ? undefined : typed.branches });
  expect(await environments()).toEqual([]);
});

test('of several patterns the one that is none is named, and the others hold', async () => {
  const typed = { name: 'docs', branches: 'selected', patterns: 'main\nv[9-0]\nwork' };
  const { alert, form, rows, heading } = await save(typed);
  expect(alert).toBe('No name or pattern of branches: v[9-0]. All else is saved.');
  expect(form).toEqual(typed);
  expect([rows, heading]).toEqual([['docs Selected branches: main work'], 'Edit docs']);
});

test('who has no admin, and who is nobody, is told so, sees no form and sets nothing', async () => {
  await save({ name: 'docs', branches: 'every' });
  const bob = await open(SETTINGS, 'bob');
  expect(bob.text).toContain('bob has no admin on alice/toys, and its environments are for a person with admin.');
  const nobody = await open(SETTINGS, 'nobody');
  expect(nobody.text).toContain('Choose who you are at the top right to see the environments.');
  expect([bob.form, bob.rows, nobody.form, nobody.rows]).toEqual([undefined, [], undefined, []]);
  const typed = { name: 'docs', branches: 'selected', patterns: 'work' };
  const refused = await save(typed, { login: 'bob' });
  expect([refused.alert, refused.form]).toEqual(['Must have admin rights to Repository.', typed]);
  expect((await save(typed, { login: 'nobody' })).alert).toContain('Choose who you are first');
  expect(await rulesOf('docs')).toBe('every');
});

test("the repository's page leads there whoever has admin, and a repository that is none has no such page", async () => {
  expect((await open('/alice/toys')).links).toContain(SETTINGS);
  expect((await open('/alice/toys', 'bob')).links).not.toContain(SETTINGS);
  expect((await open('/alice/none/settings/environments')).status).toBe(404);
});
