/** Secrets that need not stand in the environment: `NAME_FILE` names a file that holds one, `NAME_COMMAND` a command that prints one, as the programs of vaults do. */
import { readFileSync } from 'node:fs';
import { execaSync } from 'execa';
import { ConfigError } from '../errors.ts';

/** These, and no other variable: a file or a command for a port would only hide what is set. */
const SECRETS: ReadonlySet<string> = new Set([
  ...['PRIVATE_KEY', 'WEBHOOK_SECRET', 'DATABASE_URL'],
  ...['LLM_API_KEY', 'OPENAI_API_KEY', 'LLM_RESPONSES_API_KEY', 'LLM_ANTHROPIC_API_KEY'],
]);

export type Variables = Readonly<Record<string, string | undefined>>;

/** By the end of the variable's name. */
const SOURCES: Readonly<Record<string, (name: string, value: string) => string>> = {
  '': (_, value) => value,
  _FILE: readFrom,
  _COMMAND: printedBy,
};

/** Whether the variable, a file or a command for it is set. */
export function isGiven(variables: Variables, name: string): boolean {
  return sourcesOf(variables, name).length > 0;
}

/** The variables, with those of these names that are secrets as their sources give them. @throws {ConfigError} where one has two sources, or one that gives nothing. */
export function withSecrets(variables: Variables, names: readonly string[]): Variables {
  const found = names
    .filter((name) => SECRETS.has(name) && isGiven(variables, name))
    .map((name) => [name, secretOf(variables, name)] as const);
  return { ...variables, ...Object.fromEntries(found) };
}

/** A variable that is not as it must be. Its value is shown where nobody minds. */
export interface VariableProblem {
  readonly name: string;
  readonly isMissing: boolean;
  /** `is not set`, `is "abc"`, `cannot be used` */
  readonly stands: string;
  readonly remedy: string;
}

/** Secrets as their sources give them; of those that do not, why. */
export function readSecrets(
  given: Variables,
  names: readonly string[],
): { readonly variables: Variables; readonly problems: readonly VariableProblem[] } {
  let variables = given;
  const problems: VariableProblem[] = [];
  for (const name of names) {
    try {
      variables = { ...variables, [name]: withSecrets(given, [name])[name] };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const [, source = name, stands = 'gives no secret', remedy = TRY] = UNREAD.exec(error.message) ?? [];
      problems.push({ name: source, isMissing: false, stands, remedy });
    }
  }
  return { variables, problems };
}

/** The sentence about a source: its name, how it stands, what to do. */
const UNREAD = /^The (?:environment variable|secret) (\S+) (.*?)(?:; ([^;]*))?\.$/s;
const TRY = 'see that it gives the secret, or set the variable itself';

function secretOf(variables: Variables, name: string): string {
  const [source = '', ...others] = sourcesOf(variables, name);
  if (others.length > 0)
    throw new ConfigError(
      `The secret ${name} is given by ${[source, ...others].join(' and ')}; unset all but one of them.`,
    );
  const read = SOURCES[source.slice(name.length)];
  return read?.(source, variables[source] ?? '') ?? '';
}

/** An empty one is not set, as where a file of variables has a line for each of them. */
function sourcesOf(variables: Variables, name: string): readonly string[] {
  return Object.keys(SOURCES)
    .map((end) => `${name}${end}`)
    .filter((source) => (variables[source] ?? '') !== '');
}

/** Some write a line break at the end, which is no part of it. */
function withoutEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}

function readFrom(name: string, file: string): string {
  try {
    return given(withoutEnd(readFileSync(file, 'utf8')), name, `the file ${file} is empty; write the secret into it`);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw unusable(name, `the file ${file} cannot be read${codeOf(error)}; name one that this user may read`, error);
  }
}

/** A vault that asks somebody for something would be waited for without an end. */
const LONGEST_MS = 30_000;
const printed = new Map<string, string>();

/** Asked once: a vault may count, or give another one each time. Its words on standard error are the operator's to read, and nobody else's. */
function printedBy(name: string, command: string): string {
  const known = printed.get(command);
  if (known !== undefined) return known;
  const { stdout, exitCode, timedOut, failed } = execaSync(command, {
    shell: '/bin/sh',
    stdin: 'ignore',
    stderr: 'inherit',
    timeout: LONGEST_MS,
    reject: false,
  });
  if (timedOut) throw unusable(name, `its command gave nothing within ${LONGEST_MS / 1000} seconds`);
  if (failed) throw unusable(name, `its command ended with ${exitCode ?? 'a signal'}; run it in a shell to see why`);
  const secret = given(stdout, name, 'its command printed nothing; it has to print the secret on standard output');
  printed.set(command, secret);
  return secret;
}

function given(secret: string, name: string, problem: string): string {
  if (secret !== '') return secret;
  throw unusable(name, problem);
}

function unusable(name: string, problem: string, cause?: unknown): ConfigError {
  return new ConfigError(`The environment variable ${name} gives no secret: ${problem}.`, { cause });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
}
