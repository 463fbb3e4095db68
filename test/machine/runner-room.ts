/** Starts a runner of `src/inside` in the real sandbox, beside the files of a small repository, and reads its sealed lines. */
import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CommandResult, openSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { unseal } from '../../src/test-runs/seal.ts';

const INSIDE = fileURLToPath(new URL('../../src/inside/', import.meta.url));

export type Line = Readonly<Record<string, string>>;

export interface RunnerRoom {
  /** Lines are undefined when one of them is not the runner's own. */
  run(files: Readonly<Record<string, string>>, path: string): Promise<Said>;
  readonly sandbox: Sandbox;
  readonly workspace: string;
  close(): Promise<void>;
}

export interface Said {
  readonly lines: readonly Line[] | undefined;
  /** By the test's name. */
  readonly outcomes: Readonly<Record<string, string>>;
  readonly messages: Readonly<Record<string, string>>;
  /** Whether the last line is there, and the sentinel failed as it must. */
  readonly isComplete: boolean;
  readonly result: CommandResult;
}

export async function openRunnerRoom(script: string, timeoutMs = 20_000): Promise<RunnerRoom> {
  const root = realpathSync(await mkdtemp(join(tmpdir(), 'inside-')));
  const [workspace, scratch] = [join(root, 'workspace'), join(root, 'scratch')];
  for (const folder of [workspace, scratch, join(scratch, 'programs')]) await mkdir(folder);
  for (const name of await readdir(INSIDE))
    if (name.endsWith('.py')) await copyFile(join(INSIDE, name), join(scratch, 'programs', name));
  const sandbox = await openSandbox({ workspace, readOnly: [], scripted: true, scratch });
  return {
    sandbox,
    workspace,
    async run(files, path) {
      const directory = await mkdtemp(join(workspace, 'case-'));
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(directory, path)), { recursive: true });
        await writeFile(join(directory, path), text);
      }
      const key = randomBytes(32).toString('hex');
      const result = await sandbox.run({
        argv: ['python3', join(scratch, 'programs', script)],
        env: { CI: 'true', PYTHONDONTWRITEBYTECODE: '1' },
        stdin: JSON.stringify({ token: randomBytes(8).toString('hex'), files: [{ path, key }] }),
        ...{ directory, timeoutMs, outputBytes: 100_000, results: true, judged: true },
      });
      return said(key, result);
    },
    close: () => rm(root, { recursive: true, force: true }),
  };
}

function said(key: string, result: CommandResult): Said {
  const whole = result.results.slice(0, result.results.lastIndexOf('\n') + 1).replaceAll(/^0 /gm, '');
  const lines = unseal(key, whole)?.map((text) => JSON.parse(text) as Line);
  const tests = (lines ?? []).filter(({ kind }) => kind === 'test');
  const by = (field: string) => Object.fromEntries(tests.map((line) => [line.name, line[field] ?? '']));
  const last = lines?.at(-1);
  const isComplete = last?.kind === 'end' && last.outcome === 'fail';
  return { lines, outcomes: by('outcome'), messages: by('message'), isComplete, result };
}
