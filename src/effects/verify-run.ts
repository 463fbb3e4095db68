/** A run of the verifying workflow that no loop asked for: what its brief takes from the configuration, and what the run delivered. */
import type { z } from 'zod';
import { ArtifactError } from '../errors.ts';
import type { RepositoryRef } from '../github/github-port.ts';
import { cleanedReport } from '../guard/model-text.ts';
import type { Commands } from '../loop/brief.ts';
import type { Ports } from '../ports.ts';
import { type RepositoryConfig, WORKFLOWS } from '../settings/config.ts';
import { MAX_ZIP_BYTES, unpack } from './artifact.ts';
import { assertOurs } from './our-run.ts';

type Named = 'install' | 'build' | 'test' | 'runner' | 'junit' | 'tests' | 'directory' | 'hosts';

/** The commands that run code of the repository, and for how long each may. */
export function briefOf({ commands, limits }: RepositoryConfig): {
  readonly commands: Pick<Commands, Named>;
  readonly limits: { readonly commandTimeoutMs: number; readonly suiteTimeoutMs: number };
} {
  const { install, build, test, runner, junit, tests, directory, hosts } = commands;
  return {
    commands: { install, build, test, runner, junit, tests, directory, hosts },
    limits: {
      commandTimeoutMs: Math.ceil(limits.commandSeconds * 1000),
      suiteTimeoutMs: Math.ceil(limits.suiteSeconds * 1000),
    },
  };
}

/** Until when a run is awaited that begins now: as long as the configuration lets runs take, and at least as long as its commands may. */
export function untilOf({ limits }: RepositoryConfig, { clock }: Pick<Ports, 'clock'>, commandsMs = 0): string {
  return new Date(clock.now().getTime() + Math.max(limits.runMinutes * 60_000, commandsMs)).toISOString();
}

/** `report` is as it was written; `reason` says why there is none, and `isCancelled` whether somebody ended its run, as who shuts a machine down does. */
export type Delivered = { readonly report: unknown } | { readonly reason: string; readonly isCancelled?: boolean };

/** Undefined while it is awaited. @throws {ArtifactError} where it is not the run that was dispatched. */
export async function deliveredBy(
  repository: RepositoryRef,
  { id, until, purpose }: { readonly id: number; readonly until: string; readonly purpose: string },
  { github, clock }: Pick<Ports, 'github' | 'clock'>,
): Promise<Delivered | undefined> {
  const run = await github.run(repository, id);
  if (run.status !== 'completed') {
    if (clock.now().toISOString() < until) return undefined;
    await github.cancelRun(repository, id);
    return { reason: `The run ${id} did not finish in time and was cancelled.` };
  }
  assertOurs(run, { purpose, workflow: WORKFLOWS.verify });
  const zip = await github.artifact(repository, id, 'verify', MAX_ZIP_BYTES);
  if (zip !== undefined) return { report: unpack(zip).report };
  const said = tellingIn(await github.failedLogEnd(repository, id));
  return {
    reason: `The run ${id} ended as ${run.conclusion ?? 'unknown'} without a report; its log ${said === undefined ? 'says why' : `says: ${said}`}.`,
    isCancelled: run.conclusion === 'cancelled',
  };
}

/** How a line begins that says why a run ended, the most telling first: what our own download of the job says, any error's, and what an action says. */
const TELLING = [
  /^Error: (\S+ answered .+)$/,
  /^(?:\w* )?((?:\w*Error|npm error|fatal): .+)$/,
  /^##\[error\](?!Process completed)(.+)$/,
];
const LINE_CHARACTERS = 300;

/** The last of the most telling lines; undefined where none says anything. */
function tellingIn(lines: readonly string[]): string | undefined {
  for (const begin of TELLING) {
    const line = lines.flatMap((text) => begin.exec(text)?.[1] ?? []).at(-1);
    if (line !== undefined) return line.slice(0, LINE_CHARACTERS).replace(/\.$/, '');
  }
  return undefined;
}

/** `of` names what it reports on. @throws {ArtifactError} when it is no report. */
export function readReport<Report>(schema: z.ZodType<Report>, value: unknown, of: string): Report {
  const parsed = schema.safeParse(cleanedReport(value));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ArtifactError(
    `The report of ${of} breaks its schema at "${issue?.path.join('.') || 'report.json'}": ${issue?.message ?? 'unknown'}. Nothing of it was taken over.`,
  );
}
