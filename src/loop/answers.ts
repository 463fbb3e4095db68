/** The structured answers that a model gives: those after the packet (BUILD to REFLECT), and the table of all. `loopwright schemas` prints them; their names are stable. */
import { z } from 'zod';
import {
  analysis,
  diagrams,
  interview,
  line,
  plan,
  requirement,
  requirementId,
  specification,
  specReview,
} from '../documents/documents.ts';
import { path } from '../documents/step.ts';

/** BUILD, skill test-designer: tests written before the code, by somebody who will not write the code. */
export const acceptanceTests = z.strictObject({
  files: z
    .array(z.strictObject({ path, content: z.string().min(1) }))
    .min(1)
    .describe('New test files only, in the place and style of the repository'),
  tests: z
    .array(
      z.strictObject({
        requirement: requirementId,
        kind: z.enum(['change', 'keep']),
        file: path,
        name: z
          .string()
          .min(1)
          .describe(
            'Full test name as the runner reports it: the title (inside a suite joined by " > "); for unittest and pytest Class.method, for a function of pytest its name',
          ),
      }),
    )
    .min(1)
    .describe(
      'At least one test for every change and keep requirement. New symbols are reached by dynamic lookup inside the test, so that on the base the test fails by assertion and not while loading',
    ),
});
export type AcceptanceTests = z.infer<typeof acceptanceTests>;

const reviewFinding = z.strictObject({
  severity: z.enum(['critical', 'required', 'optional', 'nit']),
  requirement: requirementId.nullable(),
  file: path,
  line: z.int().positive().nullable(),
  message: line,
  fix: line,
});

/** BUILD, skill security-and-hardening: STRIDE over the change. */
export const securityReview = z.strictObject({
  findings: z.array(
    reviewFinding.extend({
      category: z.enum([
        'spoofing',
        'tampering',
        'repudiation',
        'information-disclosure',
        'denial-of-service',
        'elevation-of-privilege',
      ]),
    }),
  ),
});
export type SecurityReview = z.infer<typeof securityReview>;

/** BUILD, skill requesting-code-review: `approve` together with a critical or required finding counts as `revise`. */
export const codeReview = z.strictObject({ verdict: z.enum(['approve', 'revise']), findings: z.array(reviewFinding) });
export type CodeReview = z.infer<typeof codeReview>;

/** SEED_DATA, skill ai-workflow-data-seeding: an idempotent script that prints `{"counts": {"name": number}}` as its last line. */
export const seedData = z.strictObject({
  needed: z
    .boolean()
    .describe('false when the change stores no data; then files and counts are empty and command is empty'),
  reason: line,
  files: z.array(z.strictObject({ path, content: z.string().min(1) })),
  command: z.array(z.string()).describe('The command that runs the script from the repository root'),
  counts: z.array(z.strictObject({ name: z.string().min(1), count: z.int().nonnegative() })),
});
export type SeedData = z.infer<typeof seedData>;

/** SHIP, skill shipping-and-launch: what people read before they merge. */
export const release = z.strictObject({
  title: line,
  notes: z.array(line).min(1),
  checklist: z.array(z.strictObject({ item: line, owner: line })).min(1),
  rollback: line,
  tag: z
    .string()
    .regex(/^v?[0-9]+\.[0-9]+\.[0-9]+$/)
    .describe('Proposed tag; nobody sets it automatically'),
});
export type Release = z.infer<typeof release>;

/** REFLECT, skill reflect: at most three typed proposals; a person accepts or declines each. */
export const reflection = z.strictObject({
  lessons: z.array(line).max(5).describe('Empty when the record teaches nothing'),
  proposals: z
    .array(z.strictObject({ type: z.enum(['skill', 'config']), target: line, change: line, evidence: line }))
    .max(3),
});
export type Reflection = z.infer<typeof reflection>;

/** Every artifact that a model may be asked for: its stable `response_format` name, the phase that asks, the skills that are chained in that one call (the first names it), and its schema. */
export const ANSWERS = {
  interview: { phase: 'DISCOVER', skills: ['interview-me'], role: 'planner', schema: interview },
  requirement: { phase: 'DISCOVER', skills: ['requirement-writing'], role: 'planner', schema: requirement },
  specification: {
    phase: 'DEFINE',
    skills: ['speckit-specify', 'api-and-interface-design'],
    role: 'planner',
    schema: specification,
  },
  'spec-review': { phase: 'DEFINE', skills: ['spec-review'], role: 'critic', schema: specReview },
  plan: { phase: 'PLAN', skills: ['writing-plans', 'speckit-tasks'], role: 'architect', schema: plan },
  analysis: {
    phase: 'PLAN',
    skills: ['speckit-analyze', 'doubt-driven-development', 'speckit-checklist'],
    role: 'critic',
    schema: analysis,
  },
  diagrams: { phase: 'PLAN', skills: ['architecture-diagram-generator'], role: 'architect', schema: diagrams },
  'acceptance-tests': {
    phase: 'BUILD',
    skills: ['test-designer', 'test-driven-development'],
    role: 'test-designer',
    schema: acceptanceTests,
  },
  'security-review': { phase: 'BUILD', skills: ['security-and-hardening'], role: 'security', schema: securityReview },
  'code-review': { phase: 'BUILD', skills: ['requesting-code-review'], role: 'reviewer', schema: codeReview },
  'seed-data': { phase: 'SEED_DATA', skills: ['ai-workflow-data-seeding'], role: 'builder', schema: seedData },
  release: {
    phase: 'SHIP',
    skills: ['shipping-and-launch', 'observability-and-instrumentation', 'git-workflow'],
    role: 'planner',
    schema: release,
  },
  reflection: { phase: 'REFLECT', skills: ['reflect'], role: 'critic', schema: reflection },
} as const;
export type AnswerName = keyof typeof ANSWERS;
export type Answer<Name extends AnswerName> = z.infer<(typeof ANSWERS)[Name]['schema']>;

/** The same table, told to the compiler per name, so that a name's schema gives that name's answer. */
const SCHEMAS: { readonly [Name in AnswerName]: { readonly schema: z.ZodType<Answer<Name>> } } = ANSWERS;

export function schemaOf<Name extends AnswerName>(name: Name): z.ZodType<Answer<Name>> {
  return SCHEMAS[name].schema;
}
