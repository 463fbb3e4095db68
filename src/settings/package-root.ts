/** Where the package's own files are (skills, config, bundles), in a checkout as well as installed. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Absolute path of a file that ships with the package. */
export function packageFile(...parts: readonly string[]): string {
  return join(rootFrom(import.meta.dirname), ...parts);
}

function rootFrom(directory: string): string {
  if (existsSync(join(directory, 'package.json'))) return directory;
  const parent = dirname(directory);
  if (parent === directory) throw new Error(`no package.json above ${import.meta.dirname}; reinstall loopwright`);
  return rootFrom(parent);
}
