/** `loopwright demo`: a whole loop on an embedded GitHub; what the person says, played or real, is given through the REST API. */
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { demoScript, readIssue } from '../demo/demo-material.ts';
import { resultLine } from '../demo/result-line.ts';
import { isSabotage, SABOTAGES, type SabotageName } from '../demo/sabotage.ts';
import { readScript } from '../demo/script.ts';
import { foreignIssue } from '../demo/scripted-model.ts';
import { UsageError } from '../errors.ts';
import { logLevel, type ModelEnvironment, modelEnvironment } from '../settings/env.ts';
import { type Command, optionsOf, type Terminal } from './command.ts';
import { type DemoRun, runDemo } from './demo-run.ts';
import { INTERRUPTED, interruption, STOPPING } from './interruption.ts';
import { keepAsLast, newDemoDirectory } from './last-demo.ts';
import { assertRepository, parseDirectory, parseMinutes } from './local-options.ts';

const OPTIONS = {
  json: { type: 'boolean', description: 'print one JSON object as the last line, and nothing else on standard output' },
  keep: { type: 'string', value: 'DIR', description: 'keep everything there; running again with it goes on' },
  repo: { type: 'string', value: 'PATH', description: 'a git repository of yours; it is copied, never changed' },
  issue: {
    type: 'string',
    value: 'FILE',
    description: 'Markdown with the issue for --repo; its first line is the title',
  },
  script: { type: 'string', value: 'FILE', description: 'YAML with authored answers for the scripted model' },
  sabotage: {
    type: 'string',
    value: 'product|test',
    description: 'have the code broken, or the tests emptied, and see it refused',
  },
  yes: { type: 'boolean', description: 'with --repo: have a person played who takes the first options and approves' },
  minutes: {
    type: 'string',
    value: 'N',
    description: 'how long to wait at most (default 10; 240 where you answer)',
  },
} as const;

export const demo: Command = {
  summary: 'watch a whole loop on an embedded GitHub, no account, key or docker needed',
  usage:
    '[--json] [--keep DIR] [--repo PATH --issue FILE [--script FILE] [--yes]] [--sabotage product|test] [--minutes N]',
  options: OPTIONS,
  async run(argv, terminal) {
    try {
      return await runIn(argv, terminal);
    } catch (error) {
      // Whoever reads the last line of standard output gets one, also when nothing could start.
      if (argv.includes('--json'))
        terminal.out(resultLine({ error: error instanceof Error ? error.message : String(error) }));
      throw error;
    }
  },
};

async function runIn(argv: readonly string[], terminal: Terminal): Promise<number> {
  const asked = await parse(argv);
  const interrupted = interruption(() => {
    if (!asked.json) terminal.out(STOPPING);
  });
  const directory = asked.keep ?? (await newDemoDirectory());
  let code: number = INTERRUPTED;
  try {
    code = await runDemo({ ...asked, directory, kept: asked.keep !== undefined, interrupted }, terminal);
    return code;
  } finally {
    if (asked.keep === undefined) await leave(directory, code, asked.json ? () => undefined : terminal.out);
  }
}

/** What nobody named a directory for: thrown away where it was interrupted, else the last demo. */
async function leave(directory: string, code: number, say: (line: string) => void): Promise<void> {
  if (code === INTERRUPTED) return rm(directory, { recursive: true, force: true });
  for (const path of await keepAsLast(directory))
    say(`${path} is an earlier demo that another Loopwright has open, so it stays until the next one ends.`);
}

type Asked = Omit<DemoRun, 'directory' | 'kept' | 'interrupted'> & { readonly keep: string | undefined };

/** Everything that can be wrong with the options is said before anything starts. */
async function parse(argv: readonly string[]): Promise<Asked> {
  const { values } = optionsOf({ command: 'demo', argv, options: OPTIONS });
  const { repo, issue, script = demoScript(), keep, yes = repo === undefined } = values;
  const { minutes = yes ? '10' : '240' } = values;
  if (values.json === true && !yes)
    throw new UsageError(
      '--json shows no questions, and with --repo you answer them; add --yes to have a person played',
    );
  if ((repo === undefined) !== (issue === undefined))
    throw new UsageError(
      '--repo and --issue go together: the repository, and a Markdown file with the issue to work on',
    );
  if (repo !== undefined) await assertRepository(`--repo ${repo}`, repo);
  const model = modelEnvironment();
  const sabotage = sabotageIn(values, model);
  const authored = await readScript(resolve(script));
  const asked = await readIssue(issue);
  if (model.baseUrl === undefined && authored.issue !== undefined && authored.issue !== asked.title)
    throw new UsageError(
      `--issue ${issue}: no model is named, and the scripted one cannot work on it: ${foreignIssue(authored)}, or a script for this issue with --script`,
    );
  const known = {
    repo,
    issue: asked,
    script: resolve(script),
    sabotage,
    json: values.json === true,
    isPlayed: yes,
    minutes: parseMinutes(minutes),
    model,
    logLevel: logLevel() === 'info' ? 'error' : logLevel(),
  };
  // Last, because it makes the directory.
  return { ...known, keep: keep === undefined ? undefined : parseDirectory('--keep', keep) };
}

/** @throws {UsageError} where there is no such sabotage, or the script is not the demo's. */
function sabotageIn(
  { sabotage, repo, script }: { readonly sabotage?: string; readonly repo?: string; readonly script?: string },
  { baseUrl }: ModelEnvironment,
): SabotageName | undefined {
  if (sabotage === undefined) return undefined;
  if (!isSabotage(sabotage))
    throw new UsageError(`--sabotage ${sabotage}: write ${Object.keys(SABOTAGES).join(' or ')}`);
  if (repo !== undefined || script !== undefined || baseUrl !== undefined)
    throw new UsageError(
      "--sabotage breaks the demo's own script; leave out --repo and --script, and unset LLM_BASE_URL",
    );
  return sabotage;
}
