/** The workspace port over the commits in memory: what a bare clone would answer. */
import { LoopError } from '../../../src/errors.ts';
import type { FileChange } from '../../../src/loop/brief.ts';
import type { Workspace } from '../../../src/ports.ts';
import { type Commit, codeTreeOf, mergeAgainst } from '../github/commits.ts';
import type { Hub } from '../github/hub.ts';
import type { Life } from '../world/scheduler.ts';

export function createMemoryWorkspace(hub: Hub, life: Life): Workspace {
  const { commits, scheduler, random } = hub;
  const fetched = new Set<string>();
  /** The first look at a commit fetches it. */
  const holding = async (sha: string): Promise<Commit> => {
    if (fetched.has(sha)) return commits.get(sha);
    await scheduler.sleep(100 + random.around(500), life);
    if (!commits.has(sha)) throw new LoopError(`git fetch failed: remote error: upload-pack: not our ref ${sha}`);
    fetched.add(sha);
    return commits.get(sha);
  };
  return {
    async files(_, sha) {
      const { files } = await holding(sha);
      return [...files].map(([path, text]) => ({ path, mode: '100644', type: 'blob', sizeBytes: text.length }));
    },
    forget: async () => 0,
    read: async (_, sha, path) => (await holding(sha)).files.get(path),
    async texts(_, sha, paths) {
      const { files } = await holding(sha);
      return new Map([...files].filter(([path]) => paths.includes(path)));
    },
    codeTree: async (_, sha) => codeTreeOf((await holding(sha)).files),
    async mergeBase(_, left, right) {
      await holding(left);
      await holding(right);
      return commits.mergeBase(left, right);
    },
    async merge(_, head, base) {
      await holding(head);
      const onto = await holding(base);
      const merged = commits.merge(head, base);
      if ('conflicts' in merged) return merged;
      const { parent, held } = mergeAgainst(onto, merged.files);
      const isKnown = (sha: string | null): boolean => sha === null || commits.text(sha) !== undefined;
      const made: FileChange[] = held
        .filter(({ sha }) => !isKnown(sha))
        .map(({ path }) => ({
          path,
          mode: '100644',
          content: Buffer.from(merged.files.get(path) ?? '').toString('base64'),
        }));
      return { parent, held: held.filter(({ sha }) => isKnown(sha)), made };
    },
  };
}
