/** The goal spec that an issue may carry as a fenced YAML or JSON block: mandatory numbers, refused without them. */
import { z } from 'zod';
import { metric, surface } from '../documents/documents.ts';

export const goal = z.strictObject({
  kind: z.enum(['vulnerability-fix', 'performance', 'test-generation', 'api', 'ci-healing', 'feature', 'research']),
  objective: z.string().min(10),
  metrics: z.array(metric.extend({ unit: metric.shape.unit.default('') })).min(1),
  boundaries: z
    .strictObject({ paths: z.array(z.string()).default([]), operations: z.array(z.string()).default([]) })
    .prefault({}),
  limits: z
    .strictObject({
      iterations: z.int().min(1).max(5).optional(),
      minutes: z.number().positive().optional(),
      usd: z.number().min(0).optional(),
      tokens: z.int().positive().optional(),
    })
    .prefault({}),
  termination: z.string().optional(),
  priority: z.enum(['vulnerability', 'incident', 'routine']).optional(),
  surface: surface.optional(),
});
export type Goal = z.infer<typeof goal>;

const SUGGESTED_METRIC = '`metrics: [{name: uat_pass_rate, operator: ">=", value: 0.95}]`';

/** Checks a parsed goal block. Returns the goal, or one sentence that names the field and the remedy. */
export function checkGoal(value: unknown): Goal | string {
  const parsed = goal.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  if (issue?.code === 'unrecognized_keys')
    return `The goal has an unknown key "${issue.keys.join('", "')}"; remove it and set the label again.`;
  if (field === 'metrics' || field === '')
    return `The goal has no quantitative acceptance metric ("metrics"), so nothing could prove that it is reached; add for example ${SUGGESTED_METRIC} and set the label again.`;
  return `The goal's "${field}" is refused: ${issue?.message ?? 'unknown'}; correct it and set the label again.`;
}
