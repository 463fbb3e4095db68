/** A set-up in which nothing is missing: the embedded GitHub, the App's own doors, and a model that calls tools. */

import { createServer, type RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { pino } from 'pino';
import { systemClock } from '../../src/adapters/clock.ts';
import { examine, type Report } from '../../src/doctor/doctor.ts';
import type { PatientOptions } from '../../src/doctor/patient.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import { createWebhooks, WEBHOOK_PATH } from '../../src/intake/webhooks.ts';
import type { ProfileName } from '../../src/local/profile.ts';
import { examinedEnvironment } from '../../src/settings/env.ts';
import { type Server, setupText } from '../../src/settings/setup-files.ts';
import { eventually } from '../eventually.ts';
import { listening } from '../listening.ts';
import { type Stage as GitHubStage, HERE, jwtOf, octokit, startStage as startGitHub } from '../local/server.ts';
import { JOB } from '../prepared.ts';
import { startToolModel, type ToolModel } from './tool-model.ts';

export const CONFIG = 'version: 1\ncommands:\n  test: npm test\n  runner: node-test\n';
export const KEY = 'kanarie-7f3a9c51e2b84d06';
const RULES = [
  {
    type: 'pull_request',
    parameters: {
      dismiss_stale_reviews_on_push: false,
      require_code_owner_review: false,
      require_last_push_approval: false,
      required_approving_review_count: 1,
      required_review_thread_resolution: false,
    },
  },
];
/** What people have arranged on GitHub where all is right. */
export const RIGHT = { rules: RULES };

export interface Stage {
  readonly github: GitHubStage;
  readonly model: ToolModel;
  readonly environment: Readonly<Record<string, string>>;
  /** What is arranged on GitHub, as a whole. */
  readonly arrange: (arranged: object) => Promise<void>;
  /** Has GitHub bring a webhook, and waits for what came of it. */
  readonly deliver: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The doors of the App, as a process of it has them. */
async function startDoors(github: GitHubStage) {
  const listener: { now: RequestListener } = { now: (_, response) => response.writeHead(503).end() };
  const server = createServer((request, response) => listener.now(request, response));
  const url = await listening(server);
  const { appId, privateKey, webhookSecret } = github.server.credentials;
  const webhooks = await createWebhooks({
    appId,
    privateKey,
    webhookSecret,
    apiUrl: `${github.server.url}/api/v3`,
    fetch,
    ports: { clock: systemClock, self: 'loopwright[bot]', store: { receive: async () => true } },
    log: pino({ level: 'silent' }),
  });
  const store = {
    load: async () => undefined,
    pullProof: async () => undefined,
    onboarding: async () => undefined,
    putBlob: async () => '',
    blob: () => Promise.reject(new Error('no blobs')),
    offerJob: async () => `sha256:${'1'.repeat(64)}`,
    job: async () => undefined,
  };
  const { app } = await createGateway({ url, store, jobBundle: JOB });
  const rest = getRequestListener(app.fetch);
  listener.now = (request, response) =>
    request.url?.startsWith(WEBHOOK_PATH) ? webhooks(request, response) : void rest(request, response);
  return {
    url,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** With workflow files for a GitHub, on the one that they are for if nothing else is said. */
export async function startRightStage(
  server: Server = 'github.com',
  profile: ProfileName = server === 'github.com' ? 'newest' : server,
): Promise<Stage> {
  const ours = (...place: readonly string[]) => setupText(place, server);
  const github = await startGitHub({
    files: {
      '.github/loopwright.yml': CONFIG,
      '.github/workflows/loopwright-build.yml': await ours('workflows', 'loopwright-build.yml'),
      '.github/workflows/loopwright-verify.yml': await ours('workflows', 'loopwright-verify.yml'),
      '.github/actions/loopwright-job/action.yml': await ours('actions', 'loopwright-job', 'action.yml'),
    },
    profile,
    executeWorkflow: async () => ({ title: 'loopwright-build', conclusion: 'success', jobs: [] }),
  });
  const [doors, model] = [await startDoors(github), await startToolModel()];
  github.server.setWebhookUrl(`${doors.url}${WEBHOOK_PATH}`);
  const alice = github.as('alice');
  await alice.rest.issues.createLabel({ ...HERE, name: 'loop' });
  await alice.rest.repos.createOrUpdateEnvironment({
    ...HERE,
    environment_name: 'loopwright',
    deployment_branch_policy: { protected_branches: false, custom_branch_policies: true },
  });
  await alice.rest.repos.createDeploymentBranchPolicy({ ...HERE, environment_name: 'loopwright', name: 'main' });
  await checked(github, 'success');
  await tried(github, 'success', 'All is there');
  await ran(github);
  const { appId, privateKey, webhookSecret } = github.server.credentials;
  const arrange = async (arranged: object) => void (await github.local('PATCH', '/switches', { arranged }));
  await arrange(RIGHT);
  const deliver = () => delivered(github);
  await deliver();
  return {
    github,
    model,
    arrange,
    deliver,
    environment: {
      APP_ID: String(appId),
      PRIVATE_KEY: privateKey,
      WEBHOOK_SECRET: webhookSecret,
      GITHUB_API_URL: `${github.server.url}/api/v3`,
      PUBLIC_URL: doors.url,
      DATABASE_URL: `${github.directory}/database`,
      LLM_BASE_URL: model.url,
      LLM_MODEL: 'tool-model',
      LLM_API_KEY: KEY,
      LLM_PRICE: '1/4',
    },
    close: async () => {
      doors.close();
      model.close();
      await github.close();
    },
  };
}

/** Somebody else's word about the head of the default branch. */
export async function checked(github: GitHubStage, state: 'success' | 'failure' | 'pending'): Promise<void> {
  const alice = github.as('alice');
  const { data } = await alice.rest.git.getRef({ ...HERE, ref: 'heads/main' });
  await alice.rest.repos.createCommitStatus({ ...HERE, sha: data.object.sha, state, context: 'ci' });
}

/** Has the App say on the default branch's head what it does where a repository is set up. */
export async function tried(github: GitHubStage, conclusion: 'success' | 'failure', title: string): Promise<void> {
  const { data } = await github.as('alice').rest.git.getRef({ ...HERE, ref: 'heads/main' });
  const app = await github.asApp();
  await app.rest.checks.create({
    ...{ ...HERE, name: 'loopwright / setup', head_sha: data.object.sha, status: 'completed' as const, conclusion },
    output: { title, summary: 'As the App says it.' },
  });
}

async function ran(github: GitHubStage): Promise<void> {
  const alice = github.as('alice');
  const names = ['loop', 'entry', 'phase', 'candidate', 'base', 'job', 'brief', 'app'];
  await alice.rest.actions.createWorkflowDispatch({
    ...HERE,
    workflow_id: 'loopwright-build.yml',
    ref: 'main',
    inputs: Object.fromEntries(names.map((name) => [name, 'x'])),
  });
  await eventually(async () => {
    const { data } = await alice.rest.actions.listWorkflowRunsForRepo({ ...HERE, status: 'success' });
    return data.total_count > 0;
  }, 'the run has ended');
}

async function delivered(github: GitHubStage): Promise<void> {
  const { url, credentials } = github.server;
  const app = octokit(url, jwtOf(credentials));
  const newest = async () => (await app.rest.apps.listWebhookDeliveries({ per_page: 1 })).data[0]?.id ?? 0;
  const before = await newest();
  await github.as('alice').rest.issues.create({ ...HERE, title: 'Hear' });
  await eventually(async () => (await newest()) > before, 'the webhook was tried');
}

/** What the doctor says of the stage, with other variables where they are named; undefined takes one away. */
export async function examined(
  stage: Stage,
  changes: Readonly<Record<string, string | undefined>> = {},
  options: Partial<PatientOptions> = {},
): Promise<Report> {
  const variables = Object.fromEntries(
    Object.entries({ ...stage.environment, ...changes }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
  const before = process.env;
  process.env = variables;
  const environment = examinedEnvironment();
  process.env = before;
  return examine({
    environment,
    place: { owner: HERE.owner, repo: HERE.repo },
    sandboxProblem: async () => undefined,
    // No measurements: a machine that does much else is waited for.
    withinMs: 120_000,
    modelWithinMs: 120_000,
    ...options,
  });
}
