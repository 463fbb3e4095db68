/** `loopwright prove`: proves the change of a range of commits by its own tests, in any checkout. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Proof, proof } from '../proof/proof.ts';
import { prove as proveChange } from '../proof/prove.ts';
import { sarifOf } from '../proof/sarif.ts';
import { RUNNER_NAMES } from '../runners/runners.ts';
import { openSandbox } from '../sandbox/sandbox.ts';
import { installedParsers, loadParsers } from '../syntax/parsers.ts';
import { installedIn, openCheckout, pythonOf, rangeOf } from '../trees/checkout.ts';
import { type Command, optionsOf, orUnjudged, type Terminal } from './command.ts';
import { parseMinutes } from './local-options.ts';
import { proofLines } from './proof-text.ts';
import { assertWritable, countOf, directoryOf, junitOf, requirementsIn, runnerOf } from './prove-options.ts';
import { inScratch } from './scratch.ts';

const OPTIONS = {
  json: { type: 'boolean', description: 'print one JSON object, and nothing else on standard output' },
  strict: { type: 'boolean', description: 'end with 1 where the change is only weakly proved' },
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
  directory: {
    type: 'string',
    value: 'DIR',
    description: 'the folder of the repository that its tests run in, as packages/shop; only those below it are asked',
  },
  requirements: {
    type: 'string',
    value: 'FILE',
    description:
      'YAML that says which tests show which requirement, as `R-1: [test/a.test.js, "test/b.test.js::name"]`; the verdict is then given for each',
  },
  minutes: {
    type: 'string',
    value: 'N',
    description: 'how long a run of 25 test files may take; more have more (default 5)',
  },
} as const;

/** What the process ends with. */
const EXIT_CODES: Readonly<Record<Proof['verdict'], number>> = {
  proved: 0,
  'weakly proved': 0,
  'not proved': 1,
  'not judged': 2,
};
const NOT_JUDGED = EXIT_CODES['not judged'];
/** By `--strict`. */
const WEAK = EXIT_CODES['not proved'];

export const prove: Command = {
  summary: 'prove a change by its own tests: they fail without it, pass with it, and nothing else breaks',
  usage:
    '[BASE..HEAD] [--json] [--strict] [--sarif FILE] [--repo DIR] [--runner NAME] [--junit-command CMD --junit-sentinel FILE] [--build CMD] [--faults N] [--tests GLOB] [--directory DIR] [--requirements FILE] [--minutes N]',
  options: OPTIONS,
  run: (argv, terminal) => orUnjudged(terminal, { argv, code: NOT_JUDGED, inJson: unknownProof }, runIn),
};

/** What of a proof there is where nothing could be looked at. */
function unknownProof(message: string): Pick<Proof, 'verdict' | 'reasons'> {
  return { verdict: 'not judged', reasons: [message] };
}

async function runIn(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = optionsOf({ command: 'prove', argv, options: OPTIONS, words: 1 });
  const timeoutMs = parseMinutes(values.minutes ?? '5') * 60_000;
  const faults = countOf(values.faults ?? '40');
  const directory = directoryOf(values.directory);
  const requirements = await requirementsIn(values.requirements);
  await assertWritable(values.sarif);
  const found = await inScratch('prove', terminal, async (scratch) => {
    const checkout = await openCheckout(resolve(values.repo ?? '.'), scratch);
    const range = await rangeOf(checkout, positionals[0]);
    const runner = await runnerOf(checkout, range.head, values);
    const junit = await junitOf(runner, values);
    const dependencies = await installedIn(checkout);
    const workspace = join(scratch, 'workspace');
    await mkdir(workspace);
    const python = await pythonOf(dependencies, directory);
    const readOnly = [...dependencies.values(), ...python.readOnly];
    const sandbox = await openSandbox({ workspace, scratch, readOnly, programs: python.programs, scripted: false });
    terminal.fail(
      `proving ${range.head.slice(0, 10)} on top of ${range.base.slice(0, 10)}, as they are committed; what is not is no part of it`,
    );
    return proveChange({
      ...{ repository: checkout.repository, sandbox, range, dependencies, timeoutMs, faults, requirements },
      commands: { runner, junit, directory },
      build: values.build ?? null,
      outputBytes: OUTPUT_BYTES,
      scope: values.tests ?? [],
      parsers: await loadParsers(installedParsers()),
      log: (line) => void terminal.fail(line),
    });
  });
  await told(found, values, terminal);
  return values.strict === true && found.verdict === 'weakly proved' ? WEAK : EXIT_CODES[found.verdict];
}

interface Wanted {
  readonly sarif?: string | undefined;
  readonly json?: boolean | undefined;
}

async function told(found: Proof, { sarif, json }: Wanted, terminal: Terminal): Promise<void> {
  if (sarif !== undefined) await writeFile(sarif, `${JSON.stringify(sarifOf(found), null, 2)}\n`);
  // Whoever reads the output of a program as its result has to hear of this all the same.
  if (found.verdict === 'not judged') for (const reason of found.reasons) terminal.fail(unjudged(reason));
  if (json === true) terminal.out(JSON.stringify(proof.parse(found), null, 2));
  else for (const line of proofLines(found)) terminal.out(line);
}

function unjudged(reason: string): string {
  return `not judged: ${reason}${NOT_INSTALLED.test(reason) ? INSTALL : ''}`;
}

const NOT_INSTALLED = /\bis not installed (?:here|in node_modules)\b/;
const INSTALL =
  '; install in the checkout what its tests need, as by `npm ci`, or `python3 -m venv .venv && .venv/bin/pip install pytest -e .`';

const OUTPUT_BYTES = 4 * 1024 * 1024;
