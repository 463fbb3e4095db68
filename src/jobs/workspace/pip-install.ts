/** pip in the sandbox, with a way out to indexes: it takes wheels only, so that nothing of a package runs, and writes in a copy of the environment. */
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { execa } from 'execa';
import { programText } from '../../inside/program-text.ts';
import { type Egress, hostOf, openEgress } from '../../sandbox/egress.ts';
import { type CommandResult, treesDirectory } from '../../sandbox/sandbox.ts';
import { fetchingEnvironment } from '../../settings/env.ts';
import { said } from '../report/said.ts';
import { type Installable, JobError, SetupError } from './environment.ts';
import { entriesIn, keepToItself } from './environment-files.ts';
import type { Indexes } from './pip-indexes.ts';
import { strangeFiles } from './wheel-files.ts';

/** What pip is given. */
export interface Required {
  /** Where commands find the environment. */
  readonly environment: string;
  readonly lines: readonly string[];
  readonly indexes: Indexes;
  /** Of the base: {@link openFolders}. */
  readonly folders: ReadonlySet<string>;
}

/** A copy of the environment with what the lines ask for besides, and with what there was as it was. @throws {JobError} */
export async function withRequirements(bench: Installable, required: Required): Promise<string> {
  const { environment, lines, indexes, folders } = required;
  const place = await mkdtemp(join(treesDirectory(bench.environment.scratch), 'python-'));
  const copy = join(place, 'environment');
  await mkdir(copy);
  await execa('cp', ['-a', '--', `${environment}/.`, copy], { stdin: 'ignore' });
  const before = await entriesIn(copy);
  await writeFile(join(place, WANTED), `${lines.join('\n')}\n`);
  const python = { environment, copy, place };
  await writeFile(join(place, CONSTRAINTS), await installedIn(bench, python));
  const absent = await absentIn(bench, python);
  await fetchInto(bench, python, indexes);
  const strange = strangeFiles(before, await entriesIn(copy), { absent, folders });
  if (strange.length > 0)
    throw new JobError(
      `What requirements.txt adds is not installed: ${strange.slice(0, MOST_SHOWN).join('; ')}${strange.length > MOST_SHOWN ? `, and ${strange.length - MOST_SHOWN} more` : ''}; a package that does so has to be on the default branch first.`,
    );
  await keepToItself(copy, { before, log: bench.environment.log });
  return copy;
}

const MOST_SHOWN = 5;
const WANTED = 'requirements.txt';
const CONSTRAINTS = 'constraints.txt';
const PIP = ['-m', 'pip', '--isolated', '--no-input', '--disable-pip-version-check', '--no-color'];
/** What is fetched is tried again soon, and not for minutes. */
const SOON = ['--retries', '2', '--timeout', '15'];
const INSTALL = [...PIP, 'install', '--only-binary', ':all:', '--no-cache-dir', '--progress-bar', 'off', ...SOON];
/** By these names pip speaks of them, when it cannot have both. */
const FILES = ['--requirement', WANTED, '--constraint', CONSTRAINTS];

interface Python {
  readonly environment: string;
  /** What stands there for pip, which writes in it. */
  readonly copy: string;
  /** The tree that the copy is in. */
  readonly place: string;
}

/** `name==version` of each. @throws {SetupError} */
async function installedIn(bench: Installable, python: Python): Promise<string> {
  const listed = await runPython(bench, python, [...PIP, 'list', '--format=freeze']);
  if (listed.exitCode === 0) return listed.stdout;
  throw new SetupError(
    `The environment ${python.environment} has no pip that tells what is installed; one that \`python3 -m venv\` makes has: ${said(listed, 2000)}`,
  );
}

/** Python knows the names that its library has on any system; Jython's are asked for too. Before 3.10 it tells none, and these stand for them. */
const ABSENT = `import sys, importlib.util as util
known = getattr(sys, "stdlib_module_names", ("_overlapped", "_scproxy", "_winapi", "msvcrt", "nt", "winreg", "winsound"))
print(*sorted(name for name in {*known, "java", "org"} if name not in sys.modules and util.find_spec(name) is None))`;

/** Modules that Python's own may ask for and do without. @throws {SetupError} */
async function absentIn(bench: Installable, python: Python): Promise<ReadonlySet<string>> {
  const told = await runPython(bench, python, ['-S', '-c', ABSENT]);
  if (told.exitCode === 0) return new Set(told.stdout.trim().split(' '));
  throw new SetupError(`The Python of ${python.environment} does not tell of its modules: ${said(told, 2000)}`);
}

/** Python heeds neither the environment nor the folder that it runs in, and pip no settings of the machine. */
function runPython(
  { brief, environment: { sandbox } }: Installable,
  { environment, copy, place }: Python,
  argv: readonly string[],
  egress?: Egress,
): Promise<CommandResult> {
  return sandbox.run({
    argv: [join(environment, 'bin', 'python3'), '-IB', ...argv],
    directory: place,
    env: { CI: 'true', PIP_CONFIG_FILE: '/dev/null' },
    timeoutMs: brief.limits.commandTimeoutMs,
    outputBytes: brief.limits.outputBytes,
    python: copy,
    ...(egress === undefined ? {} : { egress }),
  });
}

/** What is there already stays at its version: it is a constraint. */
async function fetchInto(bench: Installable, python: Python, { options, addresses }: Indexes): Promise<void> {
  const hosts = new Set(addresses.flatMap((address) => hostOf(address) ?? []));
  const egress = await openEgress(hosts, programText('egress.mjs'));
  try {
    const argv = [...INSTALL, ...options, ...(await ownAuthorities(python.place))];
    const result = await runPython(bench, python, [...argv, ...FILES], egress);
    bench.environment.log(`pip install, from ${[...hosts].join(', ')}: ${result.exitCode === 0 ? 'done' : 'failed'}`);
    if (result.exitCode !== 0) throw failureOf(result, egress, hosts);
  } finally {
    await egress.close();
  }
}

/** The certificates of a company's own index, beside those that everybody trusts: pip takes one file in place of its own. */
async function ownAuthorities(place: string): Promise<readonly string[]> {
  const known = fetchingEnvironment().NODE_EXTRA_CA_CERTS;
  if (known === undefined || known === '') return [];
  const file = join(place, 'authorities.pem');
  await writeFile(file, [...rootCertificates, await readFile(known, 'utf8')].join('\n'));
  return ['--cert', file];
}

/** The index is there, and is not who it says, or wants to know who asks. */
const UNUSABLE = /CERTIFICATE_VERIFY_FAILED|SSLError|HTTP error (?:401|403|5\d\d)/;

function failureOf(result: CommandResult, egress: Egress, hosts: ReadonlySet<string>): JobError {
  const refused = egress.refused();
  if (refused.length > 0)
    return new JobError(
      `pip wants packages from ${refused.join(', ')}; they come from ${[...hosts].join(', ')} only, as the base's requirements.txt says. Where another index is meant, a person names it there on the default branch.`,
    );
  const message = `What requirements.txt adds cannot be had as wheels, with what the base has installed as it is: ${said(result, 2000)}`;
  const unreached = egress.unreached();
  if (unreached.length > 0) return new SetupError(`${unreached.join(', ')} cannot be reached. ${message}`);
  return UNUSABLE.test(result.stderr) ? new SetupError(message) : new JobError(message);
}
