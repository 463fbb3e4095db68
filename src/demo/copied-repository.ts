/** Copies somebody's repository for the demo and adds what Loopwright needs, if it is missing. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { UsageError } from '../errors.ts';
import { childEnvironment } from '../settings/env.ts';
import { writeSetup } from '../settings/setup-files.ts';

/** Clones the repository below `directory`; the original is never changed. @throws {UsageError} when it is no git repository. */
export async function prepareCopy(
  source: string,
  directory: string,
  say: (line: string) => void,
): Promise<{ readonly path: string; readonly fullName: string }> {
  const name =
    basename(source)
      .replace(/\.git$/, '')
      .replace(/[^\w.-]/g, '-') || 'repository';
  const path = join(directory, 'copies', name);
  const fullName = `acme/${name}`;
  if (existsSync(path)) return { path, fullName };
  const git = (argv: readonly string[], cwd?: string) =>
    execa('git', argv, {
      ...(cwd === undefined ? {} : { cwd }),
      extendEnv: false,
      env: { ...childEnvironment(), GIT_CONFIG_GLOBAL: '/dev/null' },
      reject: false,
    });
  const cloned = await git(['clone', '--quiet', '--', source, path]);
  if (cloned.failed)
    throw new UsageError(
      `--repo ${source}: it cannot be cloned (${cloned.stderr.split('\n')[0] ?? 'no git repository'}); name a git repository with at least one commit`,
    );
  const files = await writeSetup(path, { force: false });
  const written = files.flatMap((file) => (file.state === 'written' ? file.path : []));
  if (written.length === 0) return { path, fullName };
  say(`The copy of ${name} got ${written.join(', ')}, as \`loopwright init\` writes them.`);
  await git(['add', '--', '.github'], path);
  await git(
    ['-c', 'user.name=Maria', '-c', 'user.email=maria@demo.example', 'commit', '--quiet', '-m', 'Set up Loopwright'],
    path,
  );
  return { path, fullName };
}
