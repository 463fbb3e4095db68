/** What a fault is: which requests or webhooks it strikes, how often, and what becomes of them. */
import { z } from 'zod';
import { createRouter } from '../../referee/routes.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Written when it strikes: `x-ratelimit-reset` is a moment, and a rule is armed long before. */
const headerValue = z.union([z.string(), z.strictObject({ inSeconds: z.int().min(0) })]);

const counted = {
  /** Strikes so often, and then no more; absent: until it is taken away. */
  times: z.int().min(1).optional(),
  /** Lets so many go by first. */
  after: z.int().min(0).default(0),
};

const EFFECTS = ['status', 'delayMs', 'cut', 'tokenOver'] as const;

export const requestFault = z
  .strictObject({
    method: z.enum(['*', ...METHODS]).default('*'),
    /** As in GitHub's description, with any of its parameters filled in or not; `*` for all. */
    route: z
      .string()
      .regex(/^(\*|\/.*)$/, 'expected a route as in GitHub\'s description, which begins with "/", or "*"'),
    /** Whose requests: our App's, those of jobs, those of people. */
    by: z.enum(['anybody', 'app', 'job', 'person']).default('anybody'),
    ...counted,
    /** What `times` and `after` count: all that the rule strikes, or each kind of request (method and route) for itself. */
    countedBy: z.enum(['rule', 'route']).default('rule'),
    /** The answer instead of the right one. */
    status: z.int().min(400).max(599).optional(),
    headers: z.record(z.string(), headerValue).default({}),
    body: z.json().optional(),
    /** Before anything else happens. */
    delayMs: z.int().min(1).max(600_000).optional(),
    /** The connection ends before there is an answer; where the request is performed, in the middle of it. */
    cut: z.literal(true).optional(),
    /** Whether the request is performed all the same, before its answer is replaced or cut. */
    performs: z.boolean().default(false),
    /** The token of the request has expired, from now on; requests without an installation token are not struck. */
    tokenOver: z.literal(true).optional(),
  })
  .refine((rule) => EFFECTS.some((name) => rule[name] !== undefined), {
    error: `a rule needs one of ${EFFECTS.join(', ')}`,
  })
  .refine(({ status, cut }) => status === undefined || cut === undefined, {
    error: 'an answer has a "status" or is "cut", not both',
  });
export type RequestFault = z.output<typeof requestFault>;

export const webhookFault = z.strictObject({
  /** `issues`, `issues.labeled`, or `*`. */
  webhook: z.string().min(1),
  /**
   * drop: it does not arrive, and is listed as failed; twice: it comes again under the same id; hold: it comes late, after those behind it;
   * shuffle: those of a while come in the opposite order.
   */
  does: z.enum(['drop', 'twice', 'hold', 'shuffle']),
  /** How long it is held, or for how long those are gathered that are shuffled. */
  forMs: z.int().min(1).max(600_000).default(2000),
  ...counted,
});
export type WebhookFault = z.output<typeof webhookFault>;

export type Fault = RequestFault | WebhookFault;

/** A fault as it is given: a rule about webhooks says which. */
export function faultSchemaOf(body: unknown): z.ZodType<Fault> {
  return typeof body === 'object' && body !== null && 'webhook' in body ? webhookFault : requestFault;
}

/** A request as rules see it: by its repository's present name, without base path and query. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly by: 'app' | 'job' | 'person' | undefined;
  readonly hasInstallationToken: boolean;
}

/** Whether the rule is about such requests at all, however often it has struck. */
export function isAbout(rule: RequestFault, { method, path, by, hasInstallationToken }: Asked): boolean {
  if (rule.method !== '*' && rule.method !== method) return false;
  if (rule.by !== 'anybody' && rule.by !== by) return false;
  if (rule.tokenOver === true && !hasInstallationToken) return false;
  return rule.route === '*' || matches(rule.route, path);
}

/** Whether the rule is about webhooks of this name. */
export function isAboutWebhook({ webhook }: WebhookFault, event: string, action: string | undefined): boolean {
  return ['*', event, `${event}.${action}`].includes(webhook);
}

/** Whether a path belongs to a route, whose parameters may be filled in. */
function matches(route: string, path: string): boolean {
  return createRouter([{ method: 'GET', route }])('GET', path) !== undefined;
}
