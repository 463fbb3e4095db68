/** A small real repository, a brief for it, and authored answers that build it. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from '../../src/jobs/build/build.ts';
import { runJob } from '../../src/jobs/run-job.ts';
import { draftFolder } from '../../src/jobs/seed/draft.ts';
import { draftSeed, seed } from '../../src/jobs/seed/seed.ts';
import type { AcceptanceTests } from '../../src/loop/answers.ts';
import { type Brief, type BuildReport, buildReport, type SeedReport, seedReport } from '../../src/loop/brief.ts';
import { JOB } from '../prepared.ts';
import { PLAIN_BRIEF } from './plain-brief.ts';
import { type Script, startScriptedModel } from './scripted-model.ts';

export const PRODUCT = "export function greet(name) {\n  return 'Hello ' + name;\n}\n";
export const GOOD = `${PRODUCT}\nexport function greetAll(names) {\n  return names.map(greet).join(', ');\n}\n`;
export const WRONG = GOOD.replace("', '", "'; '");
const SERVER = `import { createServer } from 'node:http';
createServer((request, response) => response.writeHead(request.url === '/health' ? 200 : 404).end('ok')).listen(process.env.PORT, '127.0.0.1');
`;
const SUITE = `import assert from 'node:assert/strict';
import test from 'node:test';
import { greet } from '../src/greet.js';
test('greets', () => assert.equal(greet('A'), 'Hello A'));
`;
export const FROZEN_FILE = 'test/greet-all.test.js';
export const FROZEN_TEXT = `import assert from 'node:assert/strict';
import test from 'node:test';
test('greets all', async () => {
  const { greetAll } = await import('../src/greet.js');
  assert.equal(typeof greetAll, 'function');
  assert.equal(greetAll(['A', 'B']), 'Hello A, Hello B');
});
test('still greets one', async () => {
  const { greet } = await import('../src/greet.js');
  assert.equal(greet('C'), 'Hello C');
});
`;
export const DESIGN: AcceptanceTests = {
  files: [{ path: FROZEN_FILE, content: FROZEN_TEXT }],
  tests: [
    { requirement: 'R-1', kind: 'change', file: FROZEN_FILE, name: 'greets all' },
    { requirement: 'R-2', kind: 'keep', file: FROZEN_FILE, name: 'still greets one' },
  ],
};
export const APPROVED = {
  'security-review': [{ findings: [] }],
  'code-review': [{ verdict: 'approve', findings: [] }],
};
export const FINDING = {
  severity: 'required',
  requirement: 'R-1',
  file: 'src/greet.js',
  line: 5,
  message: 'An empty list is not handled.',
  fix: 'Say so in a test.',
};
export const write = (path: string, content: string) => ({ name: 'write_file', arguments: { path, content } });
export const command = (text: string) => ({ name: 'run_command', arguments: { command: text } });

export const NODE_FILES = {
  'package.json': '{ "name": "greeter", "type": "module" }\n',
  'src/greet.js': PRODUCT,
  'src/server.js': SERVER,
  'test/greet.test.js': SUITE,
  '.github/workflows/ci.yml': 'on: push\n',
};

export interface Checkout {
  readonly root: string;
  readonly workspace: string;
  readonly commit: string;
  readonly remove: () => Promise<void>;
}

/** A git repository with these files (a product, a suite and a workflow file), checked out as the job finds it. */
export async function checkout(files: Readonly<Record<string, string>> = NODE_FILES): Promise<Checkout> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'loopwright-build-')));
  const workspace = join(root, 'workspace');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), text);
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      cwd: workspace,
    }).toString();
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'start');
  return {
    root,
    workspace,
    commit: git('rev-parse', 'HEAD').trim(),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

/** A valid brief for the repository; `changes` overrides parts of it. */
export function briefFor({ commit }: Checkout, changes: Partial<Brief> = {}): Brief {
  return {
    ...PLAIN_BRIEF,
    loop: { id: 'loop-1', owner: 'o', repo: 'r', issue: 7, title: 'Greet many' },
    phase: 'BUILD',
    entry: 5,
    candidate: commit,
    base: commit,
    documents: [{ path: '.loopwright/7/contract.md', text: 'greetAll(names: string[]): string' }],
    requirements: [
      { id: 'R-1', kind: 'change', statement: 'greetAll(["A","B"]) is "Hello A, Hello B".' },
      { id: 'R-2', kind: 'keep', statement: 'greet("C") stays "Hello C".' },
    ],
    tasks: [
      {
        id: 'T-1',
        title: 'Greet all',
        requirements: ['R-1', 'R-2'],
        files: ['src/greet.js'],
        dependsOn: [],
        detail: 'Add greetAll next to greet.',
      },
    ],
    context: ['Keep it short.'],
    skills: Object.fromEntries(
      [
        ...['test-designer', 'test-driven-development', 'incremental-implementation', 'coding-principles'],
        ...['security-and-hardening', 'requesting-code-review', 'ai-workflow-data-seeding', 'ground-rules'],
      ].map((name) => [name, `The skill ${name}.`]),
    ),
    policy: { protectedPaths: ['deploy/**'], maxFiles: 50, maxBytes: 1_000_000 },
    limits: {
      agentSteps: 20,
      modelSilenceMs: 5000,
      commandTimeoutMs: 20_000,
      suiteTimeoutMs: 20_000,
      outputBytes: 20_000,
      designAttempts: 2,
      reviewRevisions: 2,
    },
    ...changes,
  };
}

const JOBS = {
  build: { kind: 'build', job: build },
  seed: { kind: 'seed', job: seed },
  'draft-seed': { kind: 'seed', job: draftSeed },
} as const;

/** Runs a job with a scripted model as the workflow would, and reads back all that it delivered. */
export async function run(
  name: keyof typeof JOBS,
  { root, workspace }: Checkout,
  request: { readonly brief: Brief; readonly script: Script; readonly input?: BuildReport },
) {
  const place = await mkdtemp(join(root, `${name}-`));
  const [briefFile, output, input, githubOutput] = ['brief.json', 'output', 'input', 'github'].map((part) =>
    join(place, part),
  );
  if (briefFile === undefined || output === undefined || input === undefined || githubOutput === undefined)
    throw new Error();
  await writeFile(briefFile, JSON.stringify(request.brief));
  await mkdir(input);
  if (request.input !== undefined) await writeFile(join(input, 'report.json'), JSON.stringify(request.input));
  const model = await startScriptedModel(request.script);
  const log: string[] = [];
  try {
    await runJob({
      ...JOBS[name],
      bundle: JOB,
      log: (line) => log.push(line),
      variables: {
        LOOPWRIGHT_BRIEF: briefFile,
        LOOPWRIGHT_WORKSPACE: workspace,
        LOOPWRIGHT_OUTPUT: output,
        LOOPWRIGHT_INPUT: request.input === undefined ? '' : input,
        LOOPWRIGHT_MODEL_URL: model.url,
        ACTIONS_ID_TOKEN_REQUEST_URL: '',
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: '',
        GITHUB_OUTPUT: githubOutput,
        RUNNER_TEMP: root,
      },
    });
  } finally {
    await model.close();
  }
  const outputs = await readFile(githubOutput, 'utf8');
  const folder = outputs === 'verdict=open\n' ? draftFolder(root) : output;
  const text = await readFile(join(folder, 'report.json'), 'utf8');
  return { text, output, log, requests: model.requests, outputs };
}

/** Builds and parses the report. */
export async function runBuild(place: Checkout, brief: Brief, script: Script) {
  const done = await run('build', place, { brief, script });
  return { ...done, report: buildReport.parse(JSON.parse(done.text)) };
}

type Seeding = readonly [place: Checkout, brief: Brief, script: Script, input?: BuildReport];

/** Seeds on top of a build report and parses the report. */
export const runSeed = (...seeding: Seeding) => runFor('seed', seeding);
/** Asks for the seed on top of a build report, as the step before does, and parses the report or the draft of one. */
export const draftSeedOn = (...seeding: Seeding) => runFor('draft-seed', seeding);

async function runFor(name: 'seed' | 'draft-seed', [place, brief, script, input]: Seeding) {
  const done = await run(name, place, { brief, script, ...(input === undefined ? {} : { input }) });
  const report: SeedReport = seedReport.parse(JSON.parse(done.text));
  return { ...done, report };
}

/** The numbers of a build with which nothing is wrong. */
export const GREEN = {
  build_errors: 0,
  test_failures: 0,
  suite_failures: 0,
  security_findings: 0,
  review_revisions: 0,
};

/** Measurements as an object, for expectations. */
export function numbersOf(report: BuildReport | SeedReport): Readonly<Record<string, number>> {
  return Object.fromEntries(report.measurements.map(({ name, value }) => [name, value]));
}
