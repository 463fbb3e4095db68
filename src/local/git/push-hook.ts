/** The hook that refuses what GitHub refuses of a push, in its words: workflow files of whoever has no `workflows` permission, huge files, the past of a protected branch. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Git } from './git.ts';

/** GitHub's text when an App pushes a workflow file. */
export function workflowRefusal(path: string): string {
  return `refusing to allow a GitHub App to create or update workflow \`${path}\` without \`workflows\` permission`;
}

/** Writes the hook for `core.hooksPath`; it asks git for what is in commits that no ref holds yet. */
export function installHook(dataDirectory: string): void {
  mkdirSync(join(dataDirectory, 'hooks'), { recursive: true });
  writeFileSync(join(dataDirectory, 'hooks', 'pre-receive'), HOOK, { mode: 0o755 });
}

/** https://docs.github.com/repositories/working-with-files/managing-large-files/about-large-files-on-github */
const MOST_FILE_BYTES = 100 * 1024 * 1024;

/** GitHub's text when somebody forces a protected branch. */
export const PROTECTED = 'Cannot force-push to this protected branch';

const HOOK = `#!/bin/sh
refuse() { echo "$1" >&2; exit 1; }
while read -r before after ref; do
  case "$after" in *[!0]*) ;; *) continue ;; esac
  if [ "$ref" = "$LOCAL_GITHUB_PROTECTED" ] && ! git merge-base --is-ancestor "$before" "$after"; then
    echo "error: GH006: Protected branch update failed for $ref." >&2
    refuse "error: ${PROTECTED}"
  fi
  large=$(git rev-list --objects "$after" --not --all | git cat-file --batch-check='%(objecttype) %(objectsize) %(rest)' |
    awk '$1 == "blob" && $2 > ${MOST_FILE_BYTES} { path = $0; sub(/^blob [0-9]+ /, "", path); printf "error: File %s is %.2f MB; this exceeds GitHub%cs file size limit of 100.00 MB\\n", path, $2 / 1048576, 39 }')
  if [ -n "$large" ]; then
    echo 'error: GH001: Large files detected. You may want to try Git Large File Storage - https://git-lfs.github.com.' >&2
    refuse "$large"
  fi
  [ "$LOCAL_GITHUB_WORKFLOWS" = refused ] || continue
  path=$(git log --format= --name-only -m "$after" --not --all -- .github/workflows | head -n 1)
  [ -z "$path" ] && continue
  refuse "${workflowRefusal('$path').replaceAll('`', '\\`')}"
done
`;

/** The first workflow file that commits up to `sha`, which no ref holds yet, would create or change. */
export async function newWorkflowFile(git: Git, sha: string): Promise<string | undefined> {
  const paths = await git.text([
    'log',
    '--format=',
    '--name-only',
    '-m',
    sha,
    '--not',
    '--all',
    '--',
    '.github/workflows',
  ]);
  return paths.split('\n').find((path) => path !== '');
}
