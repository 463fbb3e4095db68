/** Small repositories with one change, and what `loopwright prove` says of it. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { type Proof, proof } from '../../src/proof/proof.ts';
import { typed } from '../cli/terminal.ts';

/** Texts by path; null deletes. */
export type Files = Readonly<Record<string, string | null>>;

/** Makes repositories whose branch `main` has the first files, and `fix` the second ones on top. */
export function checkoutsIn(root: string): (base: Files, change: Files) => Promise<string> {
  let count = 0;
  return async (base, change) => {
    count += 1;
    const directory = join(root, `shop-${count}`);
    await mkdir(directory);
    const git = (...argv: readonly string[]) =>
      execa('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.test', ...argv], { cwd: directory });
    await git('init', '--quiet', '--initial-branch', 'main');
    for (const [files, branch] of [
      [base, 'main'],
      [change, 'fix'],
    ] as const) {
      if (branch === 'fix') await git('switch', '--quiet', '--create', branch);
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(directory, path)), { recursive: true });
        if (text === null) await rm(join(directory, path));
        else await writeFile(join(directory, path), text);
      }
      await git('add', '--all');
      await git('commit', '--quiet', '--message', branch);
    }
    return directory;
  };
}

export async function proved(
  directory: string,
  ...argv: readonly string[]
): Promise<Proof & { readonly code: number | undefined; readonly err: string }> {
  const { code, out, err } = await typed(['prove', '--repo', directory, '--json', ...argv]);
  return { code, err: err.join('\n'), ...proof.parse(JSON.parse(out.join('\n'))) };
}
