/** The hook that refuses workflow files from whoever has no `workflows` permission, in GitHub's words. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Git } from './git.ts';

/** GitHub's text when an App pushes a workflow file. */
export function workflowRefusal(path: string): string {
  return `refusing to allow a GitHub App to create or update workflow \`${path}\` without \`workflows\` permission`;
}

/** Writes the hook for `core.hooksPath`; it asks git for workflow files in commits that no ref holds yet. */
export function installHook(dataDirectory: string): void {
  mkdirSync(join(dataDirectory, 'hooks'), { recursive: true });
  writeFileSync(join(dataDirectory, 'hooks', 'pre-receive'), HOOK, { mode: 0o755 });
}

const HOOK = `#!/bin/sh
[ "$LOCAL_GITHUB_WORKFLOWS" = refused ] || exit 0
while read -r before after ref; do
  case "$after" in *[!0]*) ;; *) continue ;; esac
  path=$(git log --format= --name-only -m "$after" --not --all -- .github/workflows | head -n 1)
  [ -z "$path" ] && continue
  echo "${workflowRefusal('$path').replaceAll('`', '\\`')}" >&2
  exit 1
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
