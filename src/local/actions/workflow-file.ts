/** Reads a workflow file: GitHub's own keys, parsed strictly, so that what the local runner does not know is refused. */
import { parse as parseYaml, YAMLParseError } from 'yaml';
import { z } from 'zod';

/** The workflow file is not one that the local runner can execute; the message starts with its path. */
export class WorkflowFileError extends Error {
  override name = 'WorkflowFileError';
}

/**
 * Parses a workflow file; `jobs` keep the file's own key names (`runs-on`, `continue-on-error`).
 * @throws WorkflowFileError naming the path, the place in the file and what is wrong there.
 */
export function parseWorkflow(text: string, path = '.github/workflows/workflow.yml'): Workflow {
  const parsed = workflowSchema.safeParse(readYaml(text, path));
  if (parsed.success) return { ...parsed.data, name: parsed.data.name ?? path };
  throw new WorkflowFileError(parsed.error.issues.map((issue) => `${path}: ${sentenceOf(issue)}`).join('\n'));
}

/**
 * What starts a workflow, read before the rest of its file, which may hold what the local runner does not know; undefined where not even that is said in
 * a way that can be read, as in a file that is no YAML.
 */
export function eventsIn(text: string, path: string): WorkflowEvents | undefined {
  try {
    return z.looseObject({ on: eventsSchema }).safeParse(readYaml(text, path)).data?.on;
  } catch (error) {
    if (!(error instanceof WorkflowFileError)) throw error;
    return undefined;
  }
}

/** Parses the `steps` of a local composite action file. @throws WorkflowFileError */
export function parseCompositeAction(text: string, path: string): CompositeAction {
  const parsed = compositeSchema.safeParse(readYaml(text, path));
  if (parsed.success) return parsed.data;
  throw new WorkflowFileError(parsed.error.issues.map((issue) => `${path}: ${sentenceOf(issue)}`).join('\n'));
}

export type Workflow = Omit<z.output<typeof workflowSchema>, 'name'> & { readonly name: string };
export type WorkflowEvents = z.output<typeof eventsSchema>;
export type WorkflowJobDefinition = z.output<typeof jobSchema>;
export type WorkflowStepDefinition = z.output<typeof stepSchema>;
export type WorkflowInputDefinition = z.output<typeof inputSchema>;
export type CompositeAction = z.output<typeof compositeSchema>;

function readYaml(text: string, path: string): unknown {
  try {
    return parseYaml(text);
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw new WorkflowFileError(`${path}: ${error.message}`, { cause: error });
  }
}

function sentenceOf(issue: z.core.$ZodIssue): string {
  const place = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  const at = place === '' ? '' : `${place.replace(/^\./, '')}: `;
  if (issue.code !== 'unrecognized_keys') return `${at}${issue.message}`;
  return `${at}the local runner does not know ${issue.keys.map((key) => `"${key}"`).join(', ')}`;
}

const scalarSchema = z.union([z.string(), z.number(), z.boolean()]);
const textSchema = scalarSchema.nullable().transform((value) => (value === null ? '' : String(value)));
const textMapSchema = z.record(z.string(), textSchema);
const listSchema = z.union([z.string().transform((value) => [value]), z.array(z.string())]);
const minutesSchema = z.union([z.number().positive(), z.string().includes('${{')]);
const flagSchema = z.union([z.boolean(), z.string().includes('${{')]);
const defaultsSchema = z.strictObject({
  run: z.strictObject({ shell: z.string().optional(), 'working-directory': z.string().optional() }).optional(),
});
const concurrencySchema = z.union([
  z.string().transform((group) => ({ group })),
  z.strictObject({ group: z.string(), 'cancel-in-progress': flagSchema.optional() }),
]);
const permissionsSchema = z.union([
  z.enum(['read-all', 'write-all']),
  z.record(z.string(), z.enum(['read', 'write', 'none'])),
]);

const inputSchema = z.strictObject({
  description: z.string().optional(),
  required: z.boolean().optional(),
  default: textSchema.optional(),
  deprecationMessage: z.string().optional(),
  type: z.enum(['string', 'boolean', 'number', 'choice', 'environment']).default('string'),
  options: z.array(textSchema).optional(),
});
const dispatchSchema = z.strictObject({ inputs: z.record(z.string(), inputSchema).default({}) });
const filterSchema = z.strictObject({
  branches: listSchema.optional(),
  'branches-ignore': listSchema.optional(),
  paths: listSchema.optional(),
  'paths-ignore': listSchema.optional(),
  tags: listSchema.optional(),
  'tags-ignore': listSchema.optional(),
  types: listSchema.optional(),
});
const emptyIfNull = (value: unknown): unknown => (value === null ? {} : value);
const eventsSchema = z.preprocess(
  eventTable,
  z.looseObject({
    workflow_dispatch: z.preprocess(emptyIfNull, dispatchSchema.optional()),
    push: z.preprocess(emptyIfNull, filterSchema.optional()),
    pull_request: z.preprocess(emptyIfNull, filterSchema.optional()),
  }),
);

const stepSchema = z
  .strictObject({
    id: z.string().optional(),
    name: z.string().optional(),
    if: scalarSchema.optional(),
    run: z.string().optional(),
    uses: z.string().optional(),
    with: textMapSchema.optional(),
    env: textMapSchema.optional(),
    shell: z.string().optional(),
    'working-directory': z.string().optional(),
    'continue-on-error': flagSchema.optional(),
    'timeout-minutes': minutesSchema.optional(),
  })
  .refine((step) => (step.run === undefined) !== (step.uses === undefined), {
    error: 'a step needs exactly one of "run" and "uses"',
  });

const isPlain = (matrix: unknown): boolean =>
  typeof matrix === 'object' && matrix !== null && !('include' in matrix) && !('exclude' in matrix);
const matrixSchema = z
  .unknown()
  .refine(isPlain, {
    error: 'the local runner knows only a matrix of plain lists, with neither include and exclude nor an expression',
    abort: true,
  })
  .pipe(z.record(z.string(), z.array(scalarSchema)));

const jobSchema = z.strictObject({
  name: z.string().optional(),
  'runs-on': z.union([z.string(), z.array(z.string())]),
  needs: listSchema.default([]),
  if: scalarSchema.optional(),
  permissions: permissionsSchema.optional(),
  environment: z.union([z.string(), z.strictObject({ name: z.string(), url: z.string().optional() })]).optional(),
  concurrency: concurrencySchema.optional(),
  env: textMapSchema.optional(),
  defaults: defaultsSchema.optional(),
  outputs: textMapSchema.optional(),
  strategy: z
    .strictObject({ matrix: matrixSchema, 'fail-fast': flagSchema.optional(), 'max-parallel': z.number().optional() })
    .optional(),
  'continue-on-error': flagSchema.optional(),
  'timeout-minutes': minutesSchema.optional(),
  steps: z.array(stepSchema).min(1),
});

const jobsSchema = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]*$/), jobSchema).check(({ value, issues }) => {
  for (const [id, { needs }] of Object.entries(value)) {
    const unknown = needs.filter((needed) => !Object.hasOwn(value, needed));
    for (const needed of unknown) {
      issues.push({ code: 'custom', input: id, path: [id, 'needs'], message: `depends on unknown job "${needed}"` });
    }
  }
  const cycle = cycleIn(value);
  if (cycle !== undefined) {
    issues.push({ code: 'custom', input: cycle, path: [cycle, 'needs'], message: 'depends on itself in a circle' });
  }
});

const workflowSchema = z
  .strictObject({
    name: z.string().optional(),
    'run-name': z.string().optional(),
    on: eventsSchema,
    permissions: permissionsSchema.optional(),
    concurrency: concurrencySchema.optional(),
    env: textMapSchema.optional(),
    defaults: defaultsSchema.optional(),
    jobs: jobsSchema,
  })
  .transform(({ 'run-name': runName, ...rest }) => ({ ...rest, runName }));

const compositeSchema = z.looseObject({
  inputs: z
    .record(z.string(), z.looseObject({ required: z.boolean().optional(), default: textSchema.optional() }))
    .default({}),
  outputs: z.record(z.string(), z.looseObject({ value: z.string() })).default({}),
  runs: z.strictObject({
    using: z.literal('composite', { error: 'the local runner knows only actions with `using: composite`' }),
    steps: z.array(stepSchema),
  }),
});

/** `on: push` and `on: [push]` mean the same as `on: { push: }`. */
function eventTable(on: unknown): unknown {
  if (typeof on === 'string') return { [on]: {} };
  if (Array.isArray(on)) return Object.fromEntries(on.map((event) => [String(event), {}]));
  return on;
}

/** A job that can never start because it waits for itself. */
function cycleIn(jobs: Readonly<Record<string, { readonly needs: readonly string[] }>>): string | undefined {
  const done = new Set<string>();
  const pending = new Set(Object.keys(jobs));
  for (let progress = true; progress; ) {
    progress = false;
    for (const id of pending) {
      if (!(jobs[id]?.needs ?? []).every((needed) => done.has(needed) || !Object.hasOwn(jobs, needed))) continue;
      pending.delete(id);
      done.add(id);
      progress = true;
    }
  }
  return [...pending][0];
}
