/** What `npm start` says of a repository that no loop can work on yet, because its default branch lacks what `init` writes. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { type Reader, readerOf } from '../local/reader.ts';
import { SETUP_PATHS } from '../settings/setup-files.ts';
import { commandLine } from './command-line.ts';
import { type Import, isWriter, type User } from './local-options.ts';

interface Place {
  readonly githubUrl: string;
  readonly imports: readonly Import[];
  readonly people: readonly User[];
}

/** One sentence with the remedy for each repository without the files that it needs. */
export async function missingSetup(place: Place): Promise<readonly string[]> {
  const reader = readerOf({ githubUrl: place.githubUrl, token: place.people[0]?.token ?? '' });
  const sentences = await Promise.all(place.imports.map((repository) => remedyFor(repository, place, reader)));
  return sentences.flatMap((sentence) => sentence ?? []);
}

const about = z.object({ default_branch: z.string() });

/** Undefined where nothing is missing. The token stays out of what may be logged: whoever starts this has named it. */
async function remedyFor(
  { path, fullName }: Import,
  { githubUrl, people }: Place,
  { read, isThere }: Reader,
): Promise<string | undefined> {
  const areThere = await Promise.all(SETUP_PATHS.map((file) => isThere(`/repos/${fullName}/contents/${file}`)));
  const missing = SETUP_PATHS.filter((_, index) => areThere[index] === false);
  if (missing.length === 0) return undefined;
  const { default_branch: branch } = about.parse(await read(`/repos/${fullName}`));
  const writer = people.find(isWriter)?.login ?? '<user>';
  const remote = `${githubUrl.replace('://', `://${writer}:<token>@`)}/${fullName}.git`;
  const init = commandLine('init', existsSync(path) ? path : 'CHECKOUT');
  return `${fullName} has no ${missing.join(', ')} yet, so no loop can start there: run \`${init}\`, commit, and push that to the branch \`${branch}\` of \`${remote}\` (the import happens once).`;
}
