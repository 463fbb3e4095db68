/** `doctor` on a set-up in which nothing is missing, and with each misstep on the way to it, one at a time. */
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askModel } from '../../src/adapters/model-question.ts';
import type { Report } from '../../src/doctor/doctor.ts';
import type { Row } from '../../src/doctor/finding.ts';
import type { PatientOptions } from '../../src/doctor/patient.ts';
import { modelVerdict } from '../../src/onboarding/model.ts';
import { freePort, listening } from '../listening.ts';
import { HERE } from '../local/server.ts';
import { CONFIG, checked, examined, KEY, RIGHT, type Stage, startRightStage, tried } from './stage.ts';
import type { Manner } from './tool-model.ts';

let stage: Stage;
let right: Report;
beforeAll(async () => {
  stage = await startRightStage();
  right = await examined(stage, {}, { checked: true });
});
afterAll(() => stage.close());

const lineOf = ({ area, subject, state, sentence }: Row): string => `${state} ${area}/${subject}: ${sentence}`;
const rowOf = (report: Report, name: string): Row | undefined =>
  report.rows.find(({ area, subject }) => `${area}/${subject}` === name);

test('finds nothing missing and nothing wrong where all is right, and says what it cannot see', () => {
  expect(right.rows.filter(({ state }) => state !== 'ok').map(lineOf)).toEqual([
    expect.stringMatching(
      /^unknown gateway\/PUBLIC_URL from a run: Whether runners reach 127\.0\.0\.1 cannot be seen from here; the run of 2\S+ reached the address of that day\.$/,
    ),
    'unknown files/allowed actions: Which actions may be used only owners can see, and the App is none. The workflows use those of `actions/…`, each by its commit.',
  ]);
  expect(right.rows.filter(({ remedy, state }) => (remedy === undefined) !== (state === 'ok'))).toEqual([]);
});

test('asks the model once, and changes nothing on GitHub', async () => {
  stage.model.asked = 0;
  const before = await lastRequest();
  await examined(stage);
  expect(stage.model.asked).toBe(1);
  const requests = await requestsAfter(before);
  expect(requests.length).toBeGreaterThan(15);
  expect(requests.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/access_tokens'))).toEqual([]);
});

async function requestsAfter(id: number): Promise<readonly { id: number; method: string; path: string }[]> {
  const { body } = await stage.github.local('GET', `/requests?after=${id}`);
  return JSON.parse(JSON.stringify(body));
}

async function lastRequest(): Promise<number> {
  let last = 0;
  for (let rows = await requestsAfter(0); rows.length > 0; rows = await requestsAfter(last))
    last = rows.at(-1)?.id ?? last;
  return last;
}

interface Misstep {
  /** What is not as it must be. */
  readonly what: string;
  readonly row: string;
  readonly says: string | RegExp;
  readonly remedy: RegExp;
  readonly state?: 'missing' | 'unknown';
  readonly variables?: Readonly<Record<string, string | undefined>>;
  readonly arranged?: object;
  readonly manner?: Manner;
  readonly options?: Partial<PatientOptions>;
  /** Does it, and gives what undoes it. */
  readonly act?: () => Promise<() => Promise<unknown>>;
}

const withRules = (rules: readonly object[], more: object = {}) => ({ rules: [...RIGHT.rules, ...rules], ...more });
const requiring = (context: string, integration_id?: number) => ({
  type: 'required_status_checks',
  parameters: {
    required_status_checks: [{ context, ...(integration_id === undefined ? {} : { integration_id }) }],
    strict_required_status_checks_policy: false,
  },
});
const QUEUE = {
  type: 'merge_queue',
  parameters: {
    check_response_timeout_minutes: 60,
    grouping_strategy: 'ALLGREEN',
    max_entries_to_build: 5,
    max_entries_to_merge: 5,
    merge_method: 'MERGE',
    min_entries_to_merge: 1,
    min_entries_to_merge_wait_minutes: 5,
  },
};
const PERMISSIONS = {
  metadata: 'read',
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  checks: 'write',
  actions: 'write',
  statuses: 'read',
  merge_queues: 'read',
};

/** Another text at a path of the default branch; undefined takes the file away. */
const file = (path: string, change: (text: string) => string | undefined) => async () => {
  const { repos } = stage.github.as('alice').rest;
  const read = async () => JSON.parse(JSON.stringify((await repos.getContent({ ...HERE, path })).data));
  const { content, sha } = await read();
  const text = Buffer.from(content, 'base64').toString();
  const write = (written: string, over?: string) =>
    repos.createOrUpdateFileContents({
      ...HERE,
      path,
      message: `Write ${path}`,
      content: Buffer.from(written).toString('base64'),
      ...(over === undefined ? {} : { sha: over }),
    });
  const changed = change(text);
  if (changed === undefined) await repos.deleteFile({ ...HERE, path, message: `Delete ${path}`, sha });
  else await write(changed, sha);
  await checked(stage.github, 'success');
  return async () => {
    await write(text, changed === undefined ? undefined : (await read()).sha);
    await checked(stage.github, 'success');
  };
};

const environment = (policy: object | undefined) => async () => {
  const { repos } = stage.github.as('alice').rest;
  const name = { ...HERE, environment_name: 'loopwright' };
  await repos.deleteAnEnvironment(name);
  if (policy !== undefined) await repos.createOrUpdateEnvironment({ ...name, ...policy });
  return async () => {
    const named = { protected_branches: false, custom_branch_policies: true };
    await repos.createOrUpdateEnvironment({ ...name, deployment_branch_policy: named });
    await repos.createDeploymentBranchPolicy({ ...name, name: 'main' });
  };
};
const NAMED = { deployment_branch_policy: { protected_branches: false, custom_branch_policies: true } };

const otherKey = async (): Promise<string> => {
  const { generateKeyPairSync } = await import('node:crypto');
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  }).privateKey;
};
const KEY_OF_ANOTHER = await otherKey();
const NOBODY = `http://127.0.0.1:${await freePort()}`;
const stranger = createServer((_, response) => response.end('<h1>It works!</h1>'));
const STRANGER = await listening(stranger);
afterAll(() => void stranger.close());

const MISSTEPS: readonly Misstep[] = [
  {
    what: 'a variable that is not set',
    variables: { WEBHOOK_SECRET: undefined },
    row: 'settings/WEBHOOK_SECRET',
    state: 'missing',
    says: 'WEBHOOK_SECRET is not set.',
    remedy: /^Write the secret that is set for the App's webhook on GitHub\.$/,
  },
  {
    what: 'a price that is no price',
    variables: { LLM_PRICE: '0,25' },
    row: 'settings/LLM_PRICE',
    says: 'LLM_PRICE is "0,25".',
    remedy: /0\.25\/2/,
  },
  {
    what: 'a file for a secret that cannot be read',
    variables: { LLM_API_KEY: undefined, LLM_API_KEY_FILE: '/nowhere/key' },
    row: 'settings/LLM_API_KEY_FILE',
    says: 'LLM_API_KEY_FILE gives no secret: the file /nowhere/key cannot be read (ENOENT).',
    remedy: /^Name one that this user may read\.$/,
  },
  {
    what: 'a command for a secret that fails',
    variables: { WEBHOOK_SECRET: undefined, WEBHOOK_SECRET_COMMAND: 'exit 3' },
    row: 'settings/WEBHOOK_SECRET_COMMAND',
    says: 'WEBHOOK_SECRET_COMMAND gives no secret: its command ended with 3.',
    remedy: /^Run it in a shell to see why\.$/,
  },
  {
    what: 'a secret that is given twice',
    variables: { LLM_API_KEY_FILE: '/nowhere/key' },
    row: 'settings/LLM_API_KEY',
    says: 'LLM_API_KEY is given by LLM_API_KEY and LLM_API_KEY_FILE.',
    remedy: /^Unset all but one of them\.$/,
  },
  {
    what: 'a missing folder of skills',
    variables: { SKILLS_DIR: '/nowhere/skills' },
    row: 'settings/skills',
    says: /\/nowhere\/skills/,
    remedy: /unset the variable/,
  },
  {
    what: 'guardrails that cannot be read',
    variables: { GUARDRAILS_FILE: '/nowhere/guardrails.yaml' },
    row: 'settings/guardrails',
    says: /\/nowhere\/guardrails\.yaml/,
    remedy: /unset the variable/,
  },
  {
    what: 'the key of another App',
    variables: { PRIVATE_KEY: KEY_OF_ANOTHER },
    row: 'App/credentials',
    says: 'GitHub does not accept them: PRIVATE_KEY is no key of the App with this APP_ID.',
    remedy: /^Make a private key on the App's page/,
  },
  {
    what: 'the id of another App',
    variables: { APP_ID: '77' },
    row: 'App/credentials',
    says: 'GitHub does not accept them: there is no App with this APP_ID.',
    remedy: /number on the App's page/,
  },
  {
    what: 'another name of the App',
    variables: { APP_SLUG: 'builder' },
    row: 'App/name',
    says: 'GitHub calls the App `loopwright`, and APP_SLUG is `builder`: it would not know its own comments.',
    remedy: /^Set APP_SLUG to `loopwright`\.$/,
  },
  {
    what: 'a permission that the App does not ask for',
    arranged: { ...RIGHT, permissions: { ...PERMISSIONS, checks: 'read' } },
    row: 'App/permissions',
    state: 'missing',
    says: '`checks: write` is missing.',
    remedy: /those of app\.yml/,
  },
  {
    what: 'a permission too much',
    arranged: { ...RIGHT, permissions: { ...PERMISSIONS, workflows: 'write' } },
    row: 'App/permissions',
    says: '`workflows: write` is superfluous.',
    remedy: /those of app\.yml/,
  },
  {
    what: 'an event that the App does not hear',
    arranged: { ...RIGHT, events: ['issues', 'push'] },
    row: 'App/events',
    state: 'missing',
    says: /^`issue_comment`, `pull_request`, .* are missing\.$/,
    remedy: /subscribes to/,
  },
  {
    what: 'a webhook to another address',
    act: async () => {
      stage.github.server.setWebhookUrl(`${STRANGER}/hook`);
      return async () => stage.github.server.setWebhookUrl(`${stage.environment.PUBLIC_URL}/api/github/webhooks`);
    },
    row: 'webhook/address',
    says: /^GitHub sends them to .*\/hook, and PUBLIC_URL means .*\/api\/github\/webhooks\.$/,
    remedy: /^Set the webhook address of the App to .*\/api\/github\/webhooks, and switch it to active\.$/,
  },
  {
    what: 'a webhook without a secret',
    arranged: { ...RIGHT, hasWebhookSecret: false },
    row: 'webhook/secret',
    state: 'missing',
    says: /^GitHub signs no webhook/,
    remedy: /WEBHOOK_SECRET/,
  },
  {
    what: 'a webhook whose certificate nobody checks',
    arranged: { ...RIGHT, checksCertificate: false },
    row: 'webhook/secret',
    says: /certificate/,
    remedy: /SSL verification/,
  },
  {
    what: 'a webhook that finds nobody',
    act: async () => {
      await stage.github.local('POST', '/faults', { webhook: '*', does: 'drop' }, 'alice');
      await stage.deliver();
      return async () => {
        await stage.github.local('DELETE', '/faults', undefined, 'alice');
        await stage.deliver();
      };
    },
    row: 'webhook/deliveries',
    says: /^The newest one \(issues\.opened at .*\) did not arrive: failed to connect to host\.$/,
    remedy: /^Start the App/,
  },
  {
    what: 'an address at which nobody listens',
    variables: { PUBLIC_URL: NOBODY },
    act: async () => {
      stage.github.server.setWebhookUrl(`${NOBODY}/api/github/webhooks`);
      return async () => stage.github.server.setWebhookUrl(`${stage.environment.PUBLIC_URL}/api/github/webhooks`);
    },
    row: 'gateway/PUBLIC_URL from here',
    state: 'missing',
    says: `${NOBODY} gives no answer (ECONNREFUSED): the App does not run, or runs elsewhere.`,
    remedy: /^Start the App with `npm start`, or correct PUBLIC_URL\.$/,
  },
  {
    what: 'an address at which somebody else listens',
    variables: { PUBLIC_URL: STRANGER },
    act: async () => {
      stage.github.server.setWebhookUrl(`${STRANGER}/api/github/webhooks`);
      return async () => stage.github.server.setWebhookUrl(`${stage.environment.PUBLIC_URL}/api/github/webhooks`);
    },
    row: 'gateway/PUBLIC_URL from here',
    says: `${STRANGER} answers with 200, and that is not the App.`,
    remedy: /correct PUBLIC_URL/,
  },
  {
    what: 'an App that is not installed',
    arranged: { ...RIGHT, isInstalled: false },
    row: 'repository/installation',
    state: 'missing',
    says: 'The App is not installed on alice/toys, or there is no such repository.',
    remedy: /^Install it there: .*\/apps\/loopwright\/installations\/new$/,
  },
  {
    what: 'a suspended installation',
    arranged: { ...RIGHT, isSuspended: true },
    row: 'repository/installation',
    says: 'The installation on alice/toys is suspended.',
    remedy: /^Unsuspend it: .*\/settings\/installations\/5001$/,
  },
  {
    what: 'permissions that nobody has accepted yet',
    arranged: { ...RIGHT, accepted: { ...PERMISSIONS, actions: 'read', statuses: undefined } },
    row: 'repository/accepted permissions',
    state: 'missing',
    says: 'The installation has not accepted `actions: write` and `statuses: read` yet.',
    remedy: /\/settings\/installations\/5001$/,
  },
  {
    what: 'an archived repository',
    arranged: { ...RIGHT, isArchived: true },
    row: 'repository/state',
    says: 'It is archived: nobody can change anything in it.',
    remedy: /^Unarchive it/,
  },
  {
    what: 'a repository without issues',
    arranged: { ...RIGHT, hasIssues: false },
    row: 'repository/issues',
    state: 'missing',
    says: 'It has no issues, so there is nothing to set the label on.',
    remedy: /^Switch issues on/,
  },
  {
    what: 'a red base',
    act: async () => {
      await checked(stage.github, 'failure');
      return () => checked(stage.github, 'success');
    },
    row: 'repository/base',
    says: /^`main` \([0-9a-f]{7}\) is red: `ci` failed\. A loop begins with a green base/,
    remedy: /^Make the default branch green\.$/,
  },
  {
    what: 'a base that failed its trial',
    act: async () => {
      await tried(stage.github, 'failure', 'The base is flaky');
      return () => tried(stage.github, 'success', 'All is there');
    },
    row: 'repository/trial',
    says: '`loopwright / setup` on `main`: The base is flaky.',
    remedy: /^Do what it says: http/,
  },
  {
    what: 'a base that is still being checked',
    act: async () => {
      await checked(stage.github, 'pending');
      return () => checked(stage.github, 'success');
    },
    row: 'repository/base',
    state: 'unknown',
    says: /^Checks of `main` \([0-9a-f]{7}\) are at work: `ci`\.$/,
    remedy: /^Ask again/,
  },
  {
    what: 'no workflow file',
    act: file('.github/workflows/loopwright-verify.yml', () => undefined),
    row: 'files/loopwright-verify.yml',
    state: 'missing',
    says: '.github/workflows/loopwright-verify.yml is not on the default branch.',
    remedy: /^Run `loopwright init` in a checkout/,
  },
  {
    what: 'an older workflow file',
    act: file('.github/workflows/loopwright-build.yml', (text) => text.replaceAll(', id-token: write', '')),
    row: 'files/loopwright-build.yml',
    says: /^\.github\/workflows\/loopwright-build\.yml is not as this version writes it: it is older, or was changed, first in line \d+; only `runs-on`/,
    remedy: /^Run `loopwright init --force` in a checkout/,
  },
  {
    what: 'another action of the jobs',
    act: file('.github/actions/loopwright-job/action.yml', (text) => text.replaceAll('sha256sum', 'true')),
    row: 'files/job action',
    says: /^\.github\/actions\/loopwright-job\/action\.yml is not as this version writes it: it is older, or was changed, first in line \d+\.$/,
    remedy: /^Run `loopwright init --force` in a checkout/,
  },
  {
    what: 'no configuration',
    act: file('.github/loopwright.yml', () => undefined),
    row: 'files/loopwright.yml',
    state: 'missing',
    says: '.github/loopwright.yml is not on the default branch.',
    remedy: /^Run `loopwright init`/,
  },
  {
    what: 'a configuration with an unknown key',
    act: file('.github/loopwright.yml', (text) => `${text}gate: none\n`),
    row: 'files/loopwright.yml',
    says: 'config .github/loopwright.yml, line 5, column 1: "gate" is not a known key; remove it.',
    remedy: /^Correct \.github\/loopwright\.yml/,
  },
  {
    what: 'a configuration that takes from a set-up action which is not there',
    act: file('.github/loopwright.yml', () =>
      CONFIG.replace('  test:', '  install: cp -R "$LOOPWRIGHT_SETUP/." .\n  test:'),
    ),
    row: 'files/set-up action',
    state: 'missing',
    says: /action\.yml is not on the default branch/,
    remedy: /^Run `loopwright init`/,
  },
  {
    what: 'a workflow that somebody has switched off',
    arranged: { ...RIGHT, workflowsOff: ['loopwright-build.yml'] },
    row: 'files/switched on',
    says: 'Actions do not run `loopwright-build.yml`: switched off.',
    remedy: /^Enable the workflow/,
  },
  {
    what: 'a default branch that nothing protects',
    arranged: {},
    row: 'rules/pull requests',
    state: 'missing',
    says: 'Not enforced by GitHub: nothing requires a pull request to change `main`, and `contents: write` includes merging.',
    remedy: /^Make a ruleset for `main`/,
  },
  {
    what: 'a protection that only owners see',
    arranged: { protectedBy: [] },
    row: 'rules/pull requests',
    state: 'unknown',
    says: /only owners can see\.$/,
    remedy: /settings\/branches$/,
  },
  {
    what: 'a ruleset that the App can bypass',
    arranged: { ...RIGHT, canBypass: 'always' },
    row: 'rules/pull requests',
    says: 'A ruleset requires a pull request to change `main`, and the App can bypass it.',
    remedy: /^Take the App out of its bypass list/,
  },
  {
    what: 'a ruleset that asks for nobody’s approval',
    arranged: {
      rules: RIGHT.rules.map(({ type, parameters }) => ({
        type,
        parameters: { ...parameters, required_approving_review_count: 0 },
      })),
    },
    row: 'rules/pull requests',
    says: /nobody's approval: whoever may write could merge alone, the App too\.$/,
    remedy: /one approval/,
  },
  {
    what: 'a required check that no loop reports on its pull request',
    arranged: withRules([requiring('loopwright / setup')]),
    row: 'rules/required checks',
    says: '`main` requires `loopwright / setup`, which loops do not report on their pull requests: those cannot be merged.',
    remedy: /^Take `loopwright \/ setup` out of the required checks/,
  },
  {
    what: 'the same by a protection of the old kind',
    arranged: { ...RIGHT, protectedBy: ['loopwright / proof'] },
    row: 'rules/required checks',
    says: /requires `loopwright \/ proof`/,
    remedy: /^Take `loopwright \/ proof` out/,
  },
  {
    what: 'a required check of ours that another App is to write',
    arranged: withRules([requiring('loopwright / evidence', 15_368)]),
    row: 'rules/required checks',
    says: '`main` requires `loopwright / evidence` of another App, so that nothing can be merged: what this one reports does not count.',
    remedy: /^Choose this App, or any source, for `loopwright \/ evidence`/,
  },
  {
    what: 'no environment',
    act: environment(undefined),
    row: 'rules/environment',
    state: 'missing',
    says: 'There is no environment `loopwright`; the first job would make one that every branch may use.',
    remedy: /^Make it, and name `main` alone as its deployment branch/,
  },
  {
    what: 'an environment for every branch',
    act: environment({}),
    row: 'rules/environment',
    says: 'Every branch may use the environment `loopwright`.',
    remedy: /^Edit it/,
  },
  {
    what: 'an environment without the default branch',
    act: environment(NAMED),
    row: 'rules/environment',
    says: '`main` may not use the environment `loopwright`, so no BUILD can begin.',
    remedy: /^Edit it/,
  },
  {
    what: 'a key that the model refuses',
    manner: { status: 401 },
    row: 'model/answers',
    says: 'It refuses the key: HTTP 401 (check the API key).',
    remedy: /LLM_API_KEY/,
  },
  {
    what: 'a model that the endpoint does not know',
    manner: { status: 404 },
    row: 'model/answers',
    says: /^It does not know the model/,
    remedy: /^Set LLM_MODEL/,
  },
  {
    what: 'an address of a web page for a model',
    manner: { page: true },
    row: 'model/answers',
    says: /^It gives nothing that can be used: /,
    remedy: /^Set LLM_BASE_URL/,
  },
  {
    what: 'a model that cannot be reached',
    variables: { LLM_BASE_URL: NOBODY },
    row: 'model/answers',
    says: 'It cannot be reached: no connection (ECONNREFUSED).',
    remedy: /^Start it, or correct LLM_BASE_URL\.$/,
  },
  {
    what: 'a model that wants to be paid',
    manner: { status: 402 },
    row: 'model/answers',
    says: 'It wants to be paid: HTTP 402 (check the credit of its account).',
    remedy: /^Pay there, or set LLM_API_KEY to a key of an account that has credit\.$/,
  },
  {
    what: 'a model that speaks no TLS where it is asked by it',
    variables: { LLM_BASE_URL: STRANGER.replace('http:', 'https:') },
    row: 'model/answers',
    says: 'It speaks no TLS: no connection (ERR_SSL_WRONG_VERSION_NUMBER).',
    remedy: /^Correct LLM_BASE_URL: begin it with http:/,
  },
  {
    what: 'an empty key beside a file for it that cannot be read',
    variables: { LLM_API_KEY: '', LLM_API_KEY_FILE: '/nowhere/key' },
    row: 'settings/LLM_API_KEY_FILE',
    says: /^LLM_API_KEY_FILE gives no secret/,
    remedy: /^Name one that this user may read\.$/,
  },
  {
    what: 'a model that fails',
    manner: { status: 503 },
    row: 'model/answers',
    state: 'unknown',
    says: /HTTP 503/,
    remedy: /^Ask again later/,
  },
  {
    what: 'a model that says nothing for long',
    manner: { delayMs: 400 },
    options: { modelWithinMs: 100 },
    row: 'model/answers',
    state: 'unknown',
    says: 'It gave no answer that tells: no answer within 0.1 s.',
    remedy: /^Ask again later/,
  },
  {
    what: 'a model that does not stream',
    manner: { whole: true },
    row: 'model/streams',
    says: /^Its answers come whole/,
    remedy: /`stream: true`/,
  },
  {
    what: 'a model that calls no tool',
    manner: { withoutTool: true },
    row: 'model/tools',
    says: 'It calls no tool, and BUILD works by tools alone.',
    remedy: /LLM_MODEL/,
  },
  {
    what: 'a model that does not say what it took',
    manner: { withoutUsage: true },
    row: 'model/usage',
    says: /^It does not say how many tokens/,
    remedy: /include_usage/,
  },
  {
    what: 'a price that nobody has named',
    variables: { LLM_PRICE: undefined },
    row: 'model/price',
    state: 'unknown',
    says: /^What it costs is not known/,
    remedy: /^Set LLM_PRICE/,
  },
  {
    what: 'authored answers of a model elsewhere',
    variables: { LOOPWRIGHT_SCRIPTED: 'true', LLM_BASE_URL: 'https://models.example/v1' },
    row: 'settings/scripted model',
    says: /LLM_BASE_URL leads to models\.example\.$/,
    remedy: /^Unset LOOPWRIGHT_SCRIPTED\.$/,
  },
  {
    what: 'a database that is not there',
    variables: { DATABASE_URL: 'postgres://loop:geheim-wachtwoord-77@127.0.0.1:9/loops' },
    row: 'machine/database',
    says: /^The database cannot be used: .*ECONNREFUSED/,
    remedy: /^Correct DATABASE_URL/,
  },
  {
    what: 'a database of an unknown kind',
    variables: { DATABASE_URL: 'mysql://loop@db/loops' },
    row: 'machine/database',
    says: 'DATABASE_URL is neither a directory nor a postgres:// address.',
    remedy: /^Write one of the two/,
  },
  {
    what: 'a machine without a sandbox, on which jobs run',
    options: { sandboxProblem: async () => 'bubblewrap is not installed.' },
    row: 'machine/sandbox',
    state: 'missing',
    says: 'bubblewrap is not installed.',
    remedy: /apt-get install -y bubblewrap socat ripgrep/,
  },
];

describe('a required check of ours', () => {
  const EVIDENCE = 'loopwright / evidence';
  const told = async (arranged: object): Promise<Row | undefined> => {
    await stage.arrange(arranged);
    const report = await examined(stage);
    await stage.arrange(RIGHT);
    return rowOf(report, 'rules/required checks');
  };

  test('is as it must be: where a pull request is no loop’s the App reports it as neutral', async () => {
    expect(await told(withRules([requiring(EVIDENCE)]))).toMatchObject({
      state: 'ok',
      sentence:
        "`main` requires `loopwright / evidence`; on pull requests that are no loop's the App reports it as neutral, which GitHub lets pass.",
    });
    expect(await told({ ...RIGHT, protectedBy: [EVIDENCE] })).toMatchObject({ state: 'ok' });
  });

  test('is so beside a merge queue too, of whose groups the App is told', async () => {
    const row = await told(withRules([requiring(EVIDENCE), QUEUE]));
    expect(row).toMatchObject({ state: 'ok', sentence: expect.stringContaining("no loop's and on merge groups the") });
  });

  test.each([
    ['permission', { accepted: { ...PERMISSIONS, merge_queues: undefined } }, /has not accepted `merge_queues: read`/],
    ['event', { events: ['issues'] }, /because it does not subscribe to `merge_group`/],
  ])('is waited for in vain by a queue where the App lacks the %s', async (_, lacking, because) => {
    const row = await told(withRules([requiring(EVIDENCE), QUEUE], lacking));
    expect(row).toMatchObject({ state: 'wrong', sentence: expect.stringMatching(because) });
    expect(row?.sentence).toMatch(/the queue waits in vain, and nothing can be merged\.$/);
    expect(row?.remedy).toMatch(/; until then take `loopwright \/ evidence` out of the required checks: /);
    expect(await told({ ...RIGHT, rules: [...RIGHT.rules, QUEUE], ...lacking })).toMatchObject({ state: 'ok' });
  });
});

/** Rows that have tests of their own, here and in looks.test.ts. */
const TOLD_ELSEWHERE = [
  'settings/variables',
  'repository/drafts',
  'files/allowed actions',
  'gateway/PUBLIC_URL from a run',
];

test('every row is seen not to be ok by some test', () => {
  const rows = right.rows.map(({ area, subject }) => `${area}/${subject}`);
  const missteps = MISSTEPS.map(({ row }) => row);
  expect(rows.filter((row) => !missteps.includes(row) && !TOLD_ELSEWHERE.includes(row))).toEqual([]);
});

/** What has nothing to do with a repository is looked at without one, which is quicker. */
function withoutRepository(row: string): Partial<PatientOptions> {
  return /^(?:settings|webhook|model|machine)\//.test(row) ? { place: undefined } : {};
}

describe.each(MISSTEPS)('with $what', ({ row, says, remedy, state = 'wrong', ...misstep }) => {
  test(`${row} is ${state}, with its remedy, and nothing else is`, async () => {
    const { variables, arranged, manner = {}, options, act } = misstep;
    if (arranged !== undefined) await stage.arrange(arranged);
    stage.model.manner = manner;
    const undo = await act?.();
    const report = await examined(stage, variables, { ...withoutRepository(row), ...options });
    await undo?.();
    stage.model.manner = {};
    if (arranged !== undefined) await stage.arrange(RIGHT);
    expect(rowOf(report, row)).toMatchObject({ state });
    expect(rowOf(report, row)?.sentence).toMatch(says);
    expect(rowOf(report, row)?.remedy).toMatch(remedy);
    const others = report.rows.filter((one) => `${one.area}/${one.subject}` !== row);
    expect(others.filter((one) => one.state === 'missing' || one.state === 'wrong').map(lineOf)).toEqual([]);
    const text = JSON.stringify(report);
    for (const secret of [KEY, 'geheim-wachtwoord-77', stage.environment.WEBHOOK_SECRET ?? ''])
      expect(text).not.toContain(secret);
    expect(text).not.toContain('PRIVATE KEY-----');
  });
});

describe('a GitHub that gives no answer to be believed', () => {
  const FAULTS: readonly (readonly [string, object, RegExp])[] = [
    ['fails', { route: '*', by: 'app', status: 502 }, /GitHub answered 502/],
    ['is slow', { route: '*', by: 'app', delayMs: 15_000 }, /got no answer/],
    ['breaks off', { route: '*', by: 'app', cut: true }, /got no answer/],
    [
      'takes no more requests',
      {
        route: '*',
        by: 'app',
        status: 403,
        headers: { 'retry-after': '900' },
        body: { message: 'You have exceeded a secondary rate limit' },
      },
      /takes no more requests for now/,
    ],
  ];
  test.each(FAULTS)('that %s makes what it was asked for unknown, neither ok nor wrong', async (_, fault, words) => {
    await stage.github.local('POST', '/faults', fault, 'alice');
    const report = await examined(stage, {}, { withinMs: 3000 });
    await stage.github.local('DELETE', '/faults', undefined, 'alice');
    expect(report.counts).toMatchObject({ missing: 0, wrong: 0 });
    const asked = report.rows.filter(({ area }) => ['App', 'webhook', 'repository', 'files', 'rules'].includes(area));
    expect(asked.filter(({ state }) => state !== 'unknown').map(lineOf)).toEqual([]);
    expect(rowOf(report, 'App/credentials')?.sentence).toMatch(words);
    expect(rowOf(report, 'files/loopwright.yml')?.sentence).toMatch(words);
    expect(rowOf(report, 'machine/database')?.state).toBe('ok');
  });

  test('which fails on one request alone makes that row alone unknown', async () => {
    const fault = { route: '/repos/{owner}/{repo}/environments/{environment_name}', by: 'app', status: 500 };
    // The default branch has moved since.
    await tried(stage.github, 'success', 'All is there');
    await stage.github.local('POST', '/faults', fault, 'alice');
    const report = await examined(stage);
    await stage.github.local('DELETE', '/faults', undefined, 'alice');
    const changed = report.rows.filter((row) => rowOf(right, `${row.area}/${row.subject}`)?.state !== row.state);
    expect(changed.map(({ subject, state }) => `${subject} ${state}`)).toEqual(['environment unknown']);
  });

  test('which answers 404 to an App that it does not know, as github.com does, means APP_ID', async () => {
    const fault = { route: '/app', by: 'anybody', status: 404, body: { message: 'Integration not found' } };
    await stage.github.local('POST', '/faults', fault, 'alice');
    const report = await examined(stage);
    await stage.github.local('DELETE', '/faults', undefined, 'alice');
    expect(rowOf(report, 'App/credentials')?.remedy).toContain('APP_ID');
    expect(rowOf(report, 'App/credentials')?.state).toBe('wrong');
  });

  test('which is not there at all is told as that', async () => {
    const report = await examined(stage, { GITHUB_API_URL: `${NOBODY}/api/v3` });
    expect(rowOf(report, 'App/credentials')).toMatchObject({ state: 'wrong' });
    expect(rowOf(report, 'App/credentials')?.sentence).toContain(`${NOBODY}/api/v3: the connection is refused.`);
    expect(rowOf(report, 'App/credentials')?.remedy).toContain('GITHUB_API_URL');
  });

  test.each([
    [
      'speaks no TLS where it is asked by it',
      STRANGER.replace('http:', 'https:'),
      /^What answers at .* speaks no TLS \(ERR_SSL_\w+\)\.$/,
      /^Correct GITHUB_API_URL: begin it with http:\/\/, or name the port that speaks TLS\.$/,
    ],
    [
      'stands at a port that no fetch connects to',
      'http://127.0.0.1:6000',
      / has a port that the App does not connect to/,
      /^Correct GITHUB_API_URL/,
    ],
  ])('which %s is told as a wrong address, and once', async (_, address, sentence, remedy) => {
    const report = await examined(stage, { GITHUB_API_URL: `${address}/api/v3` });
    expect(rowOf(report, 'App/credentials')).toMatchObject({
      state: 'wrong',
      sentence: expect.stringMatching(sentence),
      remedy: expect.stringMatching(remedy),
    });
    expect(rowOf(report, 'App/permissions')).toMatchObject({
      state: 'unknown',
      sentence: 'Not looked at, because GitHub cannot be asked at GITHUB_API_URL.',
    });
    expect(JSON.stringify(report)).not.toMatch(/SSL routines|openssl/);
  });

  test('behind something that answers everything with a page is unknown', async () => {
    const report = await examined(stage, { GITHUB_API_URL: `${STRANGER}/api/v3` });
    const asked = report.rows.filter(({ area }) => ['App', 'webhook', 'repository', 'files', 'rules'].includes(area));
    expect(asked.filter(({ state }) => state !== 'unknown').map(lineOf)).toEqual([]);
    expect(rowOf(report, 'App/credentials')?.sentence).toContain('is not GitHub');
  });

  test('that says pages is not repeated whole', async () => {
    const fault = { route: '/app', by: 'anybody', status: 404, body: `<!DOCTYPE html>${'<p>page</p>'.repeat(500)}` };
    await stage.github.local('POST', '/faults', fault, 'alice');
    const report = await examined(stage);
    await stage.github.local('DELETE', '/faults', undefined, 'alice');
    for (const { sentence } of report.rows) expect(sentence.length).toBeLessThan(700);
  });

  test('whose API is elsewhere is told as a wrong address', async () => {
    const report = await examined(stage, { GITHUB_API_URL: `${stage.github.server.url}/nowhere` });
    expect(rowOf(report, 'App/credentials')).toMatchObject({ state: 'wrong' });
    expect(rowOf(report, 'App/credentials')?.sentence).toContain("is no address of GitHub's API");
  });
});

test('an address within a network is none that github.com reaches', async () => {
  const report = await examined(stage, { GITHUB_API_URL: 'https://api.github.com', APP_ID: undefined });
  expect(rowOf(report, 'gateway/PUBLIC_URL from a run')).toMatchObject({ state: 'wrong' });
  expect(rowOf(report, 'gateway/PUBLIC_URL from a run')?.sentence).toContain('127.0.0.1');
});

test('a workflow that runs elsewhere, and shorter, is as this version writes it', async () => {
  const path = '.github/workflows/loopwright-build.yml';
  const undo = await file(path, (text) => text.replaceAll('runs-on: ubuntu-latest', 'runs-on: [self-hosted, big]'))();
  const report = await examined(stage);
  await undo();
  expect(rowOf(report, 'files/loopwright-build.yml')).toMatchObject({ state: 'ok' });
});

test('where the App may see which actions are allowed, that is told', async () => {
  const permissions = { ...PERMISSIONS, administration: 'read' };
  const seen = async (actions: object) => {
    await stage.arrange({ ...RIGHT, permissions, actions });
    return rowOf(await examined(stage), 'files/allowed actions');
  };
  expect(await seen({ enabled: true, allowed_actions: 'all' })).toMatchObject({ state: 'ok' });
  expect(await seen({ enabled: true, allowed_actions: 'selected' })).toMatchObject({ state: 'unknown' });
  expect(await seen({ enabled: true, allowed_actions: 'local_only' })).toMatchObject({ state: 'wrong' });
  expect(await seen({ enabled: false })).toMatchObject({
    state: 'wrong',
    sentence: 'Actions are disabled in this repository.',
  });
  await stage.arrange(RIGHT);
});

test('without a repository it looks at the rest', async () => {
  const report = await examined(stage, {}, { place: undefined });
  expect(new Set(report.rows.map(({ area }) => area))).toEqual(
    new Set(['settings', 'App', 'webhook', 'gateway', 'model', 'machine']),
  );
  expect(report.counts).toMatchObject({ missing: 0, wrong: 0 });
});

test.each<Manner>([
  {},
  { status: 401 },
  { status: 404 },
  { status: 503 },
  { page: true },
  { whole: true, withoutTool: true, withoutUsage: true },
])('says of a model (%j) word for word what the check of a repository says', async (manner) => {
  stage.model.manner = manner;
  const told = await examined(stage, {}, { place: undefined });
  const asked = await askModel({
    ...{ baseUrl: stage.model.url, model: 'tool-model', apiKey: KEY, silenceMs: 120_000, by: 'setup' as const },
  });
  stage.model.manner = {};
  const rows = told.rows.filter(({ area }) => area === 'model').map(({ sentence, remedy }) => ({ sentence, remedy }));
  const { findings } = modelVerdict(asked);
  for (const { sentence, remedy } of findings) expect(rows).toContainEqual({ sentence, remedy });
});

test('a key from a command is used, and shown no more than another', async () => {
  stage.model.manner = { status: 401 };
  const report = await examined(stage, {
    LLM_API_KEY: undefined,
    LLM_API_KEY_COMMAND: `echo ${KEY}-of-a-vault`,
    LLM_PRICE: `${KEY}-of-a-vault`,
  });
  stage.model.manner = {};
  expect(rowOf(report, 'settings/LLM_PRICE')?.sentence).toBe('LLM_PRICE is "[secret removed]".');
  expect(JSON.stringify(report)).not.toContain(KEY);
});

test('a key whose line breaks are written \\n is a key', async () => {
  const report = await examined(stage, { PRIVATE_KEY: stage.environment.PRIVATE_KEY?.replaceAll('\n', '\\n') });
  expect(rowOf(report, 'App/credentials')).toMatchObject({ state: 'ok' });
});

describe.each([
  ['enterprise-server', 'enterprise-server', 'ok'],
  ['github.com', 'enterprise-server', 'wrong'],
  ['enterprise-server', 'newest', 'wrong'],
] as const)('workflows for %s on %s', (server, profile, state) => {
  test(`are ${state}`, async () => {
    const other = await startRightStage(server, profile);
    try {
      const report = await examined(other);
      const row = rowOf(report, 'files/loopwright-build.yml');
      expect(row).toMatchObject({ state });
      if (state === 'ok') return;
      expect(row?.sentence).toContain(
        server === 'github.com' ? 'is for github.com' : 'is for a GitHub Enterprise Server',
      );
      expect(row?.remedy).toContain(
        profile === 'newest' ? 'loopwright init --force' : 'loopwright init --enterprise-server --force',
      );
    } finally {
      await other.close();
    }
  });
});
