/** Runs whole loops on repositories of other people and on this one: a first build that errs, then a right one. Prints what each came to. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { execa } from 'execa';
import { parse, stringify } from 'yaml';
import { existingFolder, optionsOrEnd, UsageError } from '../command-line.ts';
import { type LoopCase, loopCase } from './loop-case.ts';
import { type Outcome, outcomeLines, readOutcome } from './outcome.ts';
import { committedRepository, patchedFiles } from './repository.ts';
import { scriptOf } from './script-of.ts';

const CASES = join(import.meta.dirname, 'cases');
const FIXES = '../shared/corpus';

const given = optionsOrEnd({
  typed: 'npm run loops --',
  purpose:
    'Runs a whole loop, wrong first and then right, on repositories with Jest, pytest and Vitest, and on its own.',
  options: {
    from: { value: 'DIR', meaning: 'the folder of fixes' },
    only: { value: 'TEXT', meaning: 'only the cases that are named so' },
    keep: { value: 'DIR', meaning: 'keeps repositories and loops there, to look at' },
    tools: { value: 'DIR', meaning: 'keeps package managers and what they fetched; a temporary folder otherwise' },
  },
  read: ({ from, only, keep, tools }) => ({
    ...casesOf(typeof only === 'string' ? only : '', from),
    keep: typeof keep === 'string' ? resolve(keep) : undefined,
    tools: resolve(typeof tools === 'string' ? tools : join(tmpdir(), 'loopwright-loops')),
  }),
});

const MAIN = join(import.meta.dirname, '..', '..', 'dist', 'loopwright.js');
const LIMIT_MINUTES = 15;

/** Those that are named so, and the folder of fixes, where one of them is asked for. @throws {UsageError} */
function casesOf(only: string, from: string | true | undefined) {
  const all = readdirSync(CASES).sort();
  const names = all.filter((name) => name.includes(only));
  if (names.length === 0)
    throw new UsageError(`--only ${only} is part of no case's name; those are ${all.join(', ')}.`);
  const cases = names.map(
    (name) => [name, loopCase.parse(parse(readFileSync(join(CASES, name, 'case.yaml'), 'utf8')))] as const,
  );
  return { cases, from: cases.some(([, { fix }]) => fix !== undefined) ? existingFolder('from', from, FIXES) : FIXES };
}

async function runCase(name: string, one: LoopCase, root: string): Promise<Outcome> {
  const place = join(CASES, name);
  const directory = join(root, name);
  await mkdir(directory, { recursive: true });
  const repository = join(directory, one.fix?.replace(/-\w+$/, '') ?? 'loopwright');
  await committedRepository(repository, one, given.from);
  const builds = one.builds.map((patch) => ({ repository, patch, places: placesOf(place, one) }));
  const script = join(directory, 'script.yaml');
  const issue = join(directory, 'issue.md');
  await writeFile(script, stringify(scriptOf(one, await Promise.all(builds.map(patchedFiles)))));
  await writeFile(issue, `# ${one.title}\n\n${one.body}`);
  const env = await environmentFor(one);
  const init = await execa(process.execPath, [MAIN, 'init', repository, '--runner', one.runner], { env });
  await setRight(repository, one);
  process.stdout.write(`${name}: ${one.title}\n${await configOf(repository)}`);
  const data = join(directory, 'data');
  const files = ['--repo', repository, '--issue', issue, '--script', script, '--keep', data];
  const argv = ['--disable-warning=ExperimentalWarning', MAIN, 'demo', '--json', '--yes', ...files];
  const ran = await execa(process.execPath, [...argv, '--minutes', String(LIMIT_MINUTES)], { env, reject: false });
  await writeFile(join(directory, 'said.txt'), `${init.stdout}\n${ran.stderr}\n${ran.stdout}\n`);
  return readOutcome({ name, one, data, stdout: ran.stdout, stderr: ran.stderr });
}

function placesOf(place: string, { fix }: LoopCase): readonly string[] {
  return fix === undefined ? [place] : [place, join(given.from, fix)];
}

/** What a person corrects of what `init` guessed. */
async function setRight(repository: string, { corrected }: LoopCase): Promise<void> {
  const path = join(repository, '.github', 'loopwright.yml');
  let text = await readFile(path, 'utf8');
  for (const [before, after] of Object.entries(corrected)) {
    if (!text.includes(before)) throw new Error(`${path} has no ${JSON.stringify(before)} to correct:\n${text}`);
    text = text.replace(before, after);
  }
  await writeFile(path, text);
}

async function configOf(repository: string): Promise<string> {
  return (await readFile(join(repository, '.github', 'loopwright.yml'), 'utf8'))
    .replaceAll(/^(?=.)/gm, '  | ')
    .trimEnd()
    .concat('\n');
}

/** Ours, without what would choose another model; package managers of the case come first, and keep what they fetch in our folder. */
async function environmentFor({ tools }: LoopCase): Promise<Record<string, string>> {
  const foreign = /^(LLM_|OPENAI_|LOG_LEVEL$|APP_ID$|PRIVATE_KEY$|VITEST)/;
  const own = Object.entries(process.env).flatMap(([name, value]) =>
    foreign.test(name) || value === undefined ? [] : [[name, value] as const],
  );
  const folders = await Promise.all(tools.map(programsOf));
  const path = [...folders, process.env.PATH ?? ''].join(delimiter);
  return {
    ...Object.fromEntries(own),
    PATH: path,
    XDG_CACHE_HOME: given.tools,
    XDG_DATA_HOME: given.tools,
    npm_config_cache: join(given.tools, 'npm'),
  };
}

async function programsOf(tool: string): Promise<string> {
  const directory = join(given.tools, tool.replaceAll(/[^\w.@-]+/g, '-'));
  const programs = join(directory, 'node_modules', '.bin');
  try {
    await readdir(programs);
  } catch {
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'package.json'), '{"private":true}');
    await execa('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', tool], { cwd: directory });
  }
  return programs;
}

const root = given.keep ?? (await mkdtemp(join(tmpdir(), 'loops-')));
try {
  const outcomes: Outcome[] = [];
  for (const [name, one] of given.cases) {
    const outcome = await runCase(name, one, root);
    outcomes.push(outcome);
    process.stdout.write(`${outcomeLines(outcome).join('\n')}\n\n`);
  }
  const failed = outcomes.filter(({ problems }) => problems.length > 0);
  process.stdout.write(`${outcomes.length - failed.length} of ${outcomes.length} loops went as they must\n`);
  if (failed.length > 0) process.exitCode = 1;
} finally {
  if (given.keep === undefined) await rm(root, { recursive: true, force: true });
}
