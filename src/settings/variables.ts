/** Every variable of the environment that we read: what it may be, what it is when left out, and as its error the remedy. Pure. */
import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { labelsIn } from './machine-labels.ts';

const KEY_REMEDY =
  "write the App's private key, the text of the .pem file that GitHub made, from -----BEGIN to END-----; line breaks may be \\n";

function isPrivateKey(pem: string): boolean {
  try {
    createPrivateKey(pem);
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

export const model = z.object({
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

export const app = z.object({
  APP_ID: z.coerce
    .number({ error: "write the App's id, a whole number; GitHub shows it on the App's page" })
    .int({ error: "write the App's id, a whole number; GitHub shows it on the App's page" })
    .positive({ error: "write the App's id, a whole number; GitHub shows it on the App's page" }),
  PRIVATE_KEY: text(KEY_REMEDY)
    // As files of variables have it, which hold a line each.
    .transform((pem) => pem.replaceAll('\\n', '\n'))
    .refine(isPrivateKey, { error: KEY_REMEDY }),
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
const RUNS_ON = 'write labels of your machines with a comma between, as self-hosted,linux, or leave it out';
const count = whole({ least: 1 });
const DAYS = 'write a number of days above 0';
const days = z.coerce.number({ error: DAYS }).positive({ error: DAYS });
export const limits = z.object({
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

/** Labels of the machines that the jobs run on, as the pages of a set-up have them. */
export const machines = z.object({
  RUNS_ON: text(RUNS_ON)
    .transform((labels, context) => {
      const read = labelsIn(labels);
      if ('labels' in read) return read.labels;
      context.addIssue({ code: 'custom', message: RUNS_ON });
      return z.NEVER;
    })
    .optional(),
});

/** Another directory of skills than the package's own. */
export const skills = z.object({ SKILLS_DIR: text('name a directory of skills, or unset it').optional() });

/** Another file of guardrails than the package's own. */
export const guardrails = z.object({
  GUARDRAILS_FILE: text('name a file like config/guardrails.yaml, or unset it').optional(),
});

const FROM_WORKFLOW = 'the workflow that `loopwright init` writes hands it over; run the job there';

export const job = z.object({
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
export const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export const log = z.object({
  LOG_LEVEL: z.enum(LEVELS, { error: 'write trace, debug, info, warn, error, fatal or silent' }).default('info'),
});
