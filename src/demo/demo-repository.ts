/** Makes the demo's git repository: the files beside this one, with some history. */
import { existsSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { childEnvironment } from '../settings/env.ts';
import { packageFile } from '../settings/package-root.ts';
import { writeSetup } from '../settings/setup-files.ts';

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

/** Creates the repository below `directory` unless it is there already, and returns its path. The same history gives the same commits. */
export async function prepareDemoRepository(directory: string): Promise<string> {
  const path = join(directory, 'guestbook');
  if (existsSync(join(path, '.git'))) return path;
  await rm(path, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  await cp(packageFile('src', 'demo', 'repository'), path, { recursive: true });
  await writeSetup(path, { force: false });
  await git(path, ['init', '--quiet', '--initial-branch', 'main']);
  for (const chapter of HISTORY) await commit(path, chapter);
  return path;
}

async function commit(path: string, { message, date, paths }: Chapter): Promise<void> {
  await git(path, ['add', '--', ...paths]);
  const dates = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  await git(
    path,
    [
      '-c',
      'user.name=Maria',
      '-c',
      'user.email=maria@guestbook.example',
      '-c',
      'commit.gpgsign=false',
      'commit',
      '--quiet',
      '-m',
      message,
    ],
    dates,
  );
}

async function git(path: string, argv: readonly string[], environment: Record<string, string> = {}): Promise<void> {
  await execa('git', argv, {
    cwd: path,
    extendEnv: false,
    env: { ...childEnvironment(), GIT_CONFIG_GLOBAL: '/dev/null', ...environment },
  });
}
