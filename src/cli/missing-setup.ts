/** What `npm start` says of a repository that no loop can work on yet, because its default branch lacks what a loop needs. */
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

export interface MissingSetup {
  readonly fullName: string;
  /** With the remedy. */
  readonly sentence: string;
}

/** Each repository without the files that it needs. */
export async function missingSetup(place: Place): Promise<readonly MissingSetup[]> {
  const reader = readerOf({ githubUrl: place.githubUrl, token: place.people[0]?.token ?? '' });
  const found = await Promise.all(
    place.imports.map(async (repository) => ({
      fullName: repository.fullName,
      sentence: await remedyFor(repository, place, reader),
    })),
  );
  return found.flatMap(({ fullName, sentence }) => (sentence === undefined ? [] : [{ fullName, sentence }]));
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
  return `${fullName} has no ${missing.join(', ')} yet, so no loop can start there. Its pull request “Set up Loopwright” brings what the App may write and links the rest: open it, add the two workflows, and merge it. Or run \`${init}\`, commit, and push that to the branch \`${branch}\` of \`${remote}\` (the import happens once).`;
}
