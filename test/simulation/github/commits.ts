/** Commits in memory: a graph of trees, with what git and GitHub answer about them. */
import { createHash } from 'node:crypto';
import type { HeldEntry, Merge } from '../../../src/github/github-port.ts';
import type { FileChange } from '../../../src/loop/brief.ts';
import { mergedText } from './lines.ts';

export type Files = ReadonlyMap<string, string>;

export interface Commit {
  readonly sha: string;
  readonly parents: readonly string[];
  readonly files: Files;
  readonly tree: string;
  readonly message: string;
  /** `app`, or a person's login. */
  readonly by: string;
  readonly atMs: number;
}

export interface Commits {
  readonly get: (sha: string) => Commit;
  readonly has: (sha: string) => boolean;
  readonly add: (commit: Omit<Commit, 'sha' | 'tree'>) => Commit;
  readonly isAncestor: (older: string, newer: string) => boolean;
  readonly mergeBase: (left: string, right: string) => string | undefined;
  /** What merging `base` into `head` gives, or the paths that people must merge. */
  readonly merge: (head: string, base: string) => { readonly conflicts: readonly string[] } | { readonly files: Files };
  readonly text: (blob: string) => string | undefined;
}

export function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

export function createCommits(): Commits {
  const commits = new Map<string, Commit>();
  const blobs = new Map<string, string>();
  const get = (sha: string): Commit => {
    const found = commits.get(sha);
    if (found === undefined) throw new RangeError(`There is no commit ${sha}.`);
    return found;
  };
  const ancestors = new Map<string, ReadonlySet<string>>();
  const ancestorsOf = (sha: string): ReadonlySet<string> => {
    const known = ancestors.get(sha);
    if (known !== undefined) return known;
    const all = new Set([sha, ...get(sha).parents.flatMap((parent) => [...ancestorsOf(parent)])]);
    ancestors.set(sha, all);
    return all;
  };
  const mergeBase: Commits['mergeBase'] = (left, right) => {
    const shared = [...ancestorsOf(left)].filter((sha) => ancestorsOf(right).has(sha));
    return shared.toSorted((one, other) => ancestorsOf(other).size - ancestorsOf(one).size)[0];
  };
  return {
    get,
    has: (sha) => commits.has(sha),
    add(content) {
      const tree = treeOf(content.files);
      const sha = sha1(`${content.parents.join()} ${tree} ${content.message} ${content.by} ${content.atMs}`);
      const commit = { ...content, tree, sha };
      commits.set(sha, commit);
      for (const text of content.files.values()) blobs.set(sha1(text), text);
      return commit;
    },
    isAncestor: (older, newer) => ancestorsOf(newer).has(older),
    mergeBase,
    merge(head, base) {
      const common = mergeBase(head, base);
      const before: Files = common === undefined ? new Map() : get(common).files;
      return mergedFiles(before, get(head).files, get(base).files);
    },
    text: (blob) => blobs.get(blob),
  };
}

function mergedFiles(
  before: Files,
  left: Files,
  right: Files,
): { readonly conflicts: readonly string[] } | { readonly files: Files } {
  const files = new Map<string, string>();
  const conflicts: string[] = [];
  for (const path of new Set([...left.keys(), ...right.keys()])) {
    const merged = mergedText(before.get(path), left.get(path), right.get(path));
    if (merged === undefined) conflicts.push(path);
    else if (merged.text !== undefined) files.set(path, merged.text);
  }
  return conflicts.length > 0 ? { conflicts: conflicts.toSorted() } : { files };
}

export function treeOf(files: Files): string {
  const rows = [...files].map(([path, text]) => `${path} ${sha1(text)}`).toSorted();
  return sha1(rows.join('\n'));
}

/** The tree without the loops' documents. */
export function codeTreeOf(files: Files): string {
  return treeOf(new Map([...files].filter(([path]) => !path.startsWith('.loopwright/'))));
}

export function changedBetween(before: Files, after: Files): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).toSorted();
}

export function withChanges(files: Files, changes: readonly FileChange[]): Files {
  const result = new Map(files);
  for (const { path, content } of changes) {
    if (content === null) result.delete(path);
    else result.set(path, Buffer.from(content, 'base64').toString('utf8'));
  }
  return result;
}

export function changesBetween(before: Files, after: Files): FileChange[] {
  return changedBetween(before, after).map((path) => {
    const text = after.get(path);
    return { path, mode: '100644', content: text === undefined ? null : Buffer.from(text).toString('base64') };
  });
}

/** A merge as the workspace port tells it: what the result has other than the commit that is merged in. */
export function mergeAgainst(base: Commit, merged: Files): Merge {
  const paths = changedBetween(base.files, merged);
  const held: HeldEntry[] = paths.map((path) => {
    const text = merged.get(path);
    return { path, mode: '100644', sha: text === undefined ? null : sha1(text) };
  });
  return { parent: base.sha, held, made: [] };
}
