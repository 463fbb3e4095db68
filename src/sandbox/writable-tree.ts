/** Which tree a command may write, and how bubblewrap is told so. */
import { join, relative, sep } from 'node:path';
import { SandboxError } from '../errors.ts';
import { contains, exists } from './programs.ts';

/** Where trees are. */
interface Grounds {
  readonly workspace: string;
  readonly scratch: string;
  /** Its children are working copies. */
  readonly trees: string;
}

/** The one tree that the command may write: the working copy, or the workspace, that holds its directory. */
export function writableTree({ workspace, trees }: Grounds, directory: string): string {
  const [tree] = relative(trees, directory).split(sep);
  if (tree !== undefined && tree !== '' && contains(trees, directory)) return join(trees, tree);
  if (contains(workspace, directory)) return workspace;
  throw new SandboxError(`sandbox: ${directory} is neither in the workspace ${workspace} nor in a tree of ${trees}`);
}

/** `.git` is a mount of its own, so that it can be neither written nor moved aside: hooks and configuration run on the host. */
export async function treeBinds({ workspace, scratch }: Grounds, writable: string): Promise<readonly string[]> {
  const git = join(writable, '.git');
  return [
    ...(writable === workspace ? ['--bind', workspace, workspace] : []),
    ...['--ro-bind', scratch, scratch],
    ...(writable === workspace ? [] : ['--bind', writable, writable]),
    ...((await exists(git)) ? ['--ro-bind', git, git] : []),
  ];
}
