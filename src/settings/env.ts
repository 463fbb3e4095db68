/** The App's only reader of `process.env`: each door gets its variables parsed once. */
import { createPrivateKey } from 'node:crypto';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../errors.ts';
import { type GatewaySettings, gatewaySettings } from './gateway-settings.ts';
import { isGiven, withSecrets } from './secrets.ts';

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
  /^(?:(?:https?|no|all)_proxy|NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|SSL_CERT_(?:FILE|DIR)|XDG_(?:CACHE|DATA)_HOME|npm_config_cache)$/i;

/** Where the commands keep what outlives them, by the XDG rules: https://specifications.freedesktop.org/basedir-spec */
export function stateDirectory(): string {
  const { XDG_STATE_HOME = '' } = process.env;
  return join(isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : join(homedir(), '.local', 'state'), 'loopwright');
}

const KEY_REMEDY =
  "write the App's private key, the text of the .pem file that GitHub made, from -----BEGIN to END-----; line breaks may be \\n";

function isPrivateKey(pem: string): boolean {
  try {
    createPrivateKey(pem.replaceAll('\\n', '\n'));
    return true;
  } catch {
    return false;
  }
}

/** What is written wrong, or left out: the remedy is the whole sentence about it. */
function text(remedy: string) {
  return z.string({ error: remedy }).min(1, { error: remedy });
}

function whole({ least, most = Number.MAX_SAFE_INTEGER }: { readonly least: number; readonly most?: number }) {
  const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `from ${least} to ${most}`;
  const error = `write a whole number, ${range}`;
  return z.coerce.number({ error }).int({ error }).min(least, { error }).max(most, { error });
}

const model = z.object({
  LLM_BASE_URL: z
    .url({ protocol: /^https?$/, error: 'write an address that begins with http:// or https://' })
    .refine((address) => !URL.parse(address)?.username && !URL.parse(address)?.password, {
      error: 'an address with a user or password in it reaches no model; name the key in LLM_API_KEY',
    })
    .optional(),
  LLM_MODEL: text('write the name of the model, as the endpoint calls it').optional(),
  LLM_API_KEY: text('write the key, or leave it out where the endpoint needs none').optional(),
  OPENAI_API_KEY: text('write the key, or leave it out where the endpoint needs none').optional(),
  /** USD per million tokens, `prompt/completion`, for example `0.25/2`. */
  LLM_PRICE: z
    .string()
    .regex(/^\d+(\.\d+)?\/\d+(\.\d+)?$/, {
      error: 'write USD per million tokens in and out, for example 0.25/2, or leave it out',
    })
    .optional(),
});

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

const app = z.object({
  APP_ID: z.coerce
    .number({ error: "write the App's id, a whole number; GitHub shows it on the App's page" })
    .int({ error: "write the App's id, a whole number; GitHub shows it on the App's page" })
    .positive({ error: "write the App's id, a whole number; GitHub shows it on the App's page" }),
  PRIVATE_KEY: text(KEY_REMEDY).refine(isPrivateKey, { error: KEY_REMEDY }),
  WEBHOOK_SECRET: text("write the secret that is set for the App's webhook on GitHub"),
  GITHUB_API_URL: z
    .url({ error: "write the address of GitHub's API, such as https://github.example.com/api/v3" })
    .default('https://api.github.com'),
  PUBLIC_URL: z.url({ error: 'write the address under which GitHub reaches this App, beginning with https://' }),
  /** The App's name in its own login, `<slug>[bot]`. */
  APP_SLUG: z.string().default('loopwright'),
  HOST: z.string().default('0.0.0.0'),
  PORT: whole({ least: 1, most: 65_535 }).default(3000),
  /** Says that the endpoint gives authored answers; only then may jobs run without a sandbox. */
  LOOPWRIGHT_SCRIPTED: z.stringbool({ error: 'write true or false' }).default(false),
  DATABASE_URL: z.string().default('.data/db'),
  WORKSPACE_DIR: z.string().default('.data/repositories'),
});
export type AppEnvironment = z.infer<typeof app>;

/** The real App's settings; undefined when no credentials are given, which means local mode. @throws {ConfigError} when only some are given. */
export function appEnvironment(): AppEnvironment | undefined {
  return process.env.APP_ID === undefined && !isGiven(process.env, 'PRIVATE_KEY') ? undefined : parse(app);
}

const count = whole({ least: 1 });
const DAYS = 'write a number of days above 0';
const days = z.coerce.number({ error: DAYS }).positive({ error: DAYS });
const limits = z.object({
  MAX_LOOPS: count.default(40),
  MAX_LOOPS_PER_INSTALLATION: count.default(20),
  MAX_LOOPS_PER_REPOSITORY: count.default(8),
  KEEP_DELIVERIES_DAYS: days
    .min(4, { error: 'GitHub may bring a webhook again for 3 days; write 4 or more' })
    .default(4),
  KEEP_LOGS_DAYS: days.default(90),
  KEEP_BLOBS_DAYS: days.default(40),
  KEEP_COMMITS_DAYS: days.default(14),
});

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

/** Another directory of skills than the package's own. */
const skills = z.object({ SKILLS_DIR: text('name a directory of skills, or unset it').optional() });

export function skillsDirectory(): string | undefined {
  return parse(skills).SKILLS_DIR;
}

/** Another file of guardrails than the package's own. */
const guardrails = z.object({
  GUARDRAILS_FILE: text('name a file like config/guardrails.yaml, or unset it').optional(),
});

export function guardrailsFile(): string | undefined {
  return parse(guardrails).GUARDRAILS_FILE;
}

/** Whose jobs are believed, and which models they may ask beside the App's own. */
export function gatewayEnvironment(): GatewaySettings {
  return parse(gatewaySettings);
}

const FROM_WORKFLOW = 'the workflow that `loopwright init` writes hands it over; run the job there';

const job = z.object({
  LOOPWRIGHT_BRIEF: text(FROM_WORKFLOW),
  LOOPWRIGHT_WORKSPACE: text(FROM_WORKFLOW),
  LOOPWRIGHT_OUTPUT: text(FROM_WORKFLOW),
  LOOPWRIGHT_INPUT: z.string().default(''),
  LOOPWRIGHT_MODEL_URL: z.string().default(''),
  /** GitHub gives these to a job that may ask for its identity. */
  ACTIONS_ID_TOKEN_REQUEST_URL: z.string().default(''),
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: z.string().default(''),
  GITHUB_OUTPUT: z.string().default(''),
  RUNNER_TEMP: z.string().default(''),
});
export type JobEnvironment = z.infer<typeof job>;

/** What the workflow hands to the job; from then on no program that the job starts finds in its environment with what to ask who the job is. */
export function takeJobEnvironment(): JobEnvironment {
  const taken = parse(job);
  for (const name of Object.keys(process.env)) if (name.startsWith('ACTIONS_')) delete process.env[name];
  return taken;
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const log = z.object({
  LOG_LEVEL: z.enum(LEVELS, { error: 'write trace, debug, info, warn, error, fatal or silent' }).default('info'),
});

export function logLevel(): (typeof LEVELS)[number] {
  return parse(log).LOG_LEVEL;
}

function parse<Schema extends z.ZodObject>(schema: Schema): z.infer<Schema> {
  const variables = withSecrets(process.env, Object.keys(schema.shape));
  const parsed = schema.safeParse(variables);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = issue?.path.join('.') ?? '';
  const found = variables[name];
  const isHidden = SECRETS.test(name) || found?.includes('@') === true;
  const stands = found === undefined ? 'is not set' : isHidden ? 'cannot be used' : `is "${found}"`;
  throw new ConfigError(`The environment variable ${name} ${stands}: ${issue?.message ?? 'it is refused'}.`);
}

/** Nothing of them is shown; an address with an `@` may hold a password. */
const SECRETS = /KEY|SECRET/;
