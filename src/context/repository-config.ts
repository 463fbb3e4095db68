/** Reads `.github/loopwright.yml` from the default branch, or says in one sentence why it is refused. */

import { ConfigError } from '../errors.ts';
import type { RepositoryRef } from '../github/github-port.ts';
import { digestOf } from '../guard/digest.ts';
import { plainProblem } from '../loop/plain-problem.ts';
import type { StartedLoop } from '../loop/stages.ts';
import type { Ports } from '../ports.ts';
import { CONFIG_PATH, type RepositoryConfig, repositoryConfig } from '../settings/config.ts';
import { type Place, readYaml } from './yaml-text.ts';

export interface ReadConfig {
  readonly config: RepositoryConfig;
  readonly digest: string;
}

/** The configuration that an approval is bound to: read where the loop took it over, never from a newer commit; what its goal sets out of bounds is protected too. */
export async function readConfig(loop: StartedLoop, ports: Pick<Ports, 'github'>): Promise<RepositoryConfig> {
  const { config: read, base, goal } = loop.started;
  const { config } = await configAt(loop.ref, read.sha ?? base.sha, ports);
  return { ...config, protected: [...config.protected, ...(goal?.boundaries.paths ?? []).flatMap(globsOf)] };
}

/** A path that is out of bounds, and all that is in it where it is a folder. */
function globsOf(path: string): readonly string[] {
  const bare = path.replace(/\/+$/, '');
  return [bare, `${bare}/**`];
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
      `${CONFIG_PATH} is missing on the default branch; \`loopwright init\` writes it into a checkout.`,
    );
  return { config: parseConfig(text), digest: digestOf(text) };
}

/** Digest of the configuration as it stands, right or not; that of an empty text where it is missing. */
export async function configDigestAt(
  repository: RepositoryRef,
  sha: string,
  { github }: Pick<Ports, 'github'>,
): Promise<string> {
  return digestOf((await github.file(repository, CONFIG_PATH, sha)) ?? '');
}

/** @throws {ConfigError} with `config .github/loopwright.yml, line 4, column 3: …`. */
export function parseConfig(text: string): RepositoryConfig {
  const read = readYaml(text);
  if ('problem' in read) throw new ConfigError(`${placeText(read)}: ${read.problem} Correct the YAML.`);
  const parsed = repositoryConfig.safeParse(read.value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue?.code === 'unrecognized_keys') {
    const path = [...issue.path, issue.keys[0] ?? ''];
    throw new ConfigError(
      `${placeText(read.placeOf(path, 'key'))}: "${path.join('.')}" is not a known key; remove it.`,
    );
  }
  const path = issue?.path ?? [];
  // Our own rules are whole sentences.
  if (issue?.code === 'custom') throw new ConfigError(`${placeText(read.placeOf(path, 'value'))}: ${issue.message}`);
  const subject = path.length === 0 ? 'the file' : `"${path.join('.')}"`;
  throw new ConfigError(
    `${placeText(read.placeOf(path, 'value'))}: ${subject} ${issue === undefined ? 'is refused' : plainProblem(issue)}; correct it.`,
  );
}

function placeText({ line, column }: Place): string {
  return `config ${CONFIG_PATH}, line ${line}, column ${column}`;
}
