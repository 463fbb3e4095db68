/** Reads `.github/loopwright.yml` from the default branch, or says in one sentence why it is refused. */

import { ConfigError } from '../errors.ts';
import type { RepositoryRef } from '../github/github-port.ts';
import { digestOf } from '../guard/digest.ts';
import type { StartedLoop } from '../loop/stages.ts';
import type { Ports } from '../ports.ts';
import { CONFIG_PATH, type RepositoryConfig, repositoryConfig } from '../settings/config.ts';
import { checkedYaml } from './checked-yaml.ts';

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

export const CONFIG_MISSING = `${CONFIG_PATH} is missing on the default branch; \`loopwright init\` writes it into a checkout.`;

/** @throws {ConfigError} when the file is missing, is no YAML, or breaks the schema; the message names line, column, key and remedy. */
export async function configAt(
  repository: RepositoryRef,
  sha: string,
  { github }: Pick<Ports, 'github'>,
): Promise<ReadConfig> {
  const text = await github.file(repository, CONFIG_PATH, sha);
  if (text === undefined) throw new ConfigError(CONFIG_MISSING);
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
  return checkedYaml(repositoryConfig, text, `config ${CONFIG_PATH}`);
}
