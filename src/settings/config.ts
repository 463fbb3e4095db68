/** A repository's configuration: one Zod schema gives the types, the JSON schema and the refusals. */
import { z } from 'zod';
import { commands } from '../loop/brief.ts';
import { strengthPolicy } from '../loop/terms.ts';

/** Where a repository keeps its configuration. */
export const CONFIG_PATH = '.github/loopwright.yml';

/** File names of the two workflows, by the phase that runs in them: SEED_DATA is the second job of BUILD's. */
export const WORKFLOWS = {
  build: 'loopwright-build.yml',
  verify: 'loopwright-verify.yml',
} as const;

/** The environment of GitHub's that a job must name to ask a model: `sub` then says so, and no cloud role trusts it by accident. */
export const JOB_ENVIRONMENT = 'loopwright';

/** Branches that the App may write begin with this. */
export const BRANCH_PREFIX = 'loopwright/';

/** `.github/loopwright.yml` on the default branch. Every key is read by code; an unknown key is refused. The README's table is made of these words. */
export const repositoryConfig = z.strictObject({
  version: z.literal(1).describe('always 1'),
  commands: z
    .strictObject({
      install: commands.shape.install
        .default(null)
        .describe('makes what the product needs, **without network** (below)'),
      build: commands.shape.build.default(null).describe('compiles it'),
      test: commands.shape.test.describe('the whole suite; exit code 0 is green'),
      tests: z
        .array(z.string().min(1))
        .default([])
        .describe(
          'globs of the test files that `test` runs; the others are not asked, which is said; by default all are',
        ),
      directory: commands.shape.directory
        .default(null)
        .describe(
          'the folder in which `test` and single tests run, as `packages/shop`; only test files below it are asked. All other commands run at the root, by default these too',
        ),
      hosts: commands.shape.hosts
        .unwrap()
        .default([])
        .describe(
          'hosts that commands and tests may reach, as `api.acme.dev` or `cache.acme.dev:8080`; by default there is **no network**. What else they ask for is refused, and named in the log of the job',
        ),
      lint: commands.shape.lint
        .default(null)
        .describe(
          'a linter; what it finds on a candidate and not on its base does not pass. It prints places, or SARIF, or writes SARIF to `{report}`',
        ),
      types: commands.shape.types.default(null).describe('a type checker, read in the same way'),
      scan: commands.shape.scan
        .default(null)
        .describe('a scanner, read in the same way, as `semgrep scan --sarif --output {report}`'),
      start: commands.shape.start
        .default(null)
        .describe('serves it in the foreground on `PORT`; needed for an HTTP API or pages'),
      health: commands.shape.health
        .default(null)
        .describe('path that answers 200 when it is ready; needed with `start`'),
      runner: commands.shape.runner.describe(
        'reads single tests: `node-test`, `vitest`, `jest`, `pytest`, `unittest`, or `junit` for any command that writes JUnit XML',
      ),
      junit: commands.shape.junit
        .default(null)
        .describe(
          'for the runner `junit`: `run`, a command in which `{files}` stands for test files and `{report}` for the XML file that it writes; and `sentinel`, the text of a test file with a test `{name} passes`, which passes, and a test `{name} fails`, which fails: it goes along with each file, and nothing is believed where they are told otherwise',
        ),
    })
    .refine(({ runner, junit }) => (runner === 'junit') === (junit !== null && junit !== undefined), {
      path: ['junit'],
      error: '"commands.junit" is there for "runner: junit", which needs it, and for no other.',
    })
    .refine(({ start, health }) => start === null || health !== null, {
      path: ['start'],
      error: '"commands.start" needs "commands.health"; add the path that answers 200 when what it serves is ready.',
    }),
  branch: z
    .string()
    .regex(/^loopwright\/[A-Za-z0-9._/-]*\{issue\}[A-Za-z0-9._-]*$/, {
      error: 'must begin with "loopwright/" and have "{issue}" in its last part, beside letters, digits and . _ -',
    })
    .default('loopwright/{issue}')
    .describe('name of the loop branch, under `loopwright/`'),
  promotion: z
    .enum(['auto', 'person'])
    .nullable()
    .default(null)
    .describe(
      'who moves the branch: `auto`, or a `person` by `/release`; by default auto where no workflow of a push or pull request uses secrets, and a person in local mode',
    ),
  strength: strengthPolicy
    .default('reported')
    .describe(
      'where tests notice fewer faults than the gate `mutation_score` asks for, the test designer adds to them, twice at most; then the change is `reported` as weakly proved, or does not pass where strength is `required`',
    ),
  protected: z.array(z.string()).default([]).describe('globs that a loop may never change, besides the built-in ones'),
  limits: z
    .strictObject({
      iterations: z.int().min(1).max(5).default(3).describe('builds per approved plan, 1 to 5'),
      usd: z
        .number()
        .min(0)
        .default(3)
        .describe('price at which a loop waits for a person; 0 makes no call; without `LLM_PRICE` it is unknown'),
      commandSeconds: z
        .number()
        .positive()
        .max(3600)
        .default(600)
        .describe('seconds that install, build, or one command of the builder may take, at most 3600'),
      suiteSeconds: z
        .number()
        .positive()
        .max(7200)
        .default(900)
        .describe('seconds that `commands.test`, or the tests of a change, may take, at most 7200'),
      modelSeconds: z
        .number()
        .positive()
        .max(3600)
        .default(300)
        .describe(
          'seconds for which a model may be silent; its answers are streamed, so a long one is not late; at most 3600',
        ),
      runMinutes: z
        .number()
        .positive()
        .max(360)
        .default(60)
        .describe(
          'minutes a run may take, with its wait for a machine, at most 360; the workflows end a job of BUILD after 120 and of VERIFY after 90, unless `timeout-minutes` there says otherwise',
        ),
      checksQuietSeconds: z
        .number()
        .positive()
        .default(120)
        .describe("seconds without a change to the repository's own checks before they are judged"),
    })
    .prefault({}),
});
export type RepositoryConfig = z.infer<typeof repositoryConfig>;
