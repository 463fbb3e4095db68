/** What the product needs, installed once in a tree of its own, to be linked into each tree of a proof. */
import { mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProofBrief } from '../../proof/pull-proof.ts';
import { type Sandbox, treesDirectory } from '../../sandbox/sandbox.ts';
import { suiteCommand } from '../../test-runs/test-run.ts';
import { isDependencyFolder } from '../../trees/checkout.ts';
import { layTree, type Repository } from '../../trees/repository.ts';
import { said } from '../report/said.ts';
import { SetupError } from '../workspace/environment.ts';

export interface Installing {
  readonly brief: ProofBrief;
  readonly sandbox: Sandbox;
  readonly repository: Repository;
  readonly log: (line: string) => void;
}

/** Folders such as `node_modules` by path from the root, and where they are; none where nothing is to be installed. @throws {SetupError} when installing fails. */
export async function installed({ brief, sandbox, repository, log }: Installing): Promise<ReadonlyMap<string, string>> {
  const { commands, limits, head } = brief;
  if (commands.install === null) return new Map();
  log(`installing on the head by ${commands.install}`);
  const directory = await mkdtemp(join(treesDirectory(repository.scratch), 'installed-'));
  await layTree(repository, head, directory);
  const { commandTimeoutMs: timeoutMs, outputBytes } = limits;
  const result = await suiteCommand({ sandbox, directory, command: commands.install, timeoutMs, outputBytes });
  if (result.exitCode !== 0)
    throw new SetupError(
      `The install command ${JSON.stringify(commands.install)} failed on the head: ${said(result, 3000)}`,
    );
  const found = await dependencyFolders(directory);
  return new Map(found.map((path) => [path, join(directory, path)]));
}

/** Not looked for in each other, nor below a link: the code that installed may have laid one anywhere. */
async function dependencyFolders(root: string, folder = ''): Promise<readonly string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const inside = entries
    .filter((entry) => entry.isDirectory() && entry.name !== '.git')
    .map(async ({ name }) => {
      const path = folder === '' ? name : `${folder}/${name}`;
      return isDependencyFolder(name) ? [path] : dependencyFolders(root, path);
    });
  return (await Promise.all(inside)).flat();
}
