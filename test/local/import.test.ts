import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createGit, importRepository } from '../../src/local/git/git.ts';

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'import-'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const git = (directory: string, ...argv: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...argv], { cwd: directory });

/** The default branch of what was imported, where the work on a feature is checked out. */
async function importedFrom(trunk: string, prepare: (source: string) => string = (source) => source): Promise<string> {
  const source = join(place, 'source');
  git(place, 'init', '-q', `--initial-branch=${trunk}`, source);
  git(source, 'commit', '-q', '--allow-empty', '-m', 'first');
  const imported = prepare(source);
  git(imported, 'checkout', '-q', '-b', 'free-shipping');
  await importRepository(imported, join(place, 'bare'));
  return createGit(join(place, 'bare')).text(['symbolic-ref', '--short', 'HEAD']);
}

function cloned(source: string): string {
  git(place, 'clone', '-q', source, 'clone');
  return join(place, 'clone');
}

test.each([
  ['is main', 'main', undefined, 'main'],
  ['is master', 'master', undefined, 'master'],
  ['is what the origin calls so', 'trunk', cloned, 'trunk'],
  ['is what is checked out, where nothing tells', 'trunk', undefined, 'free-shipping'],
] as const)(
  'the default branch of an imported repository %s, whatever somebody works on',
  async (_, trunk, prepare, wanted) => {
    expect(await importedFrom(trunk, prepare)).toBe(wanted);
  },
);
