/** Reads back a structured document of an earlier phase. */
import type { z } from 'zod';
import { ConfigError } from '../errors.ts';
import type { Loop } from '../loop/loop.ts';
import type { PhaseName } from '../loop/terms.ts';
import type { Ports } from '../ports.ts';
import { documentNamed } from './document-texts.ts';

/** Who reads: one entry of a phase. */
interface Reader {
  readonly phase: PhaseName;
  readonly loop: Loop;
  readonly ports: Pick<Ports, 'store'>;
}

/** @throws {ConfigError} when the loop has no such document; it names the phase to run again. */
export async function storedJson<Schema extends z.ZodType>(
  { loop, ports, phase }: Reader,
  name: string,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const text = await documentNamed(loop, name, ports.store);
  if (text === undefined)
    throw new ConfigError(`${phase} needs ${name}, which this loop does not have; \`/rerun DISCOVER\` makes it anew.`);
  return schema.parse(JSON.parse(text));
}
