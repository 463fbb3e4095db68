/** Local mode in the browser: starts it, says what to open and what comes next, and runs until it is interrupted. */
import { DEMO_REPOSITORY, demoScript, demoWelcome, type IssueText, readIssue } from '../demo/demo-material.ts';
import { createMaintainer } from '../demo/maintainer.ts';
import { type LocalMode, startLocalMode } from '../local-mode/local-mode.ts';
import { keptServed } from '../local-mode/local-settings.ts';
import { logLevel, type ModelEnvironment } from '../settings/env.ts';
import { createLog } from '../settings/log.ts';
import type { Terminal } from './command.ts';
import { interruption, STOPPING, untilAborted } from './interruption.ts';
import { type Import, isWriter, type User } from './local-options.ts';
import { missingSetup } from './missing-setup.ts';
import { sandboxProblem } from './sandbox-here.ts';
import { whatIsThere } from './what-is-there.ts';

export interface LocalStart {
  readonly port: number;
  readonly data: string;
  readonly imports: readonly Import[];
  readonly users: readonly User[];
}

/** Returns the exit code. */
export async function startLocal(
  asked: LocalStart & { readonly model: ModelEnvironment },
  { out }: Terminal,
): Promise<number> {
  const interrupted = interruption(() => out(STOPPING));
  const { model, users: people } = asked;
  const isDemo = asked.imports.some(({ fullName }) => fullName === DEMO_REPOSITORY);
  const issue = await readIssue();
  const again = (await keptServed(asked.data)) !== undefined;
  const welcome = isDemo ? demoWelcome(issue, { scripted: model.baseUrl === undefined, again }) : WELCOME;
  // Before the App starts: a loop that is there already goes on at once, and a real model is paid for.
  const problem = await sandboxProblem(model);
  if (problem !== undefined) out(`Every BUILD will be refused on this machine. ${problem}`);
  if (interrupted.aborted) return 0;
  out('Starting; the first time takes a few seconds.');
  const local = await startLocalMode({
    dataDirectory: asked.data,
    port: asked.port,
    imports: asked.imports,
    users: people,
    model,
    isDemo: model.baseUrl === undefined && asked.imports.every(({ fullName }) => fullName === DEMO_REPOSITORY),
    script: demoScript(),
    welcome,
    log: createLog(logLevel() === 'info' ? 'warn' : logLevel()),
  });
  try {
    const lines = interrupted.aborted ? [] : await welcomeIn(local, { asked, isDemo, issue });
    // Whoever interrupts meanwhile has read that everything stops, and opens nothing.
    if (!interrupted.aborted) for (const line of lines) out(line);
    await untilAborted(interrupted);
  } finally {
    await local.close();
  }
  return 0;
}

interface Beginning {
  readonly asked: LocalStart;
  readonly isDemo: boolean;
  readonly issue: IssueText;
}

/** What to open and what comes next. */
async function welcomeIn(local: LocalMode, { asked, isDemo, issue }: Beginning): Promise<readonly string[]> {
  const { imports, users: people, data } = asked;
  const { githubUrl } = local;
  if (isDemo) await openDemoIssue({ githubUrl, people, issue });
  const there = await whatIsThere({
    githubUrl,
    repositories: imports.map(({ fullName }) => fullName),
    token: people[0]?.token ?? '',
    store: local.ports.store,
  });
  const missing = await missingSetup({ githubUrl, imports, people });
  // Each once, however often this starts. The demo's own base is known.
  for (const { fullName } of imports) if (fullName !== DEMO_REPOSITORY) await local.install(fullName);
  return localLines({ local, people, there, missing: missing.map(({ sentence }) => sentence), data });
}

const WELCOME = `## What to do next

1. Choose who you are at the top right.
2. Open a repository below and write an issue that says what should be different, and how one would measure it.
3. Add the label \`loop\` to it, with write permission. Everything else is said there.

A repository needs \`.github/loopwright.yml\`, two workflows and their action on its default branch. Where they are missing, its pull request “Set up Loopwright” brings them; \`npm run -s loopwright -- init\` writes them into a checkout instead.`;

interface Told {
  readonly local: { readonly entrance: string; readonly scripted: boolean };
  readonly people: readonly User[];
  /** Issues that are there, with what comes next. */
  readonly there: readonly string[];
  /** What keeps a repository from being worked on, with the remedy. */
  readonly missing: readonly string[];
  readonly data: string;
}

function localLines({ local, people, there, missing, data }: Told): readonly string[] {
  const names = people.map(({ login, role }) => `${login} (${role})`).join(' or ');
  return [
    `\nLoopwright runs in local mode, with a GitHub of its own on this machine.`,
    ...(local.scripted
      ? ['The model is SCRIPTED: its answers are authored, for the demo issue only. LLM_BASE_URL names a real one.']
      : []),
    `\n  Open   ${local.entrance}`,
    '         Whoever has this address may act here as anybody; in another browser, open it again.',
    `  Then   choose at the top right who you are: ${names}.`,
    ...(there.length === 0 ? ['         Write an issue, and add the label `loop` to it.'] : ['  There']),
    ...there.map((line) => `    ${line}`),
    ...missing.map((line) => `\n  ${line}`),
    `\n  Everything is kept in ${data}. Ctrl-C stops; starting again goes on.`,
  ];
}

/** Once per data directory: issues are never deleted, so a repository with one has been through this. */
async function openDemoIssue({ githubUrl, people, issue }: DemoIssue): Promise<void> {
  const opener = people.find(isWriter) ?? people[0];
  if (opener === undefined) return;
  const maintainer = createMaintainer({ githubUrl, fullName: DEMO_REPOSITORY, token: opener.token });
  if ((await maintainer.oldest()) !== undefined) return;
  await maintainer.open(issue);
  if (isWriter(opener)) await maintainer.createLabel();
}

interface DemoIssue {
  readonly githubUrl: string;
  readonly people: readonly User[];
  readonly issue: IssueText;
}
