/** Programs that npm links beside packages: commands of `npm run` and `npx` find them before those of the system. */
import { readdir, readlink, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exists } from '../../sandbox/programs.ts';
import { JobError } from './environment.ts';

/** The package that each program in a folder is of, by name. */
export type Programs = ReadonlyMap<string, string>;

export async function programsIn(folder: string): Promise<Programs> {
  const place = join(folder, BELOW);
  if (!(await exists(place))) return new Map();
  const links = (await readdir(place, { withFileTypes: true })).filter((entry) => entry.isSymbolicLink());
  const owners = links.map(async ({ name }) => [name, ownerIn(await readlink(join(place, name)))] as const);
  return new Map(await Promise.all(owners));
}

const BELOW = 'node_modules/.bin';

/** Of `../@scope/name/cli.js` it is `@scope/name`. */
function ownerIn(target: string): string {
  return /^\.\.\/((?:@[^/]+\/)?[^/]+)/.exec(target)?.[1] ?? target;
}

/** Takes away what is called as a program of the system. @throws {JobError} where one of the base has become that of another package. */
export async function keepPrograms(folder: string, before: Programs, log: (line: string) => void): Promise<void> {
  for (const [name, owner] of await programsIn(folder)) {
    const was = before.get(name);
    if (was !== undefined && was !== owner)
      throw new JobError(
        `\`${owner}\` has a program \`${name}\`, which would be called in place of that of \`${was}\`; a package that does so has to be on the default branch first.`,
      );
    if (was !== undefined || !(await isOfSystem(name))) continue;
    await rm(join(folder, BELOW, name));
    log(`${BELOW}/${name} is left out: the system has a program of this name`);
  }
}

const FOLDERS = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'];

async function isOfSystem(name: string): Promise<boolean> {
  for (const folder of FOLDERS) if (await exists(join(folder, name))) return true;
  return false;
}
