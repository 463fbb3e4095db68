/** The result of a demo that succeeded, in its kept directory: the same command again gives the same answer. */
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const keptFile = z.object({
  fullName: z.string(),
  title: z.string(),
  /** The last lines that people read. */
  closing: z.array(z.string()).readonly(),
  summary: z.looseObject({ status: z.literal('succeeded') }),
});
export type KeptResult = z.infer<typeof keptFile>;

/** The stored result for this repository and issue; undefined when there is none. */
export async function keptResult(
  directory: string,
  { fullName, title }: Pick<KeptResult, 'fullName' | 'title'>,
): Promise<KeptResult | undefined> {
  const file = join(directory, 'result.json');
  if (!existsSync(file)) return undefined;
  const kept = keptFile.parse(JSON.parse(await readFile(file, 'utf8')));
  return kept.fullName === fullName && kept.title === title ? kept : undefined;
}

/** Written beside and renamed, so that a kill leaves all of it or nothing. */
export async function keepResult(
  directory: string,
  result: Omit<KeptResult, 'summary'> & { readonly summary: object },
): Promise<void> {
  const file = join(directory, 'result.json');
  await writeFile(`${file}.new`, JSON.stringify(result));
  await rename(`${file}.new`, file);
}
