/** The App's only reader of `process.env`: each door gets its variables parsed once. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { z } from 'zod';
import { ConfigError } from '../errors.ts';
import { type GatewaySettings, gatewaySettings } from './gateway-settings.ts';
import { isGiven, readSecrets, type VariableProblem, type Variables, withSecrets } from './secrets.ts';
import { app, guardrails, job, type LEVELS, limits, log, machines, model, skills } from './variables.ts';

export type { VariableProblem } from './secrets.ts';

/** Environment that a child process of ours may see: where programs are found, nothing else. */
export function childEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', LANG = 'C.UTF-8', TMPDIR } = process.env;
  return { PATH, HOME, LANG, ...(TMPDIR === undefined ? {} : { TMPDIR }) };
}

/** Beside it, for what fetches from registries: proxies, whose certificates are trusted, and where fetched packages are kept. */
export function fetchingEnvironment(): Record<string, string> {
  const found = Object.entries(process.env).flatMap(([name, value]) =>
    FETCHING.test(name) && value !== undefined ? [[name, value] as const] : [],
  );
  return Object.fromEntries(found);
}

const FETCHING =
  /^(?:(?:https?|no|all)_proxy|NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|SSL_CERT_(?:FILE|DIR)|GIT_SSL_CA(?:INFO|PATH)|XDG_(?:CACHE|DATA)_HOME|npm_config_cache)$/i;

/** Where the commands keep what outlives them, by the XDG rules: https://specifications.freedesktop.org/basedir-spec */
export function stateDirectory(): string {
  const { XDG_STATE_HOME = '' } = process.env;
  return join(isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : join(homedir(), '.local', 'state'), 'loopwright');
}

interface NoEndpoint {
  readonly baseUrl: undefined;
  readonly name: undefined;
}

interface Endpoint {
  readonly baseUrl: string;
  readonly name: string;
}

export type ModelEnvironment = (Endpoint | NoEndpoint) & {
  readonly apiKey: string | undefined;
  readonly price: { readonly prompt: number; readonly completion: number } | undefined;
};

/** @throws {ConfigError} also where only one of endpoint and model is named. */
export function modelEnvironment(): ModelEnvironment {
  const parsed = parse(model);
  const [prompt, completion] = parsed.LLM_PRICE?.split('/').map(Number) ?? [];
  return {
    ...endpointIn(parsed),
    apiKey: parsed.LLM_API_KEY ?? parsed.OPENAI_API_KEY,
    price: prompt === undefined || completion === undefined ? undefined : { prompt, completion },
  };
}

function endpointIn({ LLM_BASE_URL: baseUrl, LLM_MODEL: name }: z.infer<typeof model>): Endpoint | NoEndpoint {
  if (baseUrl === undefined && name === undefined) return { baseUrl, name };
  if (baseUrl === undefined)
    throw new ConfigError(
      `LLM_MODEL is "${name}", and LLM_BASE_URL is not set: name the endpoint that has this model, or unset LLM_MODEL.`,
    );
  if (name === undefined)
    throw new ConfigError(
      `LLM_BASE_URL is ${baseUrl}, and LLM_MODEL is not set: name the model that this endpoint shall be asked for.`,
    );
  return { baseUrl, name };
}

export type AppEnvironment = z.infer<typeof app>;
/** Where the real App listens, for who asks it on the same machine. */
export const addressEnvironment = () => parse(app.pick({ HOST: true, PORT: true }));

/** Where GitHub is to reach the App, for who registers it. */
export const publicUrlEnvironment = (): string | undefined =>
  parse(app.pick({ PUBLIC_URL: true }).partial()).PUBLIC_URL;

/** Where the App's database is, for who only looks at it. */
export const databaseEnvironment = (): string => parse(app.pick({ DATABASE_URL: true })).DATABASE_URL;

/** The real App's settings; undefined when no credentials are given, which means local mode. @throws {ConfigError} with all that is wrong with any variable of `start`, a line each. */
export function appEnvironment(): AppEnvironment | undefined {
  if (process.env.APP_ID === undefined && !isGiven(process.env, 'PRIVATE_KEY')) return undefined;
  try {
    return parse(app);
  } catch (error) {
    // Whoever sets one of them right wants to know of the others, too.
    throw new ConfigError(examinedEnvironment().problems.map(sentenceOf).join('\n'), { cause: error });
  }
}

export interface Limits {
  readonly slots: { readonly overall: number; readonly installation: number; readonly repository: number };
  readonly keepDays: {
    readonly deliveries: number;
    readonly logs: number;
    readonly blobs: number;
    readonly commits: number;
  };
}

/** How many loops run at the same time, and for how long what is no longer needed is kept. */
export function limitsEnvironment(): Limits {
  const parsed = parse(limits);
  return {
    slots: {
      overall: parsed.MAX_LOOPS,
      installation: parsed.MAX_LOOPS_PER_INSTALLATION,
      repository: parsed.MAX_LOOPS_PER_REPOSITORY,
    },
    keepDays: {
      deliveries: parsed.KEEP_DELIVERIES_DAYS,
      logs: parsed.KEEP_LOGS_DAYS,
      blobs: parsed.KEEP_BLOBS_DAYS,
      commits: parsed.KEEP_COMMITS_DAYS,
    },
  };
}

/** Labels of the machines that the jobs of new repositories run on. */
export function runsOn(): readonly string[] | undefined {
  return parse(machines).RUNS_ON;
}

export function skillsDirectory(): string | undefined {
  return parse(skills).SKILLS_DIR;
}

export function guardrailsFile(): string | undefined {
  return parse(guardrails).GUARDRAILS_FILE;
}

/** Whose jobs are believed, and which models they may ask beside the App's own. */
export function gatewayEnvironment(): GatewaySettings {
  return parse(gatewaySettings);
}

export type JobEnvironment = z.infer<typeof job>;

/** What the workflow hands to the job; from then on no program that the job starts finds in its environment with what to ask who the job is. */
export function takeJobEnvironment(): JobEnvironment {
  const taken = parse(job);
  for (const name of Object.keys(process.env)) if (name.startsWith('ACTIONS_')) delete process.env[name];
  return taken;
}

export function logLevel(): (typeof LEVELS)[number] {
  return parse(log).LOG_LEVEL;
}

/** What the real App would start with, as far as it can be read, and all that is wrong with it at once. */
export interface Examined {
  readonly problems: readonly VariableProblem[];
  readonly app: { readonly [Name in keyof AppEnvironment]?: AppEnvironment[Name] | undefined };
  readonly model: z.infer<typeof model>;
  /** Whether beside LLM_BASE_URL other endpoints are named. */
  readonly hasOtherEndpoints: boolean;
  readonly skillsDirectory: string | undefined;
  readonly guardrailsFile: string | undefined;
  /** Keys and secrets, whatever they are for, */
  readonly hidden: readonly string[];
  /** and addresses, which may hold some. */
  readonly addresses: readonly string[];
}

const EXAMINED = [app, model, limits, machines, skills, guardrails, gatewaySettings, log] as const;
/** Without them local mode starts, and the real App does not. */
const ENDPOINT = {
  LLM_BASE_URL: 'name the endpoint that the App shall ask, as https://api.openai.com/v1',
  LLM_MODEL: 'name the model that this endpoint shall be asked for',
};

/** Reads all variables of `start`, and throws for none of them. */
export function examinedEnvironment(): Examined {
  const { variables, problems: unread } = readSecrets(
    process.env,
    EXAMINED.flatMap((schema) => Object.keys(schema.shape)),
  );
  const found = EXAMINED.flatMap((schema) => problemsOf(schema, variables));
  const unnamed = Object.entries(ENDPOINT)
    .filter(([name]) => variables[name] === undefined)
    .map(([name, remedy]) => ({ name, isMissing: true, stands: 'is not set', remedy }));
  // Of a secret that its source does not give, the source is what is wrong.
  const isToldOf = (name: string): boolean => unread.some((one) => one.name.startsWith(name));
  const problems = [...unread, ...[...found, ...unnamed].filter(({ name }) => !isToldOf(name))];
  const isWrong = (name: string): boolean => found.some((one) => one.name === name);
  const good = Object.fromEntries(Object.entries(variables).filter(([name]) => !isWrong(name)));
  const others = gatewaySettings.safeParse(good).data;
  return {
    problems,
    app: app.partial().parse(good),
    model: model.parse(good),
    hasOtherEndpoints: (others?.LLM_RESPONSES_BASE_URL ?? others?.LLM_ANTHROPIC_BASE_URL) !== undefined,
    skillsDirectory: skills.parse(good).SKILLS_DIR,
    guardrailsFile: guardrails.parse(good).GUARDRAILS_FILE,
    hidden: valuesOf(variables, (name) => SECRETS.test(name) && !name.endsWith('_FILE')),
    addresses: valuesOf(variables, (name) => name.endsWith('_URL')),
  };
}

function valuesOf(variables: Variables, isMeant: (name: string) => boolean): readonly string[] {
  return Object.entries(variables).flatMap(([name, value = '']) => (isMeant(name) && value !== '' ? [value] : []));
}

function parse<Schema extends z.ZodObject>(schema: Schema): z.infer<Schema> {
  const variables = withSecrets(process.env, Object.keys(schema.shape));
  const parsed = schema.safeParse(variables);
  if (parsed.success) return parsed.data;
  throw new ConfigError(problemsOf(schema, variables).map(sentenceOf).join('\n'));
}

function sentenceOf({ name, stands, remedy }: VariableProblem): string {
  return `The environment variable ${name} ${stands}: ${remedy}.`;
}

/** One for each variable. */
function problemsOf(schema: z.ZodType, variables: Variables): readonly VariableProblem[] {
  const issues = schema.safeParse(variables).error?.issues ?? [];
  const problems = issues.map(({ path, message }) => {
    const name = path.join('.');
    const found = variables[name];
    const isHidden = SECRETS.test(name) || found?.includes('@') === true;
    const stands = found === undefined ? 'is not set' : isHidden ? 'cannot be used' : `is "${found}"`;
    return { name, isMissing: found === undefined, stands, remedy: message };
  });
  return problems.filter(({ name }, index) => problems.findIndex((one) => one.name === name) === index);
}

/** Nothing of them is shown; an address with an `@` may hold a password. */
const SECRETS = /KEY|SECRET/;
