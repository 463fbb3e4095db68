/** Whether a product that people ask over HTTP can be started by a job, which knows no other way to it than the configuration. Pure. */
import type { Surface } from '../documents/documents.ts';
import { ConfigError } from '../errors.ts';
import { isServed } from '../loop/gates.ts';
import { CONFIG_PATH, type RepositoryConfig } from '../settings/config.ts';

type Start = Pick<RepositoryConfig['commands'], 'start' | 'health'>;

/** Of the keys that a started product needs, those that are not set. */
export function unsetStart({ start, health }: Start): readonly string[] {
  return [...(start === null ? ['commands.start'] : []), ...(health === null ? ['commands.health'] : [])];
}

/** @throws {ConfigError} where the loop's product has to be started and nobody says how: its BUILD could pass by no work of the model's. */
export function requireStart(surface: Surface | undefined, commands: Start): void {
  const unset = unsetStart(commands);
  if (surface === undefined || !isServed(surface) || unset.length === 0) return;
  throw new ConfigError(
    `The product is asked over HTTP (surface ${surface}), and ${unset.join(' and ')} ${unset.length === 1 ? 'is' : 'are'} not set in ${CONFIG_PATH}, so that no job can start it: name there, on the default branch, what starts it (\`start: npm start\`; its port is in $PORT) and a path that answers 200 when it is ready (\`health: /\`).`,
  );
}
