/** Files in which tools keep which packages a product is made of. */

const LOCK_FILES: ReadonlySet<string> = new Set(
  [
    'package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock poetry.lock pipfile.lock uv.lock pdm.lock',
    'cargo.lock go.sum gemfile.lock composer.lock packages.lock.json gradle.lockfile mix.lock pubspec.lock flake.lock podfile.lock requirements.txt',
  ].flatMap((names) => names.split(' ')),
);

/** By its name, in whichever letters. */
export function isLockFile(path: string): boolean {
  return LOCK_FILES.has(path.slice(path.lastIndexOf('/') + 1).toLowerCase());
}
