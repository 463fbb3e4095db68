/** What the looks have in common: the environment, and what GitHub and the model were asked once for all of them. */
import { type DatabaseFacts, lookAtDatabase } from '../adapters/database/database-look.ts';
import { askModel } from '../adapters/model-question.ts';
import { LoopError } from '../errors.ts';
import { createInspection } from '../github/inspection.ts';
import type {
  AppFacts,
  Inspection,
  InstallationFacts,
  NamedPlace,
  RepositoryFacts,
  RepositoryInspection,
} from '../github/inspection-port.ts';
import { wire } from '../github/wire.ts';
import type { AskedModel } from '../onboarding/model.ts';
import { type AppFile, readAppFile } from '../settings/app-file.ts';
import type { Examined } from '../settings/env.ts';
import { createLog } from '../settings/log.ts';
import { NotLookedError, needed } from './finding.ts';
import { isUnreachable } from './unreachable.ts';

export interface PatientOptions {
  readonly environment: Examined;
  readonly place: NamedPlace | undefined;
  /** Why commands cannot be kept away from this machine; undefined where they can. */
  readonly sandboxProblem: () => Promise<string | undefined>;
  /** How long one request may take. */
  readonly withinMs: number;
  /** For how long a model may be silent. */
  readonly modelWithinMs: number;
  /** Compares every request and answer with GitHub's description; tests do. */
  readonly checked?: boolean;
}

/** The repository that was named, as its installation sees it. */
export interface Ward {
  readonly installation: InstallationFacts;
  readonly repository: RepositoryFacts;
  readonly look: RepositoryInspection;
}

/** Each is asked once, when the first look needs it. @throws {LoopError} each, also where another row says why it is not asked. */
export interface Patient extends Pick<PatientOptions, 'environment' | 'sandboxProblem' | 'withinMs'> {
  readonly place: NamedPlace | undefined;
  /** What `app.yml` asks for. */
  readonly wanted: () => Promise<Pick<AppFile, 'permissions' | 'events'>>;
  /** As the App, whether or not its credentials are accepted. */
  readonly app: () => Promise<AppFacts>;
  /** GitHub, when it has accepted the App. */
  readonly github: () => Promise<Inspection>;
  readonly installation: () => Promise<InstallationFacts | undefined>;
  readonly ward: () => Promise<Ward>;
  readonly model: () => Promise<AskedModel>;
  readonly database: () => Promise<DatabaseFacts>;
}

export function createPatient(options: PatientOptions): Patient {
  const { environment, place, withinMs, modelWithinMs } = options;
  const inspection = once(async () => inspectionOf(options));
  const app = once(async () => (await inspection()).app());
  const github = once(async () => {
    await accepted(app());
    return inspection();
  });
  const installation = once(async () => {
    const named = placeOf(place);
    return (await github()).installation(named);
  });
  return {
    ...options,
    wanted: once(readAppFile),
    app,
    github,
    installation,
    ward: once(async () => wardOf(await github(), await installation(), placeOf(place))),
    model: once(async () => askedModel(environment, modelWithinMs)),
    database: once(async () => lookAtDatabase(needed(environment.app.DATABASE_URL, 'DATABASE_URL'), withinMs)),
  };
}

function once<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let asked: Promise<Value> | undefined;
  return () => {
    asked ??= ask();
    return asked;
  };
}

function askedModel({ model }: Examined, silenceMs: number): Promise<AskedModel> {
  return askModel({
    baseUrl: needed(model.LLM_BASE_URL, 'LLM_BASE_URL'),
    model: needed(model.LLM_MODEL, 'LLM_MODEL'),
    apiKey: model.LLM_API_KEY ?? model.OPENAI_API_KEY ?? 'none',
    ...{ silenceMs, by: 'doctor' as const },
  });
}

function placeOf(place: NamedPlace | undefined): NamedPlace {
  if (place !== undefined) return place;
  throw new NotLookedError('no repository was named', 'Name one with `--repo owner/name`.');
}

function inspectionOf({ environment: { app }, withinMs, checked = false }: PatientOptions): Inspection {
  const apiUrl = needed(app.GITHUB_API_URL, 'GITHUB_API_URL').replace(/\/$/, '');
  const send = wire({ apiUrl, checked });
  return createInspection({
    appId: needed(app.APP_ID, 'APP_ID'),
    privateKey: needed(app.PRIVATE_KEY, 'PRIVATE_KEY'),
    apiUrl,
    fetch: (input, init) => {
      const deadline = AbortSignal.timeout(withinMs);
      return send(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, deadline]) : deadline });
    },
    log: createLog('silent'),
  });
}

/** Whether the credentials are right has a row of its own; where GitHub does not say it, the reason is that of every look. */
async function accepted(app: Promise<AppFacts>): Promise<void> {
  try {
    await app;
  } catch (error) {
    if (isUnreachable(error))
      throw new NotLookedError('GitHub cannot be asked at GITHUB_API_URL', 'Do first what the row `credentials` says.');
    if (!(error instanceof LoopError) || (error.status !== 401 && error.status !== 404)) throw error;
    throw new NotLookedError("GitHub does not accept the App's credentials", 'Mend the credentials first.');
  }
}

async function wardOf(
  github: Inspection,
  installation: InstallationFacts | undefined,
  place: NamedPlace,
): Promise<Ward> {
  const name = `${place.owner}/${place.repo}`;
  if (installation === undefined)
    throw new NotLookedError(`the App is not installed on ${name}`, `Install it on ${name} first.`);
  if (installation.isSuspended)
    throw new NotLookedError(`the installation is suspended`, 'Have the installation unsuspended first.');
  const repository = await github.repository(place, installation.id);
  return { installation, repository, look: github.inside(place, installation.id, repository) };
}
