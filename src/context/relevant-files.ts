/** The repository's files that a question is about, read whole. */
import type { RepositoryRef } from '../github/github-port.ts';
import type { Workspace } from '../ports.ts';
import type { Scan } from './scan.ts';
import { type Part, relevanceOf, wordsOf } from './select.ts';

/** Files that are read to be ranked by their text; the rest is ranked by path alone and not shown. */
const MAX_READ = 40;
const TEXTUAL =
  /\.(?:[mc]?[jt]sx?|py|html|css|sql|md|json|ya?ml|toml|sh|go|rs|java|rb|php)$|(?:^|\/)(?:Makefile|Dockerfile)$/;
const NOISE = /(?:^|\/)(?:package-lock\.json|node_modules\/|dist\/|vendor\/)|\.min\./;

/** The most promising text files as optional parts for a prompt, most relevant first. */
export async function relevantFiles(
  workspace: Workspace,
  repository: RepositoryRef,
  { scan, asked }: { readonly scan: Scan; readonly asked: string },
): Promise<readonly Part[]> {
  const words = wordsOf(asked);
  const candidates = scan.files
    .filter((path) => TEXTUAL.test(path) && !NOISE.test(path) && !path.startsWith('.github/'))
    .toSorted((left, right) => relevanceOf(right, '', words) - relevanceOf(left, '', words))
    .slice(0, MAX_READ);
  const texts = await workspace.texts(repository, scan.sha, candidates);
  const parts = candidates.flatMap((path): readonly Part[] => {
    const text = texts.get(path);
    return text === undefined ? [] : [{ name: path, text, mustKeep: false, worth: relevanceOf(path, text, words) }];
  });
  return parts.toSorted((left, right) => right.worth - left.worth);
}
