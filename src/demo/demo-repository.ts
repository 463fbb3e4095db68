/** Makes the demo's git repository: the files beside this one, with some history. */
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import { packageFile } from '../settings/package-root.ts';
import { type Server, writeSetup } from '../settings/setup-files.ts';
import { gitOfMaria } from './repository-git.ts';

interface Chapter {
  readonly message: string;
  readonly date: string;
  readonly paths: readonly string[];
}

const HISTORY: readonly Chapter[] = [
  { message: 'Start the guestbook', date: '2026-03-02T09:00:00Z', paths: ['package.json', 'README.md', 'src', 'data'] },
  { message: 'Test the API and the page', date: '2026-03-09T10:30:00Z', paths: ['test'] },
  { message: 'Run the tests on every push', date: '2026-03-16T08:15:00Z', paths: ['.github/workflows/ci.yml'] },
  { message: 'Set up Loopwright', date: '2026-04-01T12:00:00Z', paths: ['.'] },
];

/**
 * Creates the repository, with workflows for a GitHub, below `directory` unless it is there already, and returns its path. The same history gives the same commits.
 * @throws {UsageError} where something else has its name.
 */
export async function prepareDemoRepository(directory: string, server: Server = 'github.com'): Promise<string> {
  const path = join(directory, 'guestbook');
  if (existsSync(join(path, '.git'))) return path;
  if (existsSync(path))
    throw new UsageError(`${path} is there and no git repository of the demo; name another directory, or move it away`);
  await mkdir(directory, { recursive: true });
  // Made beside and renamed, so that an interruption leaves all of it or nothing.
  const made = await mkdtemp(join(directory, 'guestbook-'));
  try {
    await makeIn(made, server);
    await rename(made, path);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  return path;
}

async function makeIn(path: string, server: Server): Promise<void> {
  await cp(packageFile('src', 'demo', 'repository'), path, { recursive: true });
  await writeSetup(path, { force: false, server });
  const git = gitOfMaria(path, 'maria@guestbook.example');
  await git.init(['--quiet', '--initial-branch', 'main']);
  for (const { message, date, paths } of HISTORY) {
    await git.add([...paths]);
    await git.env('GIT_AUTHOR_DATE', date).env('GIT_COMMITTER_DATE', date).commit(message);
  }
}
