/** Copies somebody's repository for the demo and adds what Loopwright needs, if it is missing. */
import { existsSync } from 'node:fs';
import { cp, lstat, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { testSetupIn } from '../context/test-setup.ts';
import { UsageError } from '../errors.ts';
import { CONFIG_PATH } from '../settings/config.ts';
import { SETUP_FILES, writeSetup } from '../settings/setup-files.ts';
import { gitOfMaria } from './repository-git.ts';

const EMAIL = 'maria@demo.example';

type Say = (line: string) => void;

/** Clones the repository below `directory`; the original is never changed. @throws {UsageError} when it is no git repository. */
export async function prepareCopy(
  source: string,
  directory: string,
  say: Say,
): Promise<{ readonly path: string; readonly fullName: string }> {
  const name =
    basename(source)
      .replace(/\.git$/, '')
      .replace(/[^\w.-]/g, '-') || 'repository';
  const path = join(directory, 'copies', name);
  const fullName = `acme/${name}`;
  if (existsSync(path)) {
    say(`The copy of ${name} is here from before; what changed in ${source} since is not in it.`);
    return { path, fullName };
  }
  await mkdir(join(directory, 'copies'), { recursive: true });
  // Made beside and renamed, so that an interruption leaves all of it or nothing.
  const made = await mkdtemp(join(directory, 'copy-'));
  try {
    await cloneInto(made, source);
    await setUp(made, { source, name, say });
    await rename(made, path);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  return { path, fullName };
}

async function cloneInto(path: string, source: string): Promise<void> {
  await gitOfMaria(path, EMAIL)
    .clone(source, path)
    .catch((error: unknown) => {
      const [why] = (error instanceof Error ? error.message : String(error)).trim().split('\n').slice(-1);
      throw new UsageError(
        `--repo ${source}: it cannot be cloned (${why}); name a git repository with at least one commit`,
      );
    });
}

interface Copy {
  readonly source: string;
  readonly name: string;
  readonly say: Say;
}

/** What the person edited and did not commit counts before what would be guessed. */
async function setUp(path: string, { source, name, say }: Copy): Promise<void> {
  const taken = await takeUncommitted(path, source);
  const tests = await testSetupIn(path);
  const files = await writeSetup(path, { force: false, tests });
  const written = files.flatMap((file) => (file.state === 'written' ? file.path : []));
  if (taken.length > 0) say(`The copy of ${name} got ${taken.join(', ')} as you edited it; it is not committed there.`);
  if (written.length > 0) say(`The copy of ${name} got ${written.join(', ')}, as \`loopwright init\` writes them.`);
  if (written.includes(CONFIG_PATH))
    say(
      `What ${CONFIG_PATH} says there of the tests is guessed and was not tried; the first build tries the whole suite before a model writes code.`,
    );
  if (await hasMore(source, taken)) say(`What else is not committed in ${source} is not in the copy.`);
  const changed = [...taken, ...written];
  if (changed.length === 0) return;
  const git = gitOfMaria(path, EMAIL);
  await git.add(['--force', ...changed]);
  await git.commit('Set up Loopwright');
}

/** Copies those files of the set-up that stand in the checkout otherwise than in its last commit. */
async function takeUncommitted(path: string, source: string): Promise<readonly string[]> {
  const taken: string[] = [];
  for (const file of SETUP_FILES) {
    const edited = await regularText(join(source, file));
    if (edited === undefined || edited === (await regularText(join(path, file)))) continue;
    await cp(join(source, file), join(path, file));
    taken.push(file);
  }
  return taken;
}

async function regularText(file: string): Promise<string | undefined> {
  return existsSync(file) && (await lstat(file)).isFile() ? readFile(file, 'utf8') : undefined;
}

/** A bare repository has no checkout. */
async function hasMore(source: string, taken: readonly string[]): Promise<boolean> {
  if (!existsSync(join(source, '.git'))) return false;
  const { files } = await gitOfMaria(source, EMAIL).status(['--untracked-files=all']);
  return files.some(({ path }) => !taken.includes(path));
}
