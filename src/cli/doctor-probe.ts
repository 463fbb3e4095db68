/** `loopwright doctor --probe`: tries in a repository what a loop takes for granted of GitHub, and prints what was seen, with its date. */
import { reportLines } from '../doctor/report-text.ts';
import { GoneError, UsageError } from '../errors.ts';
import { createGitHub } from '../github/github.ts';
import type { RepositoryRef } from '../github/github-port.ts';
import { createInspection } from '../github/inspection.ts';
import type { NamedPlace } from '../github/inspection-port.ts';
import { createProbing } from '../github/probing.ts';
import { recorded } from '../github/sent.ts';
import { wire } from '../github/wire.ts';
import { type Probed, probeAll } from '../probe/probe-all.ts';
import type { Examined } from '../settings/env.ts';
import { createLog } from '../settings/log.ts';
import type { Terminal } from './command.ts';

export interface ProbeRequest {
  readonly place: NamedPlace;
  readonly environment: Examined;
  readonly json: boolean;
  /** For how long GitHub may take to start or tell something. */
  readonly patienceMs: number;
  /** For how long a run, or a person, may take. */
  readonly longPatienceMs: number;
  readonly mayLoad: boolean;
  readonly hasPerson: boolean;
  readonly signal: AbortSignal;
  /** Filled with what may be there and is not taken back yet. */
  readonly standing: Set<string>;
}

/** @throws {UsageError} where the App is not installed there, or has no key. */
export async function probeIn(request: ProbeRequest, { out, fail }: Terminal): Promise<Probed> {
  const { place, json, environment, ...given } = request;
  const { app } = environment;
  const apiUrl = set(app.GITHUB_API_URL, 'GITHUB_API_URL').replace(/\/$/, '');
  const { fetch, sent } = recorded(wire({ apiUrl, checked: false, probes: true }));
  const options = {
    ...{ appId: set(app.APP_ID, 'APP_ID'), privateKey: set(app.PRIVATE_KEY, 'PRIVATE_KEY'), apiUrl },
    ...{ fetch, log: createLog('silent') },
  };
  const inspection = createInspection(options);
  const repository = await repositoryOf(place, inspection);
  const probed = await probeAll({
    ...{ github: createGitHub(options), probing: createProbing(options), inspection, repository, sent },
    ...{ ...given, publicUrl: app.PUBLIC_URL?.replace(/\/$/, ''), say: fail, now: () => new Date() },
    tell: ({ area, subject }) => {
      if (!json) fail(`trying ${area}: ${subject}`);
    },
  });
  if (json) out(JSON.stringify(probed));
  else for (const line of linesOf(probed, `${place.owner}/${place.repo}`)) out(line);
  return probed;
}

/** Without it there is no row that could say so. */
function set<Value>(value: Value | undefined, variable: string): Value {
  if (value !== undefined) return value;
  throw new UsageError(`--probe: ${variable} is not as it must be; correct ${variable} first, as \`doctor\` says it.`);
}

async function repositoryOf(
  place: NamedPlace,
  inspection: ReturnType<typeof createInspection>,
): Promise<RepositoryRef> {
  const installation = await inspection.installation(place);
  const name = `${place.owner}/${place.repo}`;
  if (installation === undefined) throw new UsageError(`The App is not installed on ${name}; install it there first.`);
  const { id: repositoryId } = await inspection.repository(place, installation.id).catch((error: unknown) => {
    if (error instanceof GoneError) throw new UsageError(`There is no ${name}, or the App does not see it.`);
    throw error;
  });
  return { ...place, installationId: installation.id, repositoryId };
}

function linesOf(probed: Probed, name: string): readonly string[] {
  const server = probed.serverVersion === null ? '' : `, GitHub Enterprise Server ${probed.serverVersion}`;
  return [`Seen on ${probed.at.slice(0, 10)} in ${name}${server}`, '', ...reportLines(probed), ...probed.left];
}
