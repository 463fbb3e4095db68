/** The files of a copied environment: what pip has touched of them, and what of its new ones others would take for theirs. */
import { lstat, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { exists } from '../../sandbox/programs.ts';
import { type Entries, FOLDER, LINK, withoutTestPlugins } from './wheel-files.ts';

/**
 * All that lies below a folder; links are not followed. A file tells when anything of it was changed: when it was written somebody may set back, as a package could whose code pip
 * ran, and that time nobody sets.
 */
export async function entriesIn(root: string): Promise<Entries> {
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  const entries = found.map(async (entry): Promise<readonly [string, string]> => {
    const place = join(entry.parentPath, entry.name);
    const path = place.slice(root.length + 1);
    if (entry.isDirectory()) return [path, FOLDER];
    if (entry.isSymbolicLink()) return [path, LINK + (await readlink(place))];
    const { mode, size, ctimeNs } = await lstat(place, { bigint: true });
    return [path, [mode, size, ctimeNs].join(' ')];
  });
  return new Map(await Promise.all(entries));
}

export interface Keeping {
  readonly before: Entries;
  readonly log: (line: string) => void;
}

const PROGRAMS = ['/usr/local/bin', '/usr/bin', '/bin'];
const SETTINGS = 'pyvenv.cfg';

/** Takes away what of the new files would have a say in commands that do not ask for them: plugins that pytest loads of itself, and programs that are called as one of the system. */
export async function keepToItself(root: string, { before, log }: Keeping): Promise<void> {
  const programs = before.has(SETTINGS) ? [...PROGRAMS, ...(await ownPrograms(root))] : PROGRAMS;
  for (const [path, is] of await entriesIn(root)) {
    if (before.has(path) || is === FOLDER) continue;
    const [place, name] = [join(root, path), basename(path)];
    if (name.toLowerCase() === 'entry_points.txt')
      await withoutPlugins(place, () =>
        log(`${path}: runs of tests load none of its plugins, because the base does not have them`),
      );
    if (dirname(path) === 'bin' && (await isOneOf(name, programs))) {
      await rm(place);
      log(`${path} is left out: the system has a program of this name`);
    }
  }
}

/** Where the Python is that the environment was made with: https://docs.python.org/3/library/venv.html */
async function ownPrograms(root: string): Promise<readonly string[]> {
  const home = /^home\s*=\s*(.+)$/m.exec(await readFile(join(root, SETTINGS), 'utf8'))?.[1];
  return home === undefined ? [] : [home.trim()];
}

async function withoutPlugins(place: string, tell: () => void): Promise<void> {
  const text = await readFile(place, 'utf8');
  const plain = withoutTestPlugins(text);
  if (plain === text) return;
  await writeFile(place, plain);
  tell();
}

async function isOneOf(name: string, programs: readonly string[]): Promise<boolean> {
  for (const folder of programs) if (await exists(join(folder, name))) return true;
  return false;
}
