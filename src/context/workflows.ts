/** Which of a repository's own workflows start when code arrives, and what they hold. */
import { parse, YAMLParseError } from 'yaml';
import { z } from 'zod';

export interface WorkflowFacts {
  readonly path: string;
  /** Starts on push or pull request, or may be called by one that does. */
  readonly triggeredByCode: boolean;
  /** What makes running unreviewed code there dangerous; empty when nothing was found. */
  readonly holds: readonly string[];
}

const TRIGGERS = ['push', 'pull_request', 'pull_request_target', 'merge_group', 'workflow_call'];
const triggers = z.union([z.string(), z.array(z.string()), z.record(z.string(), z.unknown())]);
const permissions = z.union([z.string(), z.record(z.string(), z.string())]).nullish();
const job = z.looseObject({ environment: z.unknown().optional(), permissions, uses: z.string().optional() });
const workflow = z.looseObject({ on: triggers, permissions, jobs: z.record(z.string(), job) });
type Job = z.infer<typeof job>;

/** Reads one workflow file. One that does not parse counts as holding something. */
export function readWorkflow({ path, text }: { readonly path: string; readonly text: string }): WorkflowFacts {
  const parsed = workflow.safeParse(yamlOf(text));
  if (!parsed.success) return { path, triggeredByCode: true, holds: ['does not parse as a workflow'] };
  const { on, jobs } = parsed.data;
  const names = typeof on === 'string' ? [on] : Array.isArray(on) ? on : Object.keys(on);
  const all = Object.values(jobs);
  const granted = [parsed.data.permissions, ...all.map((one) => one.permissions)];
  const holds = [
    ...(/\bsecrets\b/.test(text) ? ['secrets'] : []),
    ...(all.some(({ environment }) => environment !== undefined && environment !== null) ? ['an environment'] : []),
    ...(granted.some(writesIdToken) ? ['an id-token'] : []),
    ...(all.some(callsElsewhere) ? ["another repository's workflow"] : []),
  ];
  return { path, triggeredByCode: names.some((name) => TRIGGERS.includes(name)), holds };
}

function yamlOf(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof YAMLParseError) return undefined;
    throw error;
  }
}

function writesIdToken(granted: z.infer<typeof permissions>): boolean {
  return typeof granted === 'string' ? granted === 'write-all' : granted?.['id-token'] === 'write';
}

function callsElsewhere({ uses }: Job): boolean {
  return uses !== undefined && !uses.startsWith('./');
}

export interface PromotionChoice {
  readonly by: 'auto' | 'person';
  /** One sentence for people. */
  readonly why: string;
}

/** Who moves the branch: what the configuration says, else a person wherever code that arrives meets secrets, or a person's machine. */
export function promotionOf(
  configured: 'auto' | 'person' | null,
  workflows: readonly WorkflowFacts[],
  otherwise?: 'person',
): PromotionChoice {
  if (configured !== null) return { by: configured, why: `The configuration says \`promotion: ${configured}\`.` };
  const risky = workflows.find(({ triggeredByCode, holds }) => triggeredByCode && holds.length > 0);
  if (risky !== undefined)
    return {
      by: 'person',
      why: `\`${risky.path}\` starts on a push or pull request and holds ${risky.holds.join(' and ')}, so a person says \`/release\`.`,
    };
  if (otherwise === 'person')
    return {
      by: 'person',
      why: "The repository's own checks run on a person's machine here, so a person says `/release`.",
    };
  return {
    by: 'auto',
    why: 'No workflow that starts on a push or pull request holds secrets, an environment or an id-token.',
  };
}
