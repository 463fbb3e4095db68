/** What `npm start` says of a repository that no loop can work on yet, because its default branch lacks what `init` writes. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { LoopError } from '../errors.ts';
import { SETUP_PATHS } from '../setup-files.ts';
import { wire } from '../wire.ts';
import { commandLine } from './command-line.ts';
import type { Import, User } from './local-options.ts';

export interface Served {
  readonly githubUrl: string;
  readonly imports: readonly Import[];
  readonly people: readonly User[];
}

/** One sentence with the remedy for each repository without its three files. */
export async function missingSetup(served: Served): Promise<readonly string[]> {
  const sentences: string[] = [];
  for (const repository of served.imports) {
    const missing: string[] = [];
    for (const path of SETUP_PATHS)
      if ((await get(served, `/repos/${repository.fullName}/contents/${path}`)) === undefined) missing.push(path);
    if (missing.length > 0) sentences.push(await remedyFor(repository, missing, served));
  }
  return sentences;
}

/** The token stays out of what may be logged: whoever starts this has named it. */
async function remedyFor({ path, fullName }: Import, missing: readonly string[], served: Served): Promise<string> {
  const about = z.object({ default_branch: z.string() }).parse(await get(served, `/repos/${fullName}`));
  const writer = served.people.find(({ role }) => WRITERS.includes(role))?.login ?? '<user>';
  const remote = `${served.githubUrl.replace('://', `://${writer}:<token>@`)}/${fullName}.git`;
  const init = commandLine('init', existsSync(path) ? path : 'CHECKOUT');
  return `${fullName} has no ${missing.join(', ')} yet, so no loop can start there: run \`${init}\`, commit, and push that to the branch \`${about.default_branch}\` of \`${remote}\` (the import happens once).`;
}

const WRITERS: readonly string[] = ['write', 'maintain', 'admin'];

/** Undefined where there is nothing. */
async function get({ githubUrl, people }: Served, path: string): Promise<unknown> {
  const apiUrl = `${githubUrl}/api/v3`;
  const send = wire({ apiUrl, checked: false });
  const response = await send(`${apiUrl}${path}`, { headers: { authorization: `Bearer ${people[0]?.token ?? ''}` } });
  if (response.status === 404) return undefined;
  if (!response.ok) throw new LoopError(`GET ${path} of the embedded GitHub was answered ${response.status}.`);
  return response.json();
}
