/** A repository's configuration: one Zod schema gives the types, the JSON schema and the refusals. */
import { z } from 'zod';
import { commands } from './loop/brief.ts';

/** `.github/loopwright.yml` on the default branch. Every key is read by code; an unknown key is refused. */
export const repositoryConfig = z.strictObject({
  version: z.literal(1),
  /** How the product is installed, built, tested and started. */
  commands: z.strictObject({
    install: commands.shape.install.default(null),
    build: commands.shape.build.default(null),
    test: commands.shape.test,
    start: commands.shape.start.default(null),
    health: commands.shape.health.default(null),
    runner: commands.shape.runner,
  }),
  /** Name of the loop branch; `{issue}` is replaced. It stays under `loopwright/`. */
  branch: z
    .string()
    .regex(/^loopwright\/[A-Za-z0-9._/-]*\{issue\}[A-Za-z0-9._-]*$/)
    .default('loopwright/{issue}'),
  /** Who moves the branch: the App, or a person with `/release`. Default: auto where the repository's workflows hold no secrets. */
  promotion: z.enum(['auto', 'person']).nullable().default(null),
  /** Globs that a loop may never change, besides the built-in ones. */
  protected: z.array(z.string()).default([]),
  limits: z
    .strictObject({
      iterations: z.int().min(1).max(5).default(3),
      usd: z.number().positive().default(3),
      runMinutes: z.number().positive().max(360).default(60),
      /** How long nothing may appear before the repository counts as having no checks of its own. */
      checksQuietSeconds: z.number().positive().default(120),
    })
    .prefault({}),
});
export type RepositoryConfig = z.infer<typeof repositoryConfig>;
