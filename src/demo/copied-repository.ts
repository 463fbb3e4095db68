/** Copies somebody's repository for the demo and adds what Loopwright needs, if it is missing. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { UsageError } from '../errors.ts';
import { writeSetup } from '../settings/setup-files.ts';
import { gitOfMaria } from './repository-git.ts';

const EMAIL = 'maria@demo.example';

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
  await mkdir(join(directory, 'copies'), { recursive: true });
  await gitOfMaria(directory, EMAIL)
    .clone(source, path)
    .catch((error: unknown) => {
      const [why] = (error instanceof Error ? error.message : String(error)).trim().split('\n').slice(-1);
      throw new UsageError(
        `--repo ${source}: it cannot be cloned (${why}); name a git repository with at least one commit`,
      );
    });
  const files = await writeSetup(path, { force: false });
  const written = files.flatMap((file) => (file.state === 'written' ? file.path : []));
  if (written.length === 0) return { path, fullName };
  say(`The copy of ${name} got ${written.join(', ')}, as \`loopwright init\` writes them.`);
  const git = gitOfMaria(path, EMAIL);
  await git.add(['.github']);
  await git.commit('Set up Loopwright');
  return { path, fullName };
}
