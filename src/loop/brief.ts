/** What the App hands to a job and what the job hands back: two documents, checked at both doors. */
import { z } from 'zod';
import { acceptanceRow, supersededTest, surface, task } from '../documents/documents.ts';
import { acceptanceTests, seedData } from './answers.ts';
import { purse } from './costs.ts';
import { commitSha, defect, digest, measurement, thresholds } from './measurement.ts';
import { requirementStrength } from './strength.ts';
import { strengthPolicy } from './terms.ts';
import { hostName, junitCommand, testDirectory } from './test-commands.ts';
import { toolCommands, toolName } from './tools.ts';
import { waiver } from './waiver.ts';

/** How the repository is installed, built, tested and started. A missing command is not run; `test` is needed. */
export const commands = z.strictObject({
  install: z.string().nullable(),
  build: z.string().nullable(),
  /** The repository's own suite; exit code 0 is green. */
  test: z.string(),
  /** Tools whose findings a candidate may not add to; `{report}` stands for a SARIF file that one writes. */
  ...toolCommands,
  /** Globs of the test files that are asked one by one; absent or empty, all are. */
  tests: z.array(z.string()).optional(),
  /** Where `test` and single tests are run, and below which they lie; absent, at the root. */
  directory: testDirectory.nullish(),
  /** Starts the product in the foreground, for surfaces http and web; the port is in the environment as PORT. */
  start: z.string().nullable(),
  /** Path that answers 200 when the product is ready. */
  health: z.string().nullable(),
  /** Which runner adapter reads single test results. */
  runner: z.enum(['node-test', 'vitest', 'jest', 'pytest', 'unittest', 'junit']),
  /** For the runner `junit` only. */
  junit: junitCommand.nullish(),
  /** Hosts that the commands may reach, each `name` or `name:port`; absent or empty, none. */
  hosts: z.array(hostName).optional(),
});
export type Commands = z.infer<typeof commands>;

/** One file of a proposed change, as a tree entry. `content` is base64; null deletes the file. */
export const fileChange = z.strictObject({
  path: z.string().min(1).max(400),
  mode: z.enum(['100644', '100755']),
  content: z.string().nullable(),
});
export type FileChange = z.infer<typeof fileChange>;

/** The tests that the designer wrote, frozen: `digest` is over their files, and nobody may change them afterwards. */
export const frozenTests = acceptanceTests.extend({
  digest,
  /** Tests that came later, because those before them did not notice enough; each `file::name`. */
  added: z.array(z.strictObject({ test: z.string(), because: z.string() })).optional(),
});
export type FrozenTests = z.infer<typeof frozenTests>;

export const brief = z.strictObject({
  version: z.literal(2),
  loop: z.strictObject({ id: z.string(), owner: z.string(), repo: z.string(), issue: z.int(), title: z.string() }),
  /** The loop's in the App's store; by it the App knows for whom the brief is. */
  key: z.string().optional(),
  phase: z.enum(['BUILD', 'VERIFY']),
  entry: z.int(),
  /** 1-based number of the BUILD entry under the current plan; the X-Loopwright-Attempt header. */
  iteration: z.int(),
  /** Head of the loop branch (or landed candidate) that is checked out, and the base commit of the loop. */
  candidate: commitSha,
  base: commitSha,
  surface,
  commands,
  /** Approved documents by path, as text: requirement.md, spec.md, plan.md, acceptance.md, contract… */
  documents: z.array(z.strictObject({ path: z.string(), text: z.string() })),
  requirements: z.array(
    z.strictObject({ id: z.string(), kind: z.enum(['change', 'keep', 'metric']), statement: z.string() }),
  ),
  tasks: z.array(task),
  acceptance: z.array(acceptanceRow),
  /** Existing tests that the approved plan takes out. */
  supersededTests: z.array(supersededTest),
  /** What an earlier iteration of the same plan left behind, against the commit `head`; null on the first. */
  previous: z
    .strictObject({
      head: commitSha,
      changes: z.array(fileChange),
      tests: frozenTests.nullable(),
      /** Tasks that a failure left undone. */
      unfinished: z.array(z.string()),
      /** The tree that they make was judged and failed: unless the builder changes it, nobody is asked about it again. */
      failed: z.boolean(),
    })
    .nullable(),
  /** The frozen tests and all changed paths, for VERIFY. */
  tests: frozenTests.nullable(),
  seed: seedData.nullable(),
  /** The files of the last seed: they are no part of the product, as long as they are as it made them. */
  seeded: z.array(fileChange),
  /** Tests that were frozen under plans that people sent back: where they still lie as they were frozen, BUILD takes them away. */
  retired: z.array(frozenTests.shape.files.element),
  defects: z.array(defect),
  /** Findings that people lifted. */
  waivers: z.array(waiver),
  /** `/context` texts of people, oldest first. */
  context: z.array(z.string()),
  /** Skill texts by name. */
  skills: z.record(z.string(), z.string()),
  model: z.strictObject({
    name: z.string(),
    scripted: z.boolean(),
    /** The App's address, as whose audience the job asks for its identity; absent where the model's own address is given. */
    audience: z.url().optional(),
  }),
  /** What the job may spend; null where the price is unknown. */
  purse: purse.nullable(),
  policy: z.strictObject({
    /** Globs that a change may never touch. */
    protectedPaths: z.array(z.string()),
    maxFiles: z.int(),
    maxBytes: z.int(),
  }),
  limits: z.strictObject({
    /** Tool calls per task conversation. */
    agentSteps: z.int(),
    /** For how long a model may be silent. */
    modelSilenceMs: z.int(),
    commandTimeoutMs: z.int(),
    /** For the whole suite, and for the tests of a change. */
    suiteTimeoutMs: z.int(),
    outputBytes: z.int(),
    designAttempts: z.int(),
    reviewRevisions: z.int(),
  }),
  /** Of every gate; the App judges by the same. */
  thresholds,
  strength: strengthPolicy,
});
export type Brief = z.infer<typeof brief>;

/** What kept generated code away from the machine. */
export const sandboxKind = z.enum(['bubblewrap', 'none']);
export type SandboxKind = z.infer<typeof sandboxKind>;

/** One call to a model, for cost and count. */
export const modelCall = z.strictObject({
  phase: z.string(),
  skill: z.string(),
  role: z.string(),
  attempt: z.int(),
  promptTokens: z.int().min(0),
  completionTokens: z.int().min(0),
  /** The endpoint stated no tokens: they are estimated by the length of the texts. */
  estimated: z.literal(true).optional(),
  durationMs: z.number(),
});
export type ModelCall = z.infer<typeof modelCall>;

/** A call as an event tells of it; one that the App made has the id that it is booked under. A job's report names none, so that it settles no other's. */
export const bookedCall = modelCall.extend({ id: z.string().optional() });
export type BookedCall = z.infer<typeof bookedCall>;

/** A test's verdict in one tree. `fail` is an assertion; anything that stops the test before its assertion is `load-error`. */
export const outcome = z.enum(['pass', 'fail', 'load-error', 'not-run']);
export type Outcome = z.infer<typeof outcome>;

/** What proves one requirement. `mutated` belongs to kind keep, and to a change where a fault can be made in it; `value` to kind metric. */
export const evidenceRow = z.strictObject({
  requirement: z.string(),
  kind: z.enum(['change', 'keep', 'metric']),
  /** `file::name`, or the metric's name. */
  test: z.string(),
  base: outcome,
  head: outcome,
  reverted: outcome,
  /** `fail` where a fault in the product made a test of the requirement fail; not-run where none was tried. */
  mutated: outcome,
  /** The runner's outcomes are those that it tells itself, not sealed against the code under test. */
  trust: z.literal('told').optional(),
  /** The fault that turned the test red: file, line, what was done. */
  fault: z.string().optional(),
  value: z.number().nullable(),
  proven: z.boolean(),
  reason: z.string(),
});
export type EvidenceRow = z.infer<typeof evidenceRow>;

/** Why a job could not do its work: the model and the set-up need a person, the work is tried again. */
export const jobFailure = z.strictObject({
  cause: z.enum(['model', 'setup', 'work', 'budget']),
  message: z.string().min(1),
});
export type JobFailure = z.infer<typeof jobFailure>;

const common = {
  version: z.literal(2),
  loop: z.string(),
  entry: z.int(),
  candidate: commitSha,
  base: commitSha,
  sandbox: sandboxKind,
  /** What of the sandbox the machine did not have, and what stood in for it. */
  missingWalls: z.array(z.string()).optional(),
  measurements: z.array(measurement),
  defects: z.array(defect),
  calls: z.array(modelCall),
  /** The workflow run that delivered it; the App says which, not the job. */
  run: z.int().optional(),
  /** Set when the job could not do its work to the end; then measurements are missing and gates block. */
  failure: jobFailure.nullable(),
  durationMs: z.number(),
};

/** `report.json` of the artifact `build`. `changes` is relative to `candidate`, tests included. */
export const buildReport = z.strictObject({
  kind: z.literal('build'),
  ...common,
  /** With a failure, what the tasks that came to their end had made. */
  changes: z.array(fileChange),
  tests: frozenTests.nullable(),
  /** Ids of the tasks that a failure left undone; empty where there was none. */
  unfinished: z.array(z.string()),
  /** The builder changed nothing of a tree that was judged and failed; then nothing was measured either. */
  unchanged: z.literal(true).optional(),
});
export type BuildReport = z.infer<typeof buildReport>;
/** `report.json` of the artifact `seed`. `changes` is what the seed adds on top of the build's changes. */
export const seedReport = z.strictObject({
  kind: z.literal('seed'),
  ...common,
  changes: z.array(fileChange),
  seed: seedData.nullable(),
});
export type SeedReport = z.infer<typeof seedReport>;
/** `report.json` of the artifact `verify`. */
export const verifyReport = z.strictObject({
  kind: z.literal('verify'),
  ...common,
  evidence: z.array(evidenceRow),
  acceptance: z.array(
    z.strictObject({ id: z.string(), requirement: z.string(), passed: z.boolean(), detail: z.string() }),
  ),
  /** How much the tests of each change notice, where faults could be made in it. */
  strengths: z.array(requirementStrength).optional(),
  /** The repository's tools that the brief names, whether or not they could be measured; none when absent. */
  tools: z.array(toolName).optional(),
  /** Tests that were added to those that were frozen first, and why. */
  addedTests: frozenTests.shape.added,
  /** What was taken out, and how each does on the head where it is put back: one that passes did not have to go. */
  supersededTests: z.array(supersededTest.extend({ head: outcome })).optional(),
});
export type VerifyReport = z.infer<typeof verifyReport>;

/** The artifact holds `report.json` and, for each measurement, its raw output as `raw/<64 hex>`. */
export const report = z.discriminatedUnion('kind', [buildReport, seedReport, verifyReport]);
export type Report = z.infer<typeof report>;
