/** One run of the demo: starts everything, plays the maintainer, tells what happens, and says how it ended. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { prepareCopy } from '../demo/copied-repository.ts';
import { DEMO_REPOSITORY, demoScript, type IssueText } from '../demo/demo-material.ts';
import { prepareDemoRepository } from '../demo/demo-repository.ts';
import { type DemoSummary, provenOf, summaryOf } from '../demo/demo-summary.ts';
import { drive } from '../demo/drive.ts';
import { keepResult, keptResult } from '../demo/kept-result.ts';
import { createMaintainer } from '../demo/maintainer.ts';
import { personAt, playedPerson } from '../demo/person.ts';
import { resultLine } from '../demo/result-line.ts';
import { isSabotage, SABOTAGES, type SabotageName } from '../demo/sabotage.ts';
import { readScript } from '../demo/script.ts';
import { createStory } from '../demo/story.ts';
import { UsageError } from '../errors.ts';
import { type LocalMode, startLocalMode } from '../local-mode/local-mode.ts';
import { keptGitHubPort } from '../local-mode/local-settings.ts';
import type { Loop } from '../loop/loop.ts';
import type { ModelEnvironment } from '../settings/env.ts';
import { createLog } from '../settings/log.ts';
import { closingOf, headline } from './closing.ts';
import type { Terminal } from './command.ts';
import { INTERRUPTED } from './interruption.ts';
import { newToken } from './local-options.ts';
import { assertSandbox } from './sandbox-here.ts';

export interface DemoRun {
  readonly directory: string;
  /** The directory outlives the run. */
  readonly kept: boolean;
  readonly repo: string | undefined;
  readonly issue: IssueText;
  readonly script: string;
  /** What of the script is a lie, to see it refused. */
  readonly sabotage: SabotageName | undefined;
  readonly json: boolean;
  /** Whether the demo answers and approves by itself. */
  readonly isPlayed: boolean;
  readonly minutes: number;
  readonly model: ModelEnvironment;
  readonly logLevel: string;
  readonly interrupted: AbortSignal;
}

const MAINTAINER = 'maria';

/** Returns the exit code: 0 only on success. A kept directory whose loop succeeded gives the same result again and starts nothing. @throws {SandboxError} where BUILD would refuse what the model writes. */
export async function runDemo(run: DemoRun, { out }: Terminal): Promise<number> {
  const startedMs = Date.now();
  const say = run.json ? () => undefined : out;
  await assertSameSabotage(run);
  const source = await sourceOf(run, say);
  const known = await keptResult(run.directory, { fullName: source.fullName, title: run.issue.title });
  if (known !== undefined) {
    say(`This loop ended already; ${run.directory} keeps it. Another directory starts another one.`);
    for (const line of known.closing) say(line);
    if (run.json) out(resultLine(known.summary));
    return 0;
  }
  await assertSandbox(run.model);
  say('Starting a GitHub and the App on this machine; the first time takes some seconds.');
  const script = await scriptOf(run);
  if (run.sabotage !== undefined) say(`SABOTAGE: ${SABOTAGES[run.sabotage].does}. It must be refused.`);
  const token = newToken();
  const local = await startLocalMode({
    dataDirectory: run.directory,
    port: 0,
    imports: [source],
    users: [{ login: MAINTAINER, role: 'admin', token }],
    isDemo: run.repo === undefined && run.script === demoScript() && run.model.baseUrl === undefined,
    model: run.model,
    script,
    log: createLog(run.logLevel),
  });
  try {
    return await play({ run, local, token, fullName: source.fullName, startedMs, say, out });
  } finally {
    await local.close();
  }
}

/** The script as a file; a broken one lies beside what the run keeps. */
async function scriptOf({ script, sabotage, directory }: DemoRun): Promise<string> {
  if (sabotage === undefined) return script;
  const path = join(directory, brokenScript(sabotage));
  await writeFile(path, stringify(SABOTAGES[sabotage].broken(await readScript(script))));
  return path;
}

/** Lies in a directory that a demo with this sabotage was begun in. */
function brokenScript(sabotage: SabotageName): string {
  return `sabotaged-${sabotage}.yaml`;
}

/** What was begun is gone on with as it was begun. @throws {UsageError} where something else is asked for. */
async function assertSameSabotage({ directory, sabotage }: DemoRun): Promise<void> {
  if ((await keptGitHubPort(directory)) === undefined) return;
  const begun = Object.keys(SABOTAGES)
    .filter(isSabotage)
    .find((name) => existsSync(join(directory, brokenScript(name))));
  if (begun === sabotage) return;
  const how = begun === undefined ? 'without --sabotage' : `with --sabotage ${begun}`;
  throw new UsageError(
    `--keep ${directory}: a demo was begun there ${how}; ask for the same, or name another directory`,
  );
}

function sourceOf(
  { repo, directory }: DemoRun,
  say: (line: string) => void,
): Promise<{ readonly path: string; readonly fullName: string }> {
  if (repo !== undefined) return prepareCopy(resolve(repo), directory, say);
  return prepareDemoRepository(directory).then((path) => ({ path, fullName: DEMO_REPOSITORY }));
}

interface Play {
  readonly run: DemoRun;
  readonly token: string;
  readonly local: LocalMode;
  readonly fullName: string;
  readonly startedMs: number;
  readonly say: (line: string) => void;
  readonly out: (line: string) => void;
}

async function play({ run, local, token, fullName, startedMs, say, out }: Play): Promise<number> {
  if (run.interrupted.aborted) return interruptedRun(run, { durationMs: Date.now() - startedMs }, { say, out });
  const repositoryUrl = `${local.githubUrl}/${fullName}`;
  const story = createStory({ say, startedMs, repositoryUrl, maintainer: MAINTAINER });
  story.opening({ scripted: local.scripted, model: local.ports.modelFacts.name, isPlayed: run.isPlayed });
  const maintainer = createMaintainer({ githubUrl: local.githubUrl, fullName, token });
  const { entrance } = local;
  const person = run.isPlayed
    ? playedPerson({ maintainer, story })
    : personAt(process.stdin, { maintainer, story, entrance });
  const loop = await drive({
    maintainer,
    person,
    issue: run.issue,
    store: local.ports.store,
    story,
    untilMs: startedMs + run.minutes * 60_000,
    interrupted: run.interrupted,
  }).finally(person.close);
  const known = { durationMs: Date.now() - startedMs };
  if (loop === undefined) return interruptedRun(run, known, { say, out });
  if (run.interrupted.aborted)
    return interruptedRun(run, run.json ? await summaryOf({ loop, local, startedMs }) : known, { say, out });
  return tellEnd(loop, { run, local, token, fullName, startedMs, say, out });
}

async function tellEnd(loop: Loop, { run, local, fullName, startedMs, say, out }: Play): Promise<number> {
  const repositoryUrl = `${local.githubUrl}/${fullName}`;
  const summary = await summaryOf({ loop, local, startedMs });
  const closing = closingOf({ loop, summary, proven: await provenOf(loop, local), run, repositoryUrl });
  for (const line of closing) say(line);
  if (run.kept && summary.status === 'succeeded')
    await keepResult(run.directory, { fullName, title: run.issue.title, closing, summary });
  const error = summary.status === 'failed' ? headline({ loop, summary, run }) : undefined;
  if (run.json) out(resultLine({ ...summary, error }));
  return summary.status === (run.sabotage === undefined ? 'succeeded' : 'stopped') ? 0 : 1;
}

/** `known` is what of the summary can be said. */
function interruptedRun(
  { kept, directory, json }: DemoRun,
  known: Partial<DemoSummary>,
  { say, out }: Pick<Play, 'say' | 'out'>,
): number {
  const note = kept
    ? `Interrupted. ${directory} keeps everything; the same command goes on.`
    : 'Interrupted; nothing was kept.';
  say(`\n${note}`);
  if (json) out(resultLine({ ...known, status: 'failed', error: note }));
  return INTERRUPTED;
}
