/** Small real repositories with a base and a candidate, and what VERIFY needs to judge them. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { digestOfTests } from '../../src/guard/test-digest.ts';
import { createRawStore } from '../../src/jobs/report/raw.ts';
import type { Bench, JobEnvironment } from '../../src/jobs/workspace/environment.ts';
import type { Brief, FrozenTests } from '../../src/loop/brief.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import { installedParsers, loadParsers } from '../../src/syntax/parsers.ts';
import { openRepository } from '../../src/trees/repository.ts';
import { JOB } from '../prepared.ts';
import { PLAIN_BRIEF } from './plain-brief.ts';

export type Files = Readonly<Record<string, string>>;
export type Change = Readonly<Record<string, string | null>>;

export interface Scene {
  readonly root: string;
  readonly brief: Brief;
  readonly environment: JobEnvironment;
  readonly remove: () => Promise<void>;
}

/** A base commit, a candidate commit on top of it, and a brief; `overrides` replaces parts of the brief. */
export async function scene(
  base: Files,
  change: Change,
  overrides: Partial<Brief> = {},
  readable?: string,
): Promise<Scene> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'loopwright-verify-')));
  const workspace = join(root, 'workspace');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { cwd: workspace })
      .toString()
      .trim();
  await lay(workspace, base);
  git('init', '-q');
  const commits = { base: commit(git, 'base'), candidate: '' };
  await lay(workspace, change);
  commits.candidate = commit(git, 'candidate');
  const scratch = join(root, 'scratch');
  await mkdir(scratch);
  const nobody = () => Promise.reject(new Error('VERIFY asks no model'));
  return {
    root,
    brief: { ...briefOf(commits), ...overrides },
    environment: {
      workspace,
      scratch,
      output: join(root, 'output'),
      input: undefined,
      sandbox: await openSandbox({
        workspace,
        readOnly: [dirname(JOB), ...(readable === undefined ? [] : [readable])],
        scripted: true,
        scratch,
      }),
      model: { answer: nobody, turn: nobody },
      raw: createRawStore(join(root, 'output')),
      bundle: JOB,
      parsers: () => loadParsers(installedParsers()),
      // Two show whether they agree; who asks for more says so.
      flakinessRuns: 2,
      log: () => undefined,
      now: Date.now,
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

export async function benchOf({ brief, environment }: Scene): Promise<Bench> {
  const repository = await openRepository(environment.workspace, environment.scratch);
  return { brief, environment, repository, attempts: new Map(), packages: new Map() };
}

/** Freezes tests as the designer's job does. */
export function frozen(files: Files, tests: FrozenTests['tests']): FrozenTests {
  const list = Object.entries(files).map(([path, content]) => ({ path, content }));
  return { files: list, tests, digest: digestOfTests(list) };
}

function commit(git: (...args: string[]) => string, message: string): string {
  git('add', '-A');
  git('commit', '-qm', message, '--allow-empty');
  return git('rev-parse', 'HEAD');
}

async function lay(workspace: string, files: Change): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const place = join(workspace, path);
    if (text === null) await rm(place);
    else {
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, text);
    }
  }
}

function briefOf(commits: { readonly base: string; readonly candidate: string }): Brief {
  return {
    ...PLAIN_BRIEF,
    loop: { id: 'o/r#7', owner: 'o', repo: 'r', issue: 7, title: 'A change' },
    phase: 'VERIFY',
    entry: 6,
    ...commits,
    policy: { protectedPaths: [], maxFiles: 50, maxBytes: 1_000_000 },
    limits: {
      ...{ agentSteps: 1, modelSilenceMs: 1000, commandTimeoutMs: 20_000, suiteTimeoutMs: 20_000, outputBytes: 50_000 },
      ...{ designAttempts: 1, reviewRevisions: 1 },
    },
  };
}

export function taskFor(requirements: readonly string[], files: readonly string[]): Brief['tasks'][number] {
  return {
    id: 'T-1',
    title: 'The change',
    requirements: [...requirements],
    files: [...files],
    dependsOn: [],
    detail: 'What has to be done.',
  };
}
