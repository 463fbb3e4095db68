/** Wires the adapters to the ports: the one place that knows them all. */
import { join } from 'node:path';
import type { Hono } from 'hono';
import type { Logger } from 'pino';
import { systemClock } from './adapters/clock.ts';
import { type Engine, openEngine } from './adapters/database/database.ts';
import { databaseObstacle } from './adapters/database/readiness.ts';
import { createStore } from './adapters/database/store.ts';
import { createModel } from './adapters/model.ts';
import { askModel, QUESTION_SILENCE_MS } from './adapters/model-question.ts';
import { createQueue } from './adapters/queue.ts';
import { loadSkills } from './adapters/skills.ts';
import { createWorkspace } from './adapters/workspace.ts';
import { ConfigError } from './errors.ts';
import { CHAT_BASE, type Upstream, type Upstreams } from './gateway/dialects.ts';
import { createGateway } from './gateway/gateway.ts';
import { createHealth } from './gateway/health.ts';
import { createIdentity } from './gateway/identity.ts';
import { createModelGateway } from './gateway/model-gateway.ts';
import { createGitHub, type GitHubOptions } from './github/github.ts';
import { ownSecrets } from './guard/own-secrets.ts';
import type { Ports, Store } from './ports.ts';
import { guardrailsFile, type Limits, limitsEnvironment, runsOn } from './settings/env.ts';
import { type GatewaySettings, issuerOf } from './settings/gateway-settings.ts';
import { readGuardrails } from './settings/guardrails.ts';
import { packageFile } from './settings/package-root.ts';

export interface Composition {
  /** A directory for the embedded database, or a postgres:// address. */
  readonly databaseUrl: string;
  readonly workspaceDirectory: string;
  readonly publicUrl: string;
  readonly slug: string;
  readonly webhookSecret: string;
  readonly github: Omit<GitHubOptions, 'canaries' | 'limits'>;
  readonly model: {
    readonly baseUrl: string;
    readonly name: string;
    readonly apiKey: string;
    /** Whether it is our own scripted model, as whoever started it says; no endpoint is believed that it is. */
    readonly scripted: boolean;
    readonly price: Ports['modelFacts']['price'];
    /** For how long it may be silent; as the repository's configuration says unless given. */
    readonly silenceMs?: number;
  };
  /** Jobs ask models by the App, as these say; without, the App serves none: in local mode jobs know the model's address. */
  readonly gateway?: GatewaySettings;
  /** Where skills are read from; the package's own by default. */
  readonly skillsDirectory?: string | undefined;
  /** Where the guardrails are read from; as the environment says, or the package's own, by default. */
  readonly guardrailsFile?: string;
  /** Who moves branches where the configuration does not say; as the repository's workflows make it safe by default. */
  readonly promotesBy?: 'person';
  /** Labels of the machines that new repositories' jobs run on; as the environment says by default. */
  readonly runsOn?: readonly string[];
  /** How many loops run, and how long things are kept; as the environment says. */
  readonly limits?: Limits;
  readonly log: Logger;
}

export interface Composed {
  readonly ports: Ports;
  readonly routes: Hono;
  close(): Promise<void>;
}

const CONCURRENCY = 8;

/**
 * Opens everything that the App needs, unless the database is being `opened` already; where the rest fails, that is let go again.
 * @throws {ConfigError} when a skill or a setting is missing.
 */
export async function compose(composition: Composition, opened?: Promise<Engine>): Promise<Composed> {
  const { databaseUrl: url, log } = composition;
  const engine = await (opened ?? openEngine({ url, log }));
  try {
    const { obstacle, ...composed } = await composedOn(engine, composition);
    composed.routes.route(
      '/',
      createHealth(async () => (await databaseObstacle(engine, { log })) ?? obstacle()),
    );
    return composed;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

async function composedOn(
  engine: Engine,
  composition: Composition,
): Promise<Composed & { readonly obstacle: () => string | undefined }> {
  const { log } = composition;
  const skills = await loadSkills(composition.skillsDirectory ?? packageFile('skills'));
  const guardrails = await readGuardrails(
    composition.guardrailsFile ?? guardrailsFile() ?? packageFile('config', 'guardrails.yaml'),
  );
  const store = createStore(engine);
  const gateway = await createGateway({ url: composition.publicUrl, store, jobBundle: packageFile('dist', 'job.mjs') });
  const canaries = secretsOf(composition);
  const github = createGitHub({ ...composition.github, canaries, limits: store.askLimits });
  const ports: Ports = {
    self: `${composition.slug}[bot]`,
    promotesBy: composition.promotesBy,
    runsOn: composition.runsOn ?? runsOn(),
    github,
    ...modelPorts(composition, { canaries, appUrl: gateway.url }),
    store,
    queue: createQueue(engine, { concurrency: CONCURRENCY, log }),
    workspace: createWorkspace({
      directory: join(composition.workspaceDirectory),
      gitUrlOf: github.gitUrlOf,
      tokenOf: github.tokenOf,
      renewToken: github.renewToken,
    }),
    gateway,
    clock: systemClock,
    guardrails,
    ...(composition.limits ?? limitsEnvironment()),
    skills: new Map([...skills].map(([name, { text }]) => [name, text])),
  };
  serveModels(gateway.app, composition, { store, canaries, audience: gateway.url });
  return { ports, routes: gateway.app, obstacle: github.obstacle, close: () => engine.close() };
}

function modelPorts(
  composition: Composition,
  { canaries, appUrl }: { readonly canaries: readonly string[]; readonly appUrl: string },
): Pick<Ports, 'modelFacts' | 'model' | 'askModel'> {
  const { name, baseUrl, apiKey, scripted, price, silenceMs } = composition.model;
  const endpoint = { baseUrl, model: name, apiKey };
  const patience = Math.min(silenceMs ?? QUESTION_SILENCE_MS, QUESTION_SILENCE_MS);
  return {
    modelFacts: { name, scripted, price, ...jobDoor(composition, appUrl), silenceMs },
    model: createModel({ ...endpoint, scripted, canaries, ...(silenceMs === undefined ? {} : { silenceMs }) }),
    askModel: scripted ? undefined : () => askModel({ ...endpoint, silenceMs: patience, by: 'setup' }),
  };
}

function serveModels(
  app: Hono,
  { gateway: settings, github, log, model }: Composition,
  {
    store,
    canaries,
    audience,
  }: { readonly store: Store; readonly canaries: readonly string[]; readonly audience: string },
): void {
  if (settings === undefined) return;
  const issuer = settings.OIDC_ISSUER ?? issuerOf(github.apiUrl);
  const models = createModelGateway({
    identity: createIdentity({ issuer, audience, clock: systemClock }),
    store,
    clock: systemClock,
    upstreams: upstreamsOf(model, settings),
    canaries,
    log,
    ...(model.silenceMs === undefined ? {} : { silenceMs: model.silenceMs }),
  });
  app.route('/', models);
}

function upstreamsOf(model: Composition['model'], settings: GatewaySettings): Upstreams {
  const beside = (baseUrl: string | undefined, name = model.name, key: string | undefined): Upstream | undefined =>
    baseUrl === undefined ? undefined : { baseUrl, model: name, apiKey: key ?? keyFor(baseUrl, model) };
  const { LLM_RESPONSES_BASE_URL, LLM_RESPONSES_MODEL, LLM_RESPONSES_API_KEY } = settings;
  const { LLM_ANTHROPIC_BASE_URL, LLM_ANTHROPIC_MODEL, LLM_ANTHROPIC_API_KEY } = settings;
  return {
    chat: { baseUrl: model.baseUrl, model: model.name, apiKey: model.apiKey },
    responses: beside(LLM_RESPONSES_BASE_URL, LLM_RESPONSES_MODEL, LLM_RESPONSES_API_KEY),
    anthropic: beside(LLM_ANTHROPIC_BASE_URL, LLM_ANTHROPIC_MODEL, LLM_ANTHROPIC_API_KEY),
  };
}

/** The App's key goes to the endpoint that it is for, and to no other. */
function keyFor(baseUrl: string, model: Composition['model']): string {
  return new URL(baseUrl).origin === new URL(model.baseUrl).origin ? model.apiKey : 'none';
}

/** What must leave in no text and come in with no answer. */
export function secretsOf({ github, model, webhookSecret, databaseUrl, gateway }: Composition): readonly string[] {
  const beside = [gateway?.LLM_RESPONSES_BASE_URL, gateway?.LLM_ANTHROPIC_BASE_URL];
  const addresses = [model.baseUrl, databaseUrl, ...beside.filter((address) => address !== undefined)];
  const keys = [gateway?.LLM_RESPONSES_API_KEY, gateway?.LLM_ANTHROPIC_API_KEY].filter((key) => key !== undefined);
  return [...ownSecrets({ privateKey: github.privateKey, webhookSecret, modelKey: model.apiKey, addresses }), ...keys];
}

/** Jobs are told the model's own address only where GitHub itself is on this machine. @throws {ConfigError} where it is not, and no gateway is. */
function jobDoor(
  { gateway, github, model }: Composition,
  appUrl: string,
): Pick<Ports['modelFacts'], 'jobUrl' | 'jobAudience'> {
  if (gateway !== undefined) return { jobUrl: `${appUrl}${CHAT_BASE}`, jobAudience: appUrl };
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(new URL(github.apiUrl).hostname))
    throw new ConfigError(`Jobs of ${new URL(github.apiUrl).host} must ask for models by the App, and it serves none.`);
  return { jobUrl: model.baseUrl, jobAudience: undefined };
}
