/** `loopwright demo`: a whole loop without a person, on an embedded GitHub; the maintainer's words are given through the REST API. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Command, optionsOf, type Terminal, UsageError } from '../cli/command.ts';
import { logLevel, modelEnvironment } from '../env.ts';
import { startLocalMode } from '../local-mode.ts';
import { createLog } from '../log.ts';
import { prepareCopy } from './copied-repository.ts';
import { DEMO_REPOSITORY, demoScript, readIssue } from './demo-material.ts';
import { prepareDemoRepository } from './demo-repository.ts';
import { summaryOf } from './demo-summary.ts';
import { createMaintainer, drive } from './maintainer.ts';

const OPTIONS = {
  json: { type: 'boolean', description: 'print one JSON object as the last line' },
  keep: { type: 'string', description: 'keep everything in this directory; running again with it goes on there' },
  repo: { type: 'string', description: 'a git repository of yours instead of the demo’s; it is copied, never changed' },
  issue: { type: 'string', description: 'a Markdown file with the issue; its first line is the title' },
  script: { type: 'string', description: 'a YAML script of authored answers for the scripted model' },
  minutes: { type: 'string', description: 'how long to wait at most (default 10)' },
} as const;

export const demo: Command = {
  summary: 'watch a whole loop on an embedded GitHub, no account, key or docker needed',
  usage: '[--json] [--keep DIR] [--repo PATH --issue FILE [--script FILE]]',
  options: OPTIONS,
  async run(argv, terminal) {
    const { values } = optionsOf(argv, OPTIONS);
    if ((values.repo === undefined) !== (values.issue === undefined))
      throw new UsageError('--repo and --issue go together: the repository and the issue to work on');
    const directory =
      values.keep === undefined ? await mkdtemp(join(tmpdir(), 'loopwright-demo-')) : resolve(values.keep);
    try {
      return await runIn(
        {
          directory,
          repo: values.repo,
          issue: values.issue,
          script: values.script,
          json: values.json === true,
          minutes: Number(values.minutes ?? '10'),
        },
        terminal,
      );
    } finally {
      if (values.keep === undefined) await rm(directory, { recursive: true, force: true });
    }
  },
};

interface DemoRun {
  readonly directory: string;
  readonly repo: string | undefined;
  readonly issue: string | undefined;
  readonly script: string | undefined;
  readonly json: boolean;
  readonly minutes: number;
}

const MAINTAINER = { login: 'maria', role: 'admin', token: 'maria-token' } as const;

async function runIn(run: DemoRun, { out }: Terminal): Promise<number> {
  const startedMs = Date.now();
  const say = run.json ? () => undefined : out;
  const source =
    run.repo === undefined
      ? { path: await prepareDemoRepository(run.directory), fullName: DEMO_REPOSITORY }
      : await prepareCopy(resolve(run.repo), run.directory, say);
  const script = resolve(run.script ?? demoScript());
  const local = await startLocalMode({
    dataDirectory: run.directory,
    port: 0,
    imports: [source],
    users: [MAINTAINER],
    model: modelEnvironment(),
    script,
    log: createLog(logLevel() === 'info' ? 'error' : logLevel()),
  });
  try {
    say(
      local.scripted
        ? 'The model is SCRIPTED: its answers are authored. GitHub, git, Actions, tests and evidence are real.'
        : `The model is ${local.ports.modelFacts.name}.`,
    );
    say(`Embedded GitHub: ${local.githubUrl}/${source.fullName}\n`);
    const maintainer = createMaintainer({
      githubUrl: local.githubUrl,
      fullName: source.fullName,
      token: MAINTAINER.token,
    });
    const issue = await readIssue(run.issue);
    const loop = await drive({
      maintainer,
      issue,
      store: local.ports.store,
      say,
      untilMs: startedMs + run.minutes * 60_000,
    });
    const summary = await summaryOf({ loop, local, startedMs });
    say(`\n${summary.status === 'succeeded' ? 'Succeeded' : `Ended as ${summary.status}`}: ${loop.note}`);
    if (run.json) out(JSON.stringify(summary));
    return summary.status === 'succeeded' ? 0 : 1;
  } finally {
    await local.close();
  }
}
