/** One step of an acceptance row: what a program does with the built product, and what must come back. */
import { z } from 'zod';

export const path = z
  .string()
  .min(1)
  .describe('Path in the repository, with forward slashes, not starting with a slash');

const httpStep = z.strictObject({
  type: z.literal('http'),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  path: z.string().regex(/^\//),
  headers: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  body: z.string().nullable(),
  expected: z.strictObject({
    status: z.int(),
    contains: z.array(z.string()).describe('Each text occurs in the response body'),
    json: z.array(
      z.strictObject({
        pointer: z.string().describe('JSON pointer, for example /0/name; empty for the whole body'),
        equals: z.string().describe('The expected value as JSON text'),
      }),
    ),
  }),
});
const pageStep = z.strictObject({
  type: z.literal('page'),
  path: z.string().regex(/^\//),
  expected: z.strictObject({
    selector: z.string().describe('CSS selector'),
    contains: z.string().describe('Text inside the first match'),
  }),
});
const pattern = z.string().refine(isPattern, 'must be a JavaScript regular expression');
const cliStep = z.strictObject({
  type: z.literal('cli'),
  arguments: z.array(z.string()).min(1).describe('The whole command, the program first; run in the repository root'),
  stdin: z.string().nullable(),
  expected: z.strictObject({
    exitCode: z.int(),
    contains: z.array(z.string()).describe('Each text occurs in standard output'),
    equals: z
      .string()
      .nullable()
      .default(null)
      .describe('The whole standard output; null when only parts of it matter'),
    matches: z
      .array(pattern)
      .default([])
      .describe('Each matches somewhere in standard output; ^ and $ are ends of lines'),
    stderr: z.array(z.string()).default([]).describe('Each text occurs in standard error'),
  }),
});
const callStep = z.strictObject({
  type: z.literal('call'),
  module: path.describe('File that exports the function (JavaScript module or Python file)'),
  function: z.string(),
  arguments: z.string().describe('JSON array of positional arguments'),
  expected: z.strictObject({ equals: z.string().describe('The expected return value as JSON text') }),
});
export const step = z.discriminatedUnion('type', [httpStep, pageStep, cliStep, callStep]);
export type Step = z.infer<typeof step>;

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'm') instanceof RegExp;
  } catch {
    return false;
  }
}
