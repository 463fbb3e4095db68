/** `loopwright prove`: proves the change of a range of commits by its own tests, in any checkout. */
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { checkedYaml } from '../context/checked-yaml.ts';
import { repositoryFacts } from '../context/repository-facts.ts';
import { LoopError, UsageError } from '../errors.ts';
import { type Commands, junitCommand } from '../loop/brief.ts';
import { type Proof, proof } from '../proof/proof.ts';
import { prove as proveChange } from '../proof/prove.ts';
import { type RequirementList, requirementList } from '../proof/requirements.ts';
import { sarifOf } from '../proof/sarif.ts';
import type { RunnerName } from '../runners/runners.ts';
import { detectRunner, RUNNER_NAMES } from '../runners/runners.ts';
import { openSandbox } from '../sandbox/sandbox.ts';
import { installedParsers, loadParsers } from '../syntax/parsers.ts';
import { type Checkout, installedIn, openCheckout, rangeOf } from '../trees/checkout.ts';
import { treeOf } from '../trees/repository.ts';
import { type Command, optionsOf, type Terminal } from './command.ts';
import { INTERRUPTED, interruption, STOPPING } from './interruption.ts';
import { parseMinutes } from './local-options.ts';
import { proofLines } from './proof-text.ts';

const OPTIONS = {
  json: { type: 'boolean', description: 'print one JSON object, and nothing else on standard output' },
  sarif: { type: 'string', value: 'FILE', description: 'write what was found in SARIF 2.1.0, for code scanning' },
  repo: { type: 'string', value: 'DIR', description: 'the checkout (default: this directory)' },
  runner: {
    type: 'string',
    value: 'NAME',
    description: `what runs the tests: ${RUNNER_NAMES.join(' or ')} (default: as the repository shows)`,
  },
  'junit-command': {
    type: 'string',
    value: 'CMD',
    description: 'for --runner junit: runs {files} and writes JUnit XML to {report}',
  },
  'junit-sentinel': {
    type: 'string',
    value: 'FILE',
    description: 'for --runner junit: a test file of that tool with a test "{name} passes" and a test "{name} fails"',
  },
  build: {
    type: 'string',
    value: 'CMD',
    description: 'compiles the product before its tests are run, in each tree and with each fault (default: nothing)',
  },
  faults: {
    type: 'string',
    value: 'N',
    description: 'how many faults are made in the changed lines, to see whether the tests notice them (default 40)',
  },
  tests: {
    type: 'string',
    value: 'GLOB',
    multiple: true,
    description:
      'ask only test files at such paths, as in "test/unit/**"; may be repeated. How many others there are is said',
  },
  requirements: {
    type: 'string',
    value: 'FILE',
    description:
      'YAML that says which tests show which requirement, as `R-1: [test/a.test.js, "test/b.test.js::name"]`; the verdict is then given for each',
  },
  minutes: { type: 'string', value: 'N', description: 'how long one run of the tests may take (default 5)' },
} as const;

/** What the process ends with. */
const EXIT_CODES: Readonly<Record<Proof['verdict'], number>> = {
  proved: 0,
  'weakly proved': 0,
  'not proved': 1,
  'not judged': 2,
};
const NOT_JUDGED = EXIT_CODES['not judged'];

export const prove: Command = {
  summary: 'prove a change by its own tests: they fail without it, pass with it, and nothing else breaks',
  usage:
    '[BASE..HEAD] [--json] [--sarif FILE] [--repo DIR] [--runner NAME] [--junit-command CMD --junit-sentinel FILE] [--build CMD] [--faults N] [--tests GLOB] [--requirements FILE] [--minutes N]',
  options: OPTIONS,
  async run(argv, terminal) {
    try {
      return await runIn(argv, terminal);
    } catch (error) {
      // 1 would say that the change was judged.
      if (!(error instanceof LoopError)) throw error;
      terminal.fail(error.message);
      return NOT_JUDGED;
    }
  },
};

async function runIn(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = optionsOf({ command: 'prove', argv, options: OPTIONS, words: 1 });
  const timeoutMs = parseMinutes(values.minutes ?? '5') * 60_000;
  const faults = countOf(values.faults ?? '40');
  const scratch = await realpath(await mkdtemp(join(tmpdir(), 'loopwright-prove-')));
  // What runs in the sandbox ends with this process.
  interruption(() => {
    terminal.fail(STOPPING);
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
    process.exit(INTERRUPTED);
  });
  try {
    const checkout = await openCheckout(resolve(values.repo ?? '.'), scratch);
    const range = await rangeOf(checkout, positionals[0]);
    const runner = await runnerOf(checkout, range.head, values.runner);
    const junit = await junitOf(runner, values);
    const requirements = await requirementsIn(values.requirements);
    const dependencies = await installedIn(checkout);
    const workspace = join(scratch, 'workspace');
    await mkdir(workspace);
    const sandbox = await openSandbox({ workspace, scratch, readOnly: [...dependencies.values()], scripted: false });
    const found = await proveChange({
      ...{ repository: checkout.repository, sandbox, range, commands: { runner, junit }, dependencies, timeoutMs },
      ...{
        build: values.build ?? null,
        outputBytes: OUTPUT_BYTES,
        faults,
        scope: values.tests ?? [],
        requirements,
        parsers: await loadParsers(installedParsers()),
      },
      log: (line) => void terminal.fail(line),
    });
    await told(found, values, terminal);
    return EXIT_CODES[found.verdict];
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

interface Wanted {
  readonly sarif?: string | undefined;
  readonly json?: boolean | undefined;
}

async function told(found: Proof, { sarif, json }: Wanted, terminal: Terminal): Promise<void> {
  if (sarif !== undefined) await writeFile(sarif, `${JSON.stringify(sarifOf(found), null, 2)}\n`);
  if (json === true) terminal.out(JSON.stringify(proof.parse(found), null, 2));
  else for (const line of proofLines(found)) terminal.out(line);
}

/** @throws {UsageError} when it is no whole number that somebody can wait for. */
function countOf(text: string): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (count <= MOST_FAULTS) return count;
  throw new UsageError(`"${text}" is no number of faults; say a whole number from 0 to ${MOST_FAULTS}.`);
}

const MOST_FAULTS = 1000;
const OUTPUT_BYTES = 4 * 1024 * 1024;

async function runnerOf({ repository }: Checkout, head: string, wanted: string | undefined): Promise<RunnerName> {
  const known = RUNNER_NAMES.join(' or ');
  if (wanted !== undefined) {
    const found = RUNNER_NAMES.find((name) => name === wanted);
    if (found === undefined) throw new UsageError(`There is no runner "${wanted}"; say ${known}.`);
    return found;
  }
  const files = (await treeOf(repository, head)).map(({ path }) => path);
  const read = async (path: string) => (await repository.git(['show', `${head}:${path}`])).toString('utf8');
  const detected = detectRunner(await repositoryFacts(files, read), RUNNER_NAMES);
  if (detected === undefined)
    throw new UsageError(`It cannot be told what runs the tests of this repository; say it by --runner: ${known}.`);
  return detected.name;
}

/** @throws {ConfigError} when the file is no such list. */
async function requirementsIn(file: string | undefined): Promise<RequirementList> {
  if (file === undefined) return {};
  return checkedYaml(requirementList, await readFile(file, 'utf8'), file);
}

/** The command of the runner `junit`. @throws {UsageError} when it is not whole, or there for another runner. */
async function junitOf(
  runner: RunnerName,
  values: { readonly 'junit-command'?: string; readonly 'junit-sentinel'?: string },
): Promise<Commands['junit']> {
  const { 'junit-command': run, 'junit-sentinel': file } = values;
  if ((runner === 'junit') !== (run !== undefined && file !== undefined))
    throw new UsageError('--runner junit needs --junit-command and --junit-sentinel, and no other runner takes them.');
  if (run === undefined || file === undefined) return undefined;
  const found = junitCommand.safeParse({ run, sentinel: await readFile(file, 'utf8') });
  if (found.success) return found.data;
  throw new UsageError(found.error.issues.map(({ message }) => message).join(' '));
}
