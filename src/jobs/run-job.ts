/** Runs one job from its brief to its report; nothing but a brief that cannot be read ends without a report. */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { createModel, type ModelOptions } from '../adapters/model.ts';
import { ConfigError, SandboxError } from '../errors.ts';
import { programText } from '../inside/program-text.ts';
import { type Brief, brief as briefSchema, type JobFailure, type Report } from '../loop/brief.ts';
import { VERIFY_BRIEF } from '../loop/repeated.ts';
import type { Model } from '../ports.ts';
import { type Egress, openEgress } from '../sandbox/egress.ts';
import { exists } from '../sandbox/programs.ts';
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { loadParsers, type Parsers, parsersFolder } from '../syntax/parsers.ts';
import { createIdentityToken } from './identity-token.ts';
import { failedReport } from './report/failed-report.ts';
import { reportFromRoot } from './report/from-root.ts';
import { parseJson } from './report/json.ts';
import { createRawStore } from './report/raw.ts';
import { type ReportVerdict, writeReport } from './report/report.ts';
import { causeOf } from './report/report-facts.ts';
import { draftFolder, readDraft } from './seed/draft.ts';
import { countCalls, type JobEnvironment, JobError, SetupError } from './workspace/environment.ts';

/** What the workflow hands to the job; empty texts mean "not given". */
export interface JobVariables {
  readonly LOOPWRIGHT_BRIEF: string;
  readonly LOOPWRIGHT_WORKSPACE: string;
  readonly LOOPWRIGHT_OUTPUT: string;
  readonly LOOPWRIGHT_INPUT: string;
  readonly LOOPWRIGHT_MODEL_URL: string;
  readonly ACTIONS_ID_TOKEN_REQUEST_URL: string;
  readonly ACTIONS_ID_TOKEN_REQUEST_TOKEN: string;
  readonly GITHUB_OUTPUT: string;
  readonly RUNNER_TEMP: string;
}

export interface JobRequest {
  readonly kind: Report['kind'];
  readonly job: (brief: Brief, environment: JobEnvironment) => Promise<Report>;
  readonly variables: JobVariables;
  /** Path of this job's own program. */
  readonly bundle: string;
  readonly log: (line: string) => void;
}

/** No key where generated code runs: the address that the job is given lets it in, or nothing does. */
const NO_KEY = 'loopwright-job';

const FLAKINESS_RUNS = 5;

/** Runs the job and writes its report. @throws {ConfigError} when the brief cannot be read; then there is no report. */
export async function runJob(request: JobRequest): Promise<ReportVerdict> {
  const { kind, variables, log } = request;
  const startedAt = Date.now();
  const brief = await readBrief(variables.LOOPWRIGHT_BRIEF);
  const { model, calls } = countCalls(modelFor(brief, request), brief.purse ?? undefined);
  const broken = (error: unknown): Report => {
    log(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return failedReport(brief, { kind, calls, durationMs: Date.now() - startedAt, failure: failureOf(error) });
  };
  const report = await reportOf(brief, model, request).catch(broken);
  const { LOOPWRIGHT_OUTPUT: output, GITHUB_OUTPUT: githubOutput } = variables;
  const { surface, thresholds, strength } = brief;
  const folders = { output, drafts: draftFolder(variables.RUNNER_TEMP) };
  const place = { ...folders, githubOutput: orNone(githubOutput), surface, thresholds, strength };
  const verdict = await writeReport(report, place).catch((error: unknown) => {
    if (!(error instanceof z.ZodError)) throw error;
    return writeReport(broken(error), place);
  });
  log(`${kind}: ${verdict}${report.failure === null ? '' : `, ${report.failure.message}`}`);
  return verdict;
}

async function reportOf(brief: Brief, model: Model, request: JobRequest): Promise<Report> {
  const { kind, variables, bundle, log } = request;
  const [workspace, output] = [await realpath(variables.LOOPWRIGHT_WORKSPACE), variables.LOOPWRIGHT_OUTPUT];
  await mkdir(output, { recursive: true });
  const scratch = await realpath(await mkdtemp(join(tmpdir(), 'loopwright-job-')));
  const egress = await egressTo(brief.commands.hosts ?? [], log);
  try {
    const prepared = await preparedIn(variables.RUNNER_TEMP);
    const sandbox = await sandboxFor(brief, { workspace, scratch, bundle, prepared, egress });
    log(`sandbox: ${sandbox.kind}${brief.model.scripted ? ', the model is scripted' : ''}`);
    for (const sentence of [...sandbox.limits, ...sandbox.missing]) log(`sandbox: ${sentence}`);
    if (kind === 'verify') await keepBrief(brief, output);
    const input = orNone(variables.LOOPWRIGHT_INPUT);
    const raw = createRawStore(output);
    const draft = kind === 'seed' ? await readDraft(draftFolder(variables.RUNNER_TEMP), brief) : undefined;
    const places = { workspace, scratch, output, input, draft, parsers: parsersBelow(scratch) };
    const environment = {
      ...places,
      sandbox,
      prepared,
      model,
      raw,
      bundle,
      flakinessRuns: FLAKINESS_RUNS,
      log,
      now: Date.now,
    };
    return reportFromRoot(await request.job(brief, environment), environment);
  } finally {
    await egress?.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

/** A way to the hosts that the repository names; what else was asked for is told when it is closed. Undefined where it names none. */
export async function egressTo(hosts: readonly string[], log: (line: string) => void): Promise<Egress | undefined> {
  if (hosts.length === 0) return undefined;
  const known = new Set(hosts.map((host) => (host.includes(':') ? host : `${host}:443`)));
  log(`sandbox: Commands reach ${[...known].join(', ')} and nothing else.`);
  const egress = await openEgress(known, programText('egress.mjs'));
  return {
    ...egress,
    async close() {
      for (const host of egress.refused())
        log(`sandbox: ${host} was asked for and not reached; \`commands.hosts: [${host}]\` would allow it.`);
      await egress.close();
    },
  };
}

/** What was asked lies beside what was found, so that anybody can ask it again (`loopwright verify`). */
async function keepBrief(brief: Brief, output: string): Promise<void> {
  await writeFile(join(output, VERIFY_BRIEF), `${JSON.stringify(brief, null, 1)}\n`);
}

function parsersBelow(scratch: string): JobEnvironment['parsers'] {
  let loaded: Promise<Parsers> | undefined;
  return () => {
    loaded ??= mkdtemp(join(scratch, 'parsers-')).then(parsersFolder).then(loadParsers);
    return loaded;
  };
}

/** Where the set-up action keeps what it installed, if it did; the runner's folder for what ends with the job. */
export async function preparedIn(runnerTemp: string): Promise<string | undefined> {
  const place = join(runnerTemp, 'loopwright-setup');
  return runnerTemp !== '' && (await exists(place)) ? realpath(place) : undefined;
}

interface SandboxPlaces {
  readonly workspace: string;
  readonly scratch: string;
  readonly bundle: string;
  readonly prepared: string | undefined;
  readonly egress: Egress | undefined;
}

/** The folder that the program lies in: in development it is a TypeScript file whose imports lie around it, a bundle is complete. */
export function programOf(bundle: string): string {
  return bundle.endsWith('.ts') ? join(dirname(bundle), '..', '..') : dirname(bundle);
}

function sandboxFor(brief: Brief, { bundle, ...places }: SandboxPlaces): Promise<Sandbox> {
  return openSandbox({ ...places, readOnly: [programOf(bundle)], scripted: brief.model.scripted });
}

function modelFor(brief: Brief, { variables, log }: JobRequest): Model {
  const { LOOPWRIGHT_MODEL_URL: baseUrl } = variables;
  if (baseUrl === '') return withoutModel('LOOPWRIGHT_MODEL_URL is not set; this job needs a model.');
  const { model, limits } = brief;
  const { audience } = model;
  if (audience !== undefined && !baseUrl.startsWith(`${audience}/`))
    return withoutModel(`LOOPWRIGHT_MODEL_URL is none of ${audience}; a job says who it is to nobody but its App.`);
  const apiKey = keyFor(brief, variables);
  if (apiKey === undefined) return withoutModel(NO_IDENTITY);
  return createModel({
    ...{ baseUrl, apiKey, model: model.name },
    ...{ scripted: model.scripted, silenceMs: limits.modelSilenceMs, log },
  });
}

const NO_IDENTITY =
  'GitHub gives this job no identity to ask the App with: its workflow lacks `permissions: id-token: write`, or is older than this App. Write the workflow files anew with `loopwright init`, and merge them.';

/** Most jobs need none; one that does says what is missing. */
function withoutModel(sentence: string): Model {
  const missing = () => Promise.reject(new SetupError(sentence));
  return { answer: missing, turn: missing };
}

/** A job knows no key of a model: the App's gateway is told whose job it is. Undefined where it cannot be. */
function keyFor({ model: { audience } }: Brief, variables: JobVariables): ModelOptions['apiKey'] | undefined {
  if (audience === undefined) return NO_KEY;
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: token } = variables;
  return url === '' || token === '' ? undefined : createIdentityToken({ url, token, audience });
}

/** The brief as JSON. @throws {ConfigError} when it cannot be read. */
export async function briefJson(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new ConfigError(`LOOPWRIGHT_BRIEF: the brief ${file} cannot be read; the App must serve it.`, {
      cause: error,
    });
  });
  return parseJson(text);
}

async function readBrief(file: string): Promise<Brief> {
  const parsed = briefSchema.safeParse(await briefJson(file));
  if (parsed.success) return parsed.data;
  throw new ConfigError(`LOOPWRIGHT_BRIEF: the brief ${file} is not valid: ${z.prettifyError(parsed.error)}`);
}

function failureOf(error: unknown): JobFailure {
  if (error instanceof SandboxError || error instanceof JobError)
    return { cause: causeOf(error), message: error.message };
  const why = error instanceof Error ? error.message : String(error);
  return { cause: 'work', message: `The job broke: ${why}. Its log has the details; report it.` };
}

function orNone(text: string): string | undefined {
  return text === '' ? undefined : text;
}
