/** A sandbox with working copies in it, in which test files are written and run as the jobs do. */
import { realpathSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { runTests, type TestRun } from '../../src/test-runs/test-run.ts';

type Files = Readonly<Record<string, string>>;
type Runner = 'node-test' | 'unittest';

export interface RunnerWorld {
  readonly sandbox: Sandbox;
  readonly workspace: string;
  readonly scratch: string;
  write(files: Files): Promise<void>;
  /** Runs the files with the names that are expected in each; `outcomes` are by name. */
  run(
    runner: Runner,
    names: Readonly<Record<string, readonly string[]>>,
    timeoutMs?: number,
    testMs?: number,
  ): Promise<TestRun & { readonly outcomes: Readonly<Record<string, string | undefined>> }>;
  /** Runs the one test with this id among the files, in a copy of its own, after those test files that come before it. */
  attack(runner: Runner, files: Files, id: string, before?: readonly string[]): Promise<Attacked>;
  close(): Promise<void>;
}

export interface Attacked {
  readonly trusted: boolean;
  readonly problem: string | undefined;
  readonly outcome?: string;
  readonly message?: string;
}

export async function openRunnerWorld(): Promise<RunnerWorld> {
  const root = realpathSync(await mkdtemp(join(tmpdir(), 'runner-')));
  const [workspace, scratch] = [join(root, 'workspace'), join(root, 'scratch')];
  await mkdir(workspace);
  await mkdir(scratch);
  const sandbox = await openSandbox({ workspace, readOnly: [], scripted: true, scratch });
  const limits = { timeoutMs: 20_000, outputBytes: 100_000 };
  return {
    sandbox,
    workspace,
    scratch,
    write: (files) => writeAll(workspace, files),
    async run(runner, names, timeoutMs = 30_000, testMs = undefined) {
      const expected = Object.entries(names).flatMap(([file, tests]) => tests.map((name) => `${file}::${name}`));
      const request = { sandbox, directory: workspace, commands: { runner }, files: Object.keys(names), expected };
      const result = await runTests({ ...request, ...limits, timeoutMs, testMs });
      const outcomes = Object.fromEntries(expected.map((id) => [id.split('::')[1], result.results.get(id)?.outcome]));
      return { ...result, outcomes };
    },
    async attack(runner, files, id, before = []) {
      const directory = await mkdtemp(join(workspace, 'case-'));
      await writeAll(directory, files);
      const request = {
        sandbox,
        directory,
        commands: { runner },
        files: [...before, id.split('::')[0] ?? ''],
        expected: [id],
      };
      const { trusted, problem, results } = await runTests({ ...request, ...limits });
      const { outcome, message } = results.get(id) ?? {};
      return { trusted, problem, ...(outcome && { outcome }), ...(message === undefined ? {} : { message }) };
    },
    close: () => rm(root, { recursive: true, force: true }),
  };
}

async function writeAll(directory: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  }
}
