/** The goal spec that an issue may carry as a fenced YAML or JSON block: mandatory numbers, refused without them. */
import { z } from 'zod';
import { line, metric, surface } from '../documents/documents.ts';
import { path } from '../documents/step.ts';
import { plainProblem } from './plain-problem.ts';
import { type Priority, priority } from './terms.ts';

/** A path of the repository, or a glob that begins with one; a glob of everything would forbid every change. */
const bound = path.max(400).regex(/^(?!\/)(?!.*(?:^|\/)\.\.?(?:\/|$))[^*?\\][^\\]*$/, {
  error: 'name a file or folder of the repository, like `src/auth`',
});

export const goal = z.strictObject({
  kind: z.enum(['vulnerability-fix', 'performance', 'test-generation', 'api', 'ci-healing', 'feature', 'research']),
  objective: z.string().min(10),
  metrics: z
    .array(metric.extend({ unit: metric.shape.unit.default('') }))
    .min(1)
    .max(20),
  boundaries: z
    .strictObject({ paths: z.array(bound).max(50).default([]), operations: z.array(line).max(50).default([]) })
    .prefault({}),
  limits: z
    .strictObject({
      iterations: z.int().min(1).max(5).optional(),
      minutes: z.number().min(1).optional(),
      usd: z.number().min(0).optional(),
      tokens: z.int().positive().optional(),
    })
    .prefault({}),
  /** When it is done, in words. */
  termination: line.optional(),
  priority: priority.optional(),
  surface: surface.optional(),
});
export type Goal = z.infer<typeof goal>;

/** The class in which a goal is served: the one that it names, or that of its kind. */
export function priorityOf({ priority: named, kind }: Goal): Priority {
  return named ?? (kind === 'vulnerability-fix' ? 'vulnerability' : 'routine');
}

const SUGGESTED_METRIC = '`metrics: [{name: uat_pass_rate, operator: ">=", value: 0.95}]`';

/** Checks a parsed goal block. Returns the goal, or one sentence that names the field and the remedy. */
export function checkGoal(value: unknown): Goal | string {
  const parsed = goal.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  if (issue?.code === 'unrecognized_keys')
    return `The goal has an unknown key "${issue.keys.join('", "')}"; remove it and set the label again.`;
  if (field === 'metrics' || field === '')
    return `The goal has no quantitative acceptance metric ("metrics"), so nothing could prove that it is reached; add for example ${SUGGESTED_METRIC} and set the label again.`;
  return `The goal's "${field}" ${issue === undefined ? 'is refused' : plainProblem(issue)}; correct it and set the label again.`;
}
