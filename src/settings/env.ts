/** The App's only reader of `process.env`: each door gets its variables parsed once. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../errors.ts';

/** Environment that a child process of ours may see: where programs are found, nothing else. */
export function childEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', LANG = 'C.UTF-8', TMPDIR } = process.env;
  return { PATH, HOME, LANG, ...(TMPDIR === undefined ? {} : { TMPDIR }) };
}

/** Where the commands keep what outlives them, by the XDG rules: https://specifications.freedesktop.org/basedir-spec */
export function stateDirectory(): string {
  const { XDG_STATE_HOME = '' } = process.env;
  return join(isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : join(homedir(), '.local', 'state'), 'loopwright');
}

const model = z.object({
  LLM_BASE_URL: z
    .url({ protocol: /^https?$/, error: 'write an address that begins with http:// or https://' })
    .refine((address) => !URL.parse(address)?.username && !URL.parse(address)?.password, {
      error: 'an address with a user or password in it reaches no model; name the key in LLM_API_KEY',
    })
    .optional(),
  LLM_MODEL: z.string().min(1).optional(),
  LLM_API_KEY: z.string().min(1).optional(),
  OPENAI_API_KEY: z.string().min(1).optional(),
  /** USD per million tokens, `prompt/completion`, for example `0.25/2`. */
  LLM_PRICE: z
    .string()
    .regex(/^\d+(\.\d+)?\/\d+(\.\d+)?$/)
    .optional(),
});

export interface ModelEnvironment {
  readonly baseUrl: string | undefined;
  readonly name: string | undefined;
  readonly apiKey: string | undefined;
  readonly price: { readonly prompt: number; readonly completion: number } | undefined;
}

export function modelEnvironment(): ModelEnvironment {
  const parsed = parse(model);
  const [prompt, completion] = parsed.LLM_PRICE?.split('/').map(Number) ?? [];
  return {
    baseUrl: parsed.LLM_BASE_URL,
    name: parsed.LLM_MODEL,
    apiKey: parsed.LLM_API_KEY ?? parsed.OPENAI_API_KEY,
    price: prompt === undefined || completion === undefined ? undefined : { prompt, completion },
  };
}

const app = z.object({
  APP_ID: z.coerce.number().int().positive(),
  PRIVATE_KEY: z.string().min(1),
  WEBHOOK_SECRET: z.string().min(1),
  GITHUB_API_URL: z.url().default('https://api.github.com'),
  PUBLIC_URL: z.url(),
  /** The App's name in its own login, `<slug>[bot]`. */
  APP_SLUG: z.string().default('loopwright'),
  HOST: z.string().default('0.0.0.0'),
  PORT: z.coerce.number().int().min(1).max(65_535).default(3000),
  /** Says that the endpoint gives authored answers; only then may jobs run without a sandbox. */
  LOOPWRIGHT_SCRIPTED: z.stringbool().default(false),
  DATABASE_URL: z.string().default('.data/db'),
  WORKSPACE_DIR: z.string().default('.data/repositories'),
});
export type AppEnvironment = z.infer<typeof app>;

/** The real App's settings; undefined when no credentials are given, which means local mode. @throws {ConfigError} when only some are given. */
export function appEnvironment(): AppEnvironment | undefined {
  return process.env.APP_ID === undefined && process.env.PRIVATE_KEY === undefined ? undefined : parse(app);
}

const count = z.coerce.number().int().positive();
const days = z.coerce.number().positive();
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
const skills = z.object({ SKILLS_DIR: z.string().min(1).optional() });

export function skillsDirectory(): string | undefined {
  return parse(skills).SKILLS_DIR;
}

/** Another file of guardrails than the package's own. */
const guardrails = z.object({ GUARDRAILS_FILE: z.string().min(1).optional() });

export function guardrailsFile(): string | undefined {
  return parse(guardrails).GUARDRAILS_FILE;
}

const job = z.object({
  LOOPWRIGHT_BRIEF: z.string().min(1),
  LOOPWRIGHT_WORKSPACE: z.string().min(1),
  LOOPWRIGHT_OUTPUT: z.string().min(1),
  LOOPWRIGHT_INPUT: z.string().default(''),
  LOOPWRIGHT_MODEL_URL: z.string().default(''),
  GITHUB_OUTPUT: z.string().default(''),
  RUNNER_TEMP: z.string().default(''),
});
export type JobEnvironment = z.infer<typeof job>;

/** What the workflow hands to the job. */
export function jobEnvironment(): JobEnvironment {
  return parse(job);
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const log = z.object({
  LOG_LEVEL: z.enum(LEVELS, { error: 'write trace, debug, info, warn, error, fatal or silent' }).default('info'),
});

export function logLevel(): (typeof LEVELS)[number] {
  return parse(log).LOG_LEVEL;
}

function parse<Schema extends z.ZodType>(schema: Schema): z.infer<Schema> {
  const parsed = schema.safeParse(process.env);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ConfigError(
    `environment variable ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is refused'}; set it and start again.`,
  );
}
