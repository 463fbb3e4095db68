/** The structured answers that become documents of the packet (DISCOVER, DEFINE, PLAN), one schema per artifact. */
import { z } from 'zod';
import { path, step } from './step.ts';

export const requirementId = z
  .string()
  .regex(/^R-[1-9][0-9]*$/)
  .describe('Requirement id: R-1, R-2, …');
const taskId = z
  .string()
  .regex(/^T-[1-9][0-9]*$/)
  .describe('Task id: T-1, T-2, …');
const rowId = z
  .string()
  .regex(/^A-[1-9][0-9]*$/)
  .describe('Acceptance row id: A-1, A-2, …');
export const line = z.string().min(1).max(400);

export const surface = z
  .enum(['library', 'cli', 'http', 'web'])
  .describe('How the result is reached: imported code, a command line, an HTTP API, or web pages');
export type Surface = z.infer<typeof surface>;
export const operator = z.enum(['<=', '>=', '<', '>', '==']);
export const requirementKind = z
  .enum(['change', 'keep', 'metric'])
  .describe(
    'change: new behaviour, its test fails on the base by assertion and passes afterwards; keep: behaviour that must stay; metric: a number that VERIFY measures',
  );
export type RequirementKind = z.infer<typeof requirementKind>;

export const metric = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_]*$/)
    .describe('p95_ms is measured by VERIFY; uat_pass_rate and test_pass_rate too'),
  operator,
  value: z.number(),
  unit: z.string(),
});

/** DISCOVER, skill interview-me: what is still unknown. */
export const interview = z.strictObject({
  questions: z
    .array(
      z.strictObject({
        question: line,
        why: line.describe('What would be built differently'),
        options: z.array(z.strictObject({ key: z.string().regex(/^[a-e]$/), text: line })).max(5),
        safeDefault: z
          .string()
          .nullable()
          .describe('What is assumed when nobody answers; null when no assumption is safe'),
      }),
    )
    .max(5)
    .describe('At most five; empty when the issue answers everything'),
});
export type Interview = z.infer<typeof interview>;

/** DISCOVER, skill requirement-writing: the goal, quantified. */
export const requirement = z.strictObject({
  title: line,
  objective: z.string().min(10),
  kind: z.enum(['vulnerability-fix', 'performance', 'test-generation', 'api', 'ci-healing', 'feature', 'research']),
  surface,
  metrics: z.array(metric).min(1).describe('At least one quantitative acceptance metric'),
  boundaries: z.strictObject({
    paths: z.array(path).describe('Paths that must not change'),
    operations: z.array(line).describe('Operations that are denied'),
  }),
  assumptions: z.array(line),
  outOfScope: z.array(line),
  stories: z.array(z.strictObject({ as: line, want: line, so: line })).min(1),
});
export type Requirement = z.infer<typeof requirement>;

/** DEFINE, skill speckit-specify: requirements with measurable criteria, and the interface document. */
export const specification = z.strictObject({
  summary: z.string().min(20).max(1200),
  requirements: z
    .array(
      z.strictObject({
        id: requirementId,
        kind: requirementKind,
        statement: z.string().min(10).max(600),
        criteria: z
          .array(line)
          .min(1)
          .describe('Each can be checked by a machine: names an input and the exact expected result or number'),
        metric: metric.nullable().describe('Only for kind metric; else null'),
      }),
    )
    .min(1)
    .max(12),
  contract: z.strictObject({
    format: z.enum(['openapi', 'cli', 'signatures']),
    text: z.string().min(20).describe('OpenAPI 3 YAML, a command-line description, or exported signatures'),
  }),
  outOfScope: z.array(line),
  risks: z.array(line),
});
export type Specification = z.infer<typeof specification>;

/** The points of the specification rubric, each judged per requirement by a reviewer that is not the writer. */
export const RUBRIC = ['unambiguous', 'measurable', 'testable', 'consistent', 'in-scope'] as const;

/** DEFINE, skill spec-review: a verdict with a quote for every rubric point of every requirement. */
export const specReview = z.strictObject({
  points: z.array(
    z.strictObject({
      requirement: requirementId,
      point: z.enum(RUBRIC),
      met: z.boolean(),
      quote: z
        .string()
        .min(3)
        .describe('Copied letter by letter from spec.md; a quote that does not occur there counts as not met'),
    }),
  ),
});
export type SpecReview = z.infer<typeof specReview>;

export const acceptanceRow = z.strictObject({
  id: rowId,
  requirement: requirementId,
  kind: requirementKind,
  title: line,
  steps: z
    .array(step)
    .describe(
      'Performed in order on the built product; empty only for kind metric. At least one reaches it through its surface: http or page for http and web, cli or call for cli and library',
    ),
});
export type AcceptanceRow = z.infer<typeof acceptanceRow>;

export const task = z.strictObject({
  id: taskId,
  title: line,
  requirements: z.array(requirementId).min(1),
  files: z
    .array(path)
    .min(1)
    .describe(
      'Non-test files that this task creates or changes; together they are all that may change, besides tests and seed data',
    ),
  dependsOn: z.array(taskId),
  detail: z.string().min(10).max(4000),
});
export type Task = z.infer<typeof task>;

/** A test of the repository that asserts what a requirement changes; people see each before they approve that it is taken out. */
export const supersededTest = z.strictObject({
  file: path.describe('Existing test file'),
  name: line.describe(
    'Full name as the runner reports it: for node:test, Vitest and Jest the title (inside a suite joined by " > "), for unittest and pytest Class.method, for a function of pytest its name',
  ),
  requirement: requirementId.describe('The change requirement that asks for the opposite'),
  why: line.describe('What the test asserts today, and what the requirement asks for instead'),
});
export type SupersededTest = z.infer<typeof supersededTest>;

/** PLAN, skill writing-plans: tasks and executable acceptance rows. */
export const plan = z.strictObject({
  approach: z.string().min(20).max(3000),
  tasks: z.array(task).min(1).max(20),
  acceptance: z.array(acceptanceRow).min(1).max(60).describe('At least one row per requirement'),
  supersededTests: z
    .array(supersededTest)
    .max(10)
    // A plan that was stored before the question was asked.
    .default([])
    .describe('Existing tests that assert the opposite of a change requirement; empty when there are none'),
});
export type Plan = z.infer<typeof plan>;

/** PLAN, skill speckit-analyze: consistency findings, doubts and the requirements checklist. */
export const analysis = z.strictObject({
  findings: z.array(
    z.strictObject({
      severity: z
        .enum(['critical', 'high', 'medium', 'low'])
        .describe('critical and high send the work back; medium and low are shown to the people who approve'),
      cause: z
        .enum(['plan', 'spec'])
        // A finding that was stored before the question was asked.
        .default('plan')
        .describe(
          'What must change: plan (tasks, rows), or spec where only spec.md or the interface document can mend it',
        ),
      where: line,
      finding: line,
      action: line,
    }),
  ),
  doubts: z
    .array(
      z.strictObject({
        claim: line,
        doubt: line,
        attack: z.enum(['complexity', 'performance', 'flexibility', 'security', 'operations', 'alternative', 'team']),
        resolution: z.string().nullable().describe('How it is settled; null when it stays open'),
      }),
    )
    .min(1),
  checklist: z.array(z.strictObject({ item: line, satisfied: z.boolean() })).min(1),
});
export type Analysis = z.infer<typeof analysis>;

/** PLAN, skill architecture-diagram-generator: four Mermaid texts without directives, front matter or links. */
export const diagrams = z.strictObject({
  component: z.string().min(10).describe('Mermaid flowchart'),
  sequence: z.string().min(10).describe('Mermaid sequenceDiagram'),
  dataFlow: z.string().min(10).describe('Mermaid flowchart'),
  deployment: z.string().min(10).describe('Mermaid flowchart'),
});
export type Diagrams = z.infer<typeof diagrams>;
