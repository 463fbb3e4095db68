/** Reads `.github/loopwright.yml` from the default branch, or says in one sentence why it is refused. */
import { LineCounter, parseDocument } from 'yaml';
import { type RepositoryConfig, repositoryConfig } from '../config.ts';
import { ConfigError } from '../errors.ts';
import { digestOf } from '../guard/digest.ts';
import type { Loop } from '../loop/loop.ts';
import type { Ports, RepositoryRef } from '../ports.ts';

export const CONFIG_PATH = '.github/loopwright.yml';

export interface ReadConfig {
  readonly config: RepositoryConfig;
  readonly digest: string;
}

/** The configuration as the loop was started with: read at the loop's base commit, because an approval is bound to its digest. */
export async function readConfig(loop: Loop, ports: Pick<Ports, 'github'>): Promise<RepositoryConfig> {
  const { config } = await configAt(loop.ref, loop.base?.sha ?? '', ports);
  return config;
}

/** @throws {ConfigError} when the file is missing, is no YAML, or breaks the schema; the message names line, column, key and remedy. */
export async function configAt(
  repository: RepositoryRef,
  sha: string,
  { github }: Pick<Ports, 'github'>,
): Promise<ReadConfig> {
  const text = await github.file(repository, CONFIG_PATH, sha);
  if (text === undefined)
    throw new ConfigError(
      `${CONFIG_PATH} is missing on the default branch; \`npx loopwright init\` writes it into a checkout.`,
    );
  return { config: parseConfig(text), digest: digestOf(text) };
}

/** @throws {ConfigError} with `config .github/loopwright.yml, line 4, column 3: …`. */
export function parseConfig(text: string): RepositoryConfig {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const broken = document.errors[0];
  if (broken !== undefined)
    throw new ConfigError(`${placeOf(lines, broken.pos[0])}: ${firstLine(broken.message)} Correct the YAML.`);
  const parsed = repositoryConfig.safeParse(document.toJS());
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = issue?.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : (issue?.path ?? []);
  const node: unknown = document.getIn(path, true) ?? document.contents;
  throw new ConfigError(
    `${placeOf(lines, startOf(node))}: "${path.join('.')}" ${issue?.code === 'unrecognized_keys' ? 'is not a known key; remove it' : `is refused: ${issue?.message ?? 'unknown'}`}.`,
  );
}

function placeOf(lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `config ${CONFIG_PATH}, line ${line}, column ${col}`;
}

function startOf(node: unknown): number {
  if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range)) return 0;
  const [start] = node.range;
  return typeof start === 'number' ? start : 0;
}

function firstLine(message: string): string {
  return `${message.split('\n')[0]?.replace(/ at line .*$/, '') ?? message}.`;
}
