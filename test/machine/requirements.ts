/** Global set-up of the machine project: what its tests need must be there; nothing is skipped where it is not. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What the README's apt line installs, and how each package shows that it is there. Only PostgreSQL's server is in no folder of the PATH. */
export const REQUIREMENTS: Readonly<Record<string, () => boolean>> = {
  bubblewrap: () => onPath('bwrap'),
  socat: () => onPath('socat'),
  ripgrep: () => onPath('rg'),
  chromium: () => onPath('chromium'),
  python3: () => onPath('python3'),
  // A part of Python that Debian packs apart; the set-up action makes environments with it.
  'python3-venv': () => spawnSync('python3', ['-c', 'import ensurepip']).status === 0,
  'python3-pytest': () => spawnSync('python3', ['-c', 'import pytest']).status === 0,
  'cmark-gfm': () => onPath('cmark-gfm'),
  'postgresql-15': () =>
    process.env.LOOPWRIGHT_TEST_POSTGRES !== undefined || existsSync('/usr/lib/postgresql/15/bin/postgres'),
  buildah: () => onPath('buildah'),
  iproute2: () => onPath('ip'),
  openssl: () => onPath('openssl'),
};

/** The line that installs packages; the README shows it for all of them. */
export function aptLine(packages: readonly string[]): string {
  return `sudo apt-get install -y ${packages.join(' ')}`;
}

/** Vitest calls this before the first test of the project. @throws {Error} that names everything that is missing. */
export function setup(): void {
  const missing = Object.entries(REQUIREMENTS).flatMap(([name, isThere]) => (isThere() ? [] : [name]));
  if (missing.length > 0)
    throw new Error(
      `test:machine needs what is not on this machine: ${missing.join(', ')}; run \`${aptLine(missing)}\` and start it again.`,
    );
}

function onPath(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((directory) => isExecutable(join(directory, program)));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
