/** The job's program as the workflow starts it: variables in, a report and an exit code out. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildReport } from '../../src/loop/brief.ts';
import { JOB } from '../prepared.ts';
import { APPROVED, briefFor, type Checkout, checkout, command, DESIGN, GOOD, write } from './build-fixture.ts';
import { startScriptedModel } from './scripted-model.ts';

let place: Checkout;
beforeEach(async () => {
  place = await checkout();
});
afterEach(() => place.remove());

async function start(name: string, env: Readonly<Record<string, string>>) {
  return execa(process.execPath, [JOB, name], {
    extendEnv: false,
    env: { PATH: process.env.PATH ?? '', HOME: place.root, ...env },
    reject: false,
  });
}

async function variables(modelUrl: string, audience?: string) {
  const folder = await mkdtemp(join(place.root, 'job-'));
  const brief = briefFor(place);
  await writeFile(
    join(folder, 'brief.json'),
    JSON.stringify({ ...brief, model: { ...brief.model, ...(audience && { audience }) } }),
  );
  return {
    LOOPWRIGHT_BRIEF: join(folder, 'brief.json'),
    LOOPWRIGHT_WORKSPACE: place.workspace,
    LOOPWRIGHT_OUTPUT: join(folder, 'output'),
    LOOPWRIGHT_MODEL_URL: modelUrl,
    GITHUB_OUTPUT: join(folder, 'github'),
  };
}
const reportIn = async (folder: string) =>
  buildReport.parse(JSON.parse(await readFile(join(folder, 'report.json'), 'utf8')));

test('a build writes its report and verdict, exits with 0, and no name in its log can become a workflow command', async () => {
  const model = await startScriptedModel({
    answers: { 'acceptance-tests': [DESIGN], ...APPROVED },
    turns: [[write('x\n::error::forged', 'x'), command('sudo ##[error]x'), write('src/greet.js', GOOD)]],
  });
  const env = await variables(model.url);
  const result = await start('build', env);
  await model.close();
  expect(result.exitCode).toBe(0);
  expect((await reportIn(env.LOOPWRIGHT_OUTPUT)).failure).toBeNull();
  expect(await readFile(env.GITHUB_OUTPUT, 'utf8')).toBe('verdict=pass\n');
  expect(result.stdout).toMatch(/^\d\d:\d\d:\d\d sandbox: (bubblewrap|none), the model is scripted$/m);
  expect(result.stdout).toContain('refused to write x ::error::forged');
  expect(result.stdout).not.toMatch(/^\s*::|##\[/m);
});

const IDENTITY = {
  ACTIONS_ID_TOKEN_REQUEST_URL: 'http://127.0.0.1:9/',
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'planted-canary',
};

test('a job that cannot do its work still exits with 0 and says why in its report', async () => {
  const env = await variables('');
  const result = await start('build', env);
  expect(result.exitCode).toBe(0);
  expect((await reportIn(env.LOOPWRIGHT_OUTPUT)).failure).toEqual({
    cause: 'setup',
    message: 'LOOPWRIGHT_MODEL_URL is not set; this job needs a model.',
  });
  expect(await readFile(env.GITHUB_OUTPUT, 'utf8')).toBe('verdict=fail\n');
});

test.each([
  ['may not say who it is', 'https://loopwright.test/gateway/v1', {}, 'lacks `permissions: id-token: write`'],
  [
    'is sent elsewhere',
    'https://loopwright.test.evil.test/v1',
    IDENTITY,
    'is none of https://loopwright.test; a job says who it is to nobody but its App.',
  ],
])('a job that has to ask by the App and %s asks nobody, and says why', async (_, modelUrl, identity, sentence) => {
  const env = await variables(modelUrl, 'https://loopwright.test');
  expect((await start('build', { ...env, ...identity })).exitCode).toBe(0);
  expect((await reportIn(env.LOOPWRIGHT_OUTPUT)).failure).toMatchObject({
    cause: 'setup',
    message: expect.stringContaining(sentence),
  });
});

test.each([
  ['unknown', 2, ['There is no job "unknown"; use one of build, draft-seed, seed, verify, probe.']],
  ['toString', 2, [expect.stringContaining('There is no job "toString"')]],
  [
    'build',
    1,
    ['LOOPWRIGHT_BRIEF', 'LOOPWRIGHT_WORKSPACE', 'LOOPWRIGHT_OUTPUT'].map((name) =>
      expect.stringContaining(`The environment variable ${name} is not set`),
    ),
  ],
])(
  'the job %s without variables ends with exit code %i and a sentence for each thing',
  async (name, exitCode, said) => {
    const { stderr, ...result } = await start(name, {});
    expect(result.exitCode).toBe(exitCode);
    expect(stderr.split('\n')).toEqual(said);
  },
);

test.each([
  ['is not there', undefined, 'cannot be read'],
  ['is no JSON', '{', 'is not valid'],
  ['is none that it knows', '{"kind":"other"}', 'is not valid'],
  ['is a trial of a version that it does not know', '{"kind":"trial","version":2}', 'is not valid'],
])('a brief that %s is refused by its name, with exit code 1 and without a report', async (_, text, sentence) => {
  const env = await variables('');
  if (text === undefined) await rm(env.LOOPWRIGHT_BRIEF);
  else await writeFile(env.LOOPWRIGHT_BRIEF, text);
  const { exitCode, stderr } = await start('verify', env);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: expect.stringContaining(`the brief ${env.LOOPWRIGHT_BRIEF} ${sentence}`),
  });
  await expect(reportIn(env.LOOPWRIGHT_OUTPUT)).rejects.toThrow('ENOENT');
});
