/** The SEED_DATA job: asks for a seed script, runs it twice on a copy of the built product, and compares. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { pathRefusal } from '../../guard/patch-policy.ts';
import { ANSWERS, type SeedData } from '../../loop/answers.ts';
import { type Brief, type BuildReport, buildReport, type FileChange, type SeedReport } from '../../loop/brief.ts';
import { leftAfter } from '../../loop/costs.ts';
import { defect } from '../../loop/defect.ts';
import type { Defect, Measurement } from '../../loop/measurement.ts';
import { openRepository, type TreeEntry, treeOf } from '../../trees/repository.ts';
import {
  acceptanceOf,
  changeSection,
  contextOf,
  documentsOf,
  issueOf,
  requirementsOf,
  section,
  skillTexts,
} from '../build/prompt.ts';
import { parseJson } from '../report/json.ts';
import { failureOf, reportedOn } from '../report/report-facts.ts';
import { cut } from '../report/said.ts';
import { applyChanges, blobId, diffOf } from '../workspace/changes.ts';
import { type Bench, callContext, type JobEnvironment, JobError, measured } from '../workspace/environment.ts';
import { runTwice, type SeedRuns } from './seed-run.ts';

type Outcome = Pick<SeedReport, 'seed' | 'changes' | 'measurements' | 'defects' | 'failure'>;

/**
 * Seeds the product of the build report in `environment.input` by the draft, or asks for one, and reports it. Expected failures are the report's `failure`.
 */
export async function seed(brief: Brief, environment: JobEnvironment): Promise<SeedReport> {
  const report = await reportedOn(brief, environment, seeded);
  const { calls, durationMs } = environment.draft ?? { calls: [], durationMs: 0 };
  return { kind: 'seed', ...report, calls: [...calls, ...report.calls], durationMs: durationMs + report.durationMs };
}

/** Asks which seed data the product needs, and runs nothing: where it needs none that is the report, else a draft for `seed`, without a number. */
export async function draftSeed(brief: Brief, environment: JobEnvironment): Promise<SeedReport> {
  return { kind: 'seed', ...(await reportedOn(brief, environment, drafted)) };
}

function drafted(brief: Brief, environment: JobEnvironment): Promise<Outcome> {
  return orFailed(environment, async () => {
    const { bench, built } = await begun(brief, environment);
    const answer = await ask(bench, built);
    if (answer.needed) return { seed: answer, changes: [], measurements: [], defects: [], failure: null };
    const judged = await judge(environment, { answer, refused: [], runs: undefined });
    return { seed: answer, changes: [], ...judged, failure: null };
  });
}

function seeded(brief: Brief, environment: JobEnvironment): Promise<Outcome> {
  return orFailed(environment, async () => {
    const { bench, built } = await begun(brief, environment);
    await applyChanges(environment.workspace, built.changes);
    const answer = environment.draft?.seed ?? (await ask(bench, built));
    const refused = answer.needed ? await refusalsOfSeed(bench, built, answer) : [];
    const changes = answer.needed && refused.length === 0 ? answer.files.map(changeOf) : [];
    await applyChanges(environment.workspace, changes);
    const runs = answer.needed && refused.length === 0 ? await runTwice(bench, answer) : undefined;
    const judged = await judge(environment, { answer, refused, runs });
    return { seed: answer, changes, ...judged, failure: null };
  });
}

async function begun(brief: Brief, environment: JobEnvironment) {
  const built = await readBuild(brief, environment.input);
  const repository = await openRepository(environment.workspace, environment.scratch);
  const bench: Bench = { brief, environment, repository, attempts: new Map(), packages: new Map() };
  return { bench, built };
}

async function orFailed(environment: JobEnvironment, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    return { seed: null, changes: [], measurements: [], defects: [], failure: failureOf(error, environment) };
  }
}

/** The build job's report. It crossed an artifact, so it is parsed, and it must be of this very entry. @throws {JobError} */
async function readBuild(brief: Brief, input: string | undefined): Promise<BuildReport> {
  if (input === undefined) throw new JobError('The seed job has no input; it needs the artifact of the build job.');
  const file = join(input, 'report.json');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) throw new JobError('The artifact of the build job has no report.json; run the build again.');
  const parsed = buildReport.safeParse(parseJson(text));
  if (!parsed.success) throw new JobError(`The build report is not valid: ${z.prettifyError(parsed.error)}`);
  const { loop, entry, candidate } = parsed.data;
  if (loop !== brief.loop.id || entry !== brief.entry || candidate !== brief.candidate)
    throw new JobError(
      `The build report is of ${loop}, entry ${entry}, not of ${brief.loop.id}, entry ${brief.entry}.`,
    );
  if (parsed.data.failure !== null) throw new JobError(`The build failed: ${parsed.data.failure.message}`);
  return parsed.data;
}

async function ask(bench: Bench, built: BuildReport): Promise<SeedData> {
  const { brief, environment, repository } = bench;
  const { skills, role } = ANSWERS['seed-data'];
  const diff = await diffOf(repository, brief.candidate, built.changes);
  const user = [
    issueOf(brief),
    section('Requirements', requirementsOf(brief)),
    documentsOf(brief, ['contract']),
    section('Acceptance rows', acceptanceOf(brief)),
    changeSection(cut(diff, 100_000)),
    contextOf(brief),
  ].join('');
  const context = callContext(brief, { phase: 'SEED_DATA', skill: skills[0], role, attempt: brief.iteration });
  // The build of the same run was paid from the same purse.
  const purse = leftAfter(brief.purse ?? undefined, built.calls);
  const asked = { name: 'seed-data', context, system: skillTexts(bench, skills), user, purse } as const;
  return (await environment.model.answer(asked)).answer;
}

/** A seed brings files of its own, new ones or those of the seed before it; it changes neither tests nor the product. */
async function refusalsOfSeed(bench: Bench, built: BuildReport, answer: SeedData): Promise<readonly Defect[]> {
  const { brief, repository } = bench;
  const frozen = new Set(built.tests?.files.map(({ path }) => path));
  const product = new Set([
    ...brief.tasks.flatMap(({ files }) => files),
    ...built.changes.map(({ path }) => path),
    ...(await treeOf(repository, brief.candidate)).filter((entry) => !isSeeded(brief, entry)).map(({ path }) => path),
  ]);
  return answer.files.flatMap(({ path }) => {
    const reason = frozen.has(path)
      ? 'it is a frozen test'
      : product.has(path)
        ? 'it is a file of the product; a seed brings its own files'
        : pathRefusal(path, brief.policy);
    return reason === undefined ? [] : [refusedFile(path, reason)];
  });
}

/** Whether a file of the candidate is as the last seed left it: what somebody changed since is theirs. */
function isSeeded({ seeded }: Brief, { path, id }: TreeEntry): boolean {
  return seeded.some((file) => file.path === path && blobId(Buffer.from(file.content ?? '', 'base64'), id) === id);
}

async function judge(
  environment: JobEnvironment,
  { answer, refused, runs }: { answer: SeedData; refused: readonly Defect[]; runs: SeedRuns | undefined },
): Promise<{ readonly measurements: Measurement[]; readonly defects: Defect[] }> {
  const problems = {
    seed_errors: [...refused, ...(runs?.errors ?? []).map((message) => problem('seed-error', message))],
    seed_drift: (runs?.drift ?? []).map((message) => problem('seed-drift', message)),
    seed_count_mismatches: (runs?.mismatches ?? []).map((message) => problem('seed-count', message)),
  };
  const output = answer.needed
    ? (runs?.output ?? `not run: ${refused.map(({ message }) => message).join(' ')}`)
    : `no seed data needed: ${answer.reason}`;
  // A script that could not be run has shown neither drift nor counts.
  const names = runs === undefined && answer.needed ? (['seed_errors'] as const) : SEED_NUMBERS;
  const measurements: Measurement[] = [];
  for (const name of names) {
    const value = name === 'seed_drift' ? Number(problems[name].length > 0) : problems[name].length;
    measurements.push(await measured(environment, { name, value, unit: 'count', source: SOURCE, output }));
  }
  return { measurements, defects: Object.values(problems).flat() };
}

const SEED_NUMBERS = ['seed_errors', 'seed_drift', 'seed_count_mismatches'] as const;
const SOURCE = 'two runs of the seed command in a copy of the product';

function changeOf({ path, content }: SeedData['files'][number]): FileChange {
  return { path, mode: '100644', content: Buffer.from(content).toString('base64') };
}

function refusedFile(path: string, reason: string): Defect {
  return defect({ rule: 'seed-path', about: path, file: path, message: `\`${path}\` must not be written: ${reason}.` });
}

function problem(rule: string, message: string): Defect {
  return defect({ rule, about: message.slice(0, 80), message });
}
