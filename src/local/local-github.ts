/** The embedded GitHub: REST, webhooks and git from one process, with its state in one directory. */
import { chmodSync, mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { gitHubContract } from '../referee/contract.ts';
import { createJobGroups } from './actions/job-groups.ts';
import type { RunnersService } from './actions/runner-routes.ts';
import { holdersOf } from './actions/workflow-concurrency.ts';
import { cancelLeftovers, leftoversOf, stopRuns, wakeRunner } from './actions/workflow-runs.ts';
import type { WorkflowExecution, WorkflowResult } from './actions/workflow-types.ts';
import { createClock, now } from './clock.ts';
import { openSwitches } from './controls/switches.ts';
import { type Credentials, loadCredentials } from './credentials.ts';
import { openFaults } from './faults/faults.ts';
import type { Answering } from './faults/faulty.ts';
import { installHook } from './git/push-hook.ts';
import { announceLeftovers } from './git/pushes.ts';
import { createRemembered } from './git/remembered.ts';
import type { Host } from './host.ts';
import { createHttp } from './http.ts';
import { createSigningKeys } from './identity/signing-keys.ts';
import { PROFILES, type ProfileName } from './profile.ts';
import { createQueueLook } from './queue/merge-queue.ts';
import type { Role } from './records.ts';
import { registeredHookOf } from './registration/registrations.ts';
import { addRepository } from './repository-records.ts';
import { openState } from './state.ts';
import { createOutbox } from './webhooks/webhooks.ts';

export interface LocalGitHubOptions {
  readonly dataDirectory: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Base address under which others reach the server; where it listens, without one. */
  readonly publicUrl?: string;
  readonly webhookUrl?: string;
  /** Which GitHub it is like (default: github.com as it is now). */
  readonly profile?: ProfileName;
  /** Secret of the printed address; without one everybody who reaches the server may act as anybody. */
  readonly key?: string;
  /** Markdown for the first page: what to do next. */
  readonly welcome?: string;
  readonly imports?: readonly { readonly source: string; readonly fullName: string }[];
  readonly users?: readonly { readonly login: string; readonly role: Role; readonly token: string }[];
  readonly executeWorkflow: (execution: WorkflowExecution) => Promise<WorkflowResult>;
  /** Where runners in processes of their own ask for the jobs that `executeWorkflow` hands out. */
  readonly runners?: RunnersService;
}

export interface LocalGitHub {
  /** Base address without a trailing slash; REST is under `/api/v3`. */
  readonly url: string;
  readonly credentials: Credentials;
  readonly setWebhookUrl: (url: string | undefined) => void;
  readonly close: () => Promise<void>;
}

/** Starts the server on 127.0.0.1, with everything that a former start left; imports and users that are known already are kept. */
export async function startLocalGitHub(options: LocalGitHubOptions): Promise<LocalGitHub> {
  mkdirSync(options.dataDirectory, { recursive: true });
  // Tokens are in the state, and in the checkouts of runs.
  chmodSync(options.dataDirectory, 0o700);
  installHook(options.dataDirectory);
  const address = { url: '' };
  const host = createHost(options, () => address.url);
  for (const user of options.users ?? []) addUser(host, user);
  for (const source of options.imports ?? []) await addRepository(host, source);
  const leftovers = leftoversOf(host);
  const { server, port } = await listen(createHttp(host, options), options.port);
  address.url = options.publicUrl ?? `http://127.0.0.1:${port}`;
  host.outbox.setUrl(options.webhookUrl ?? registeredHookOf(host));
  await announceLeftovers(host);
  cancelLeftovers(host, leftovers);
  for (const { id } of host.state.repositories.find({})) host.lookAtQueue(id);
  return {
    url: address.url,
    credentials: host.credentials,
    setWebhookUrl: host.outbox.setUrl,
    close: async () => {
      await new Promise((resolve) => {
        server.close(resolve);
        if ('closeAllConnections' in server) server.closeAllConnections();
      });
      await stopRuns(host);
      await host.outbox.close();
      host.state.close();
    },
  };
}

function createHost(
  { dataDirectory, executeWorkflow, key, profile = 'newest' }: LocalGitHubOptions,
  url: () => string,
): Host {
  const state = openState(dataDirectory);
  const credentials = loadCredentials(dataDirectory);
  const switches = openSwitches(state);
  const clock = createClock(switches);
  const faults = openFaults(state);
  const host: Host = {
    state,
    credentials,
    contract: gitHubContract(),
    profile: PROFILES[profile],
    outbox: createOutbox({ state, clock, faults, secret: credentials.webhookSecret }),
    switches,
    clock,
    faults,
    dataDirectory,
    remembered: createRemembered(),
    key,
    url,
    executeWorkflow,
    serial: createSerial(),
    reportProblem: (subject, where, message) =>
      void state.problems.insert({ at: now({ clock }), subject, where, message }),
    lookAtQueue: createQueueLook(() => host),
    stopping: new AbortController(),
    performances: new Set(),
    running: new Map(),
    signingKeys: createSigningKeys(clock),
    jobGroups: createJobGroups({
      isHeldByRun: (claim) => holdersOf(state, claim).some(({ id }) => id !== claim.runId),
      freed: () => wakeRunner(host),
    }),
  };
  return host;
}

function createSerial(): Host['serial'] {
  const last = new Map<number, Promise<unknown>>();
  return (key, work) => {
    const next = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(
      key,
      next.catch(() => undefined),
    );
    return next;
  };
}

function addUser(
  host: Host,
  { login, role, token }: { readonly login: string; readonly role: Role; readonly token: string },
): void {
  const { state } = host;
  const known = state.accounts.first({ login });
  if (known) state.accounts.update(known.id, { role, token });
  else state.accounts.insert({ login, type: 'User', role, token, createdAt: now(host) });
}

async function listen(fetch: Answering, port: number) {
  return new Promise<{ readonly server: ReturnType<typeof serve>; readonly port: number }>((resolve, reject) => {
    const server = serve({ fetch, port, hostname: '127.0.0.1' }, ({ port: taken }: AddressInfo) =>
      resolve({ server, port: taken }),
    );
    server.on('error', reject);
  });
}
