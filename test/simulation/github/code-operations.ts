/** Refs, files and commits, as the port has them. */
import { WriteRefusedError } from '../../../src/errors.ts';
import type { GitHub } from '../../../src/github/github-port.ts';
import { changedBetween, type Files, treeOf, withChanges } from './commits.ts';
import type { Access } from './github-port.ts';
import { type Hub, refAt } from './hub.ts';
import { moveByApp } from './pushes.ts';
import { notFound } from './requests.ts';
import { plain } from './texts.ts';

type Code = Pick<GitHub, 'head' | 'tags' | 'file' | 'commit' | 'moveRef' | 'changedPaths'>;

const STALE_MS = 3000;

export function codeOperations({ hub, wire }: Access): Code {
  const read = { count: 1, writes: false };
  return {
    head: (target, ref) => wire.request(target, { ...read, what: `GET git/${ref}`, perform: () => seenHead(hub, ref) }),
    tags: (target) => wire.request(target, { ...read, what: 'GET git/matching-refs/tags', perform: () => [] }),
    file: (target, path, sha) =>
      wire.request(target, {
        ...read,
        what: `GET contents/${path}`,
        perform: () => (hub.commits.has(sha) ? hub.commits.get(sha).files.get(path) : undefined),
      }),
    commit: (target, { ref, parent, changes, message, merge }) =>
      wire.request(target, {
        // The parent, its trees, the ref and its commit; then a tree and a commit.
        count: 6,
        writes: true,
        what: 'POST git/commits',
        perform() {
          const parents = merge === undefined ? [parent] : [parent, merge.parent];
          const missing = parents.find((sha) => !hub.commits.has(sha));
          if (missing !== undefined) throw notFound(`GET git/commits/${missing}`);
          const files = withChanges(plannedFiles(hub, parent, merge), changes);
          const text = plain(message);
          const tree = treeOf(files);
          const made = alreadyMade(hub, { ref, parents, tree, message: text });
          if (made !== undefined) return { sha: made, tree, before: made };
          const { sha } = hub.commits.add({ parents, files, message: text, by: 'app', atMs: hub.scheduler.nowMs() });
          return { sha, tree, before: seenHead(hub, ref) };
        },
      }),
    moveRef: (target, ref, sha) =>
      wire.request(target, {
        count: 2,
        writes: true,
        what: `PATCH git/${ref}`,
        perform() {
          if (moveByApp(hub, ref, sha) === 'moved') return;
          throw new WriteRefusedError(`GitHub refused to move ${ref} to ${sha}: Update is not a fast forward`);
        },
      }),
    changedPaths: (target, base, head) =>
      wire.request(target, {
        ...read,
        what: `GET compare/${base}...${head}`,
        perform() {
          if (!hub.commits.has(base) || !hub.commits.has(head)) throw notFound(`GET compare/${base}...${head}`);
          const from = hub.commits.mergeBase(base, head);
          if (from === undefined) throw notFound('GET compare');
          return changedBetween(hub.commits.get(from).files, hub.commits.get(head).files);
        },
      }),
  };
}

/** A replica may be behind for a moment. */
function seenHead(hub: Hub, ref: string): string | undefined {
  const isStale = !hub.calm && hub.random.chance(hub.odds.stale * 0.3);
  return isStale ? refAt(hub, ref, hub.scheduler.nowMs() - hub.random.between(0, STALE_MS)) : hub.refs.get(ref);
}

function plannedFiles(hub: Hub, parent: string, merge: Parameters<GitHub['commit']>[1]['merge']): Files {
  if (merge === undefined) return hub.commits.get(parent).files;
  const files = new Map(hub.commits.get(merge.parent).files);
  for (const { path, sha } of merge.held) {
    const text = sha === null ? undefined : hub.commits.text(sha);
    if (text === undefined) files.delete(path);
    else files.set(path, text);
  }
  return withChanges(files, merge.made);
}

interface Intended {
  readonly ref: string;
  readonly parents: readonly string[];
  readonly tree: string;
  readonly message: string;
}

/** What an earlier try left, as the adapter finds it. */
function alreadyMade(hub: Hub, { ref, parents, tree, message }: Intended): string | undefined {
  const sha = seenHead(hub, ref);
  if (sha === undefined) return undefined;
  const commit = hub.commits.get(sha);
  const isThere = sha === parents[0] || commit.parents.join() === parents.join();
  return isThere && commit.tree === tree && commit.message.trim() === message.trim() ? sha : undefined;
}
