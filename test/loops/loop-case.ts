/** A case of `npm run loops`: a repository, an issue about it, and what a model would answer. */
import { z } from 'zod';
import { specification } from '../../src/documents/documents.ts';
import { step } from '../../src/documents/step.ts';

const requirement = specification.shape.requirements.element.omit({ metric: true });

/** Tests are authored, in the words of the fix's own tests; the code of builds comes from patches. */
export const loopCase = z.strictObject({
  /** A folder of the corpus; without it the repository is Loopwright's own. */
  fix: z.string().optional(),
  /** npm packages whose programs the set-up action wants: `pnpm@9.15.2`. */
  tools: z.array(z.string()).default([]),
  /** What the repository's tests are run by: `init` is told it, because nothing is installed in the checkout that it would try. */
  runner: z.enum(['node-test', 'vitest', 'jest', 'pytest', 'unittest']),
  /** Lines of `.github/loopwright.yml` that a person sets right after `init`. */
  corrected: z.record(z.string(), z.string()).default({}),
  title: z.string(),
  body: z.string(),
  summary: z.string(),
  requirements: z.array(requirement),
  contract: z.string(),
  task: z.strictObject({ title: z.string(), files: z.array(z.string()), detail: z.string() }),
  /** Steps by requirement. */
  acceptance: z.record(z.string(), z.array(step).min(1)),
  tests: z.strictObject({
    path: z.string(),
    content: z.string(),
    /** Full names by requirement. */
    names: z.record(z.string(), z.array(z.string()).min(1)),
  }),
  /** Patches of the fix's folder or beside the case, one for each build; each is laid over the base. */
  builds: z.array(z.string()).min(2),
  /** What the builder runs before it submits. */
  command: z.string(),
});
export type LoopCase = z.infer<typeof loopCase>;
