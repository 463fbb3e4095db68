/** Reads back a structured document of an earlier phase. */
import type { z } from 'zod';
import { ConfigError } from '../errors.ts';
import { documentNamed } from './document-texts.ts';
import type { Drafting } from './drafting.ts';

/** @throws {ConfigError} when the loop has no such document; it names the phase to run again. */
export async function storedJson<Schema extends z.ZodType>(
  { loop, ports, phase }: Drafting,
  name: string,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const text = await documentNamed(loop, name, ports.store);
  if (text === undefined)
    throw new ConfigError(`${phase} needs ${name}, which this loop does not have; \`/rerun DISCOVER\` makes it anew.`);
  return schema.parse(JSON.parse(text));
}
