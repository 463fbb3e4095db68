/** Proofs of pull requests that change requirements.txt, with an index of their own. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { provePull } from '../../src/jobs/prove/prove-pull.ts';
import { type ProofReport, proofReport } from '../../src/proof/pull-proof.ts';
import { JOB } from '../prepared.ts';
import { openPythonRoom, type PythonRoom } from './python-room.ts';
import { wheelOf } from './wheels.ts';

let python: PythonRoom;
let room: string;
beforeAll(async () => {
  room = await mkdtemp(join(tmpdir(), 'prove-requirements-'));
  python = await openPythonRoom(
    [
      wheelOf({ name: 'known', files: { 'known.py': 'def near(x): return round(x)\n' } }),
      wheelOf({ name: 'known', version: '2.0', files: { 'known.py': 'def near(x): return int(x)\n' } }),
      wheelOf({ name: 'dashed', files: { 'dashed.py': 'def dash(x): return f"-{x}-"\n' } }),
    ],
    ['known==1.0'],
  );
});
afterAll(async () => {
  await python?.close();
  await rm(room, { recursive: true, force: true });
});

/** Text by path. */
type Files = Readonly<Record<string, string>>;

const required = (...lines: readonly string[]): Files => ({
  'requirements.txt': `--index-url ${python.index.url}\n${lines.map((line) => `${line}\n`).join('')}`,
});
const testOf = (name: string, given: string, expected: string) =>
  `import unittest\nfrom shop.${name} import ${name}\nclass Shop(unittest.TestCase):\n    def test_${name}(self): self.assertEqual(${name}(${given}), ${expected})\n`;
const BASE: Files = {
  'shop/__init__.py': '',
  'shop/price.py': 'from known import near\ndef price(x): return near(x)\n',
  'shop/label.py': 'def label(x): return "nr " + x\n',
  'tests/__init__.py': '',
  'tests/test_price.py': testOf('price', '1.7', '2'),
};
const CHANGE: Files = {
  'shop/label.py': 'from dashed import dash\ndef label(x): return dash(x)\n',
  'tests/test_label.py': testOf('label', '"x"', '"-x-"'),
};

async function proved(base: Files, head: Files): Promise<ProofReport> {
  const place = await mkdtemp(join(room, 'pull-'));
  const [workspace, output] = [join(place, 'workspace'), join(place, 'output')];
  await mkdir(workspace);
  const git = (...argv: readonly string[]) =>
    execa('git', ['-c', 'user.name=Rosa', '-c', 'user.email=rosa@shop.example', ...argv], { cwd: workspace });
  const committed = async (files: Files): Promise<string> => {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(workspace, path)), { recursive: true });
      await writeFile(join(workspace, path), text);
    }
    await git('add', '--all');
    await git('commit', '--quiet', '--message', 'Go on');
    return (await git('rev-parse', 'HEAD')).stdout;
  };
  await git('init', '--quiet', '--initial-branch', 'main');
  const [before, after] = [await committed(base), await committed(head)];
  await provePull({
    ...{ bundle: JOB, log: () => undefined },
    variables: {
      ...{ LOOPWRIGHT_BRIEF: '', LOOPWRIGHT_INPUT: '', LOOPWRIGHT_MODEL_URL: '', GITHUB_OUTPUT: '' },
      ...{ ACTIONS_ID_TOKEN_REQUEST_URL: '', ACTIONS_ID_TOKEN_REQUEST_TOKEN: '' },
      ...{ LOOPWRIGHT_WORKSPACE: workspace, LOOPWRIGHT_OUTPUT: output, RUNNER_TEMP: join(place, 'temporary') },
    },
    brief: {
      ...{ kind: 'proof', version: 1, pull: 1, serial: 1, base: before, head: after },
      commands: { install: null, build: null, runner: 'unittest', test: 'python3 -m unittest' },
      limits: { commandTimeoutMs: 60_000, suiteTimeoutMs: 60_000, outputBytes: 1_000_000, faults: 3 },
    },
  });
  return proofReport.parse(JSON.parse(await readFile(join(output, 'report.json'), 'utf8')));
}

test('a package that is added is there, and what there was stays as it was', async () => {
  const { proof, failure } = await proved(
    { ...BASE, ...required('known==1.0') },
    { ...CHANGE, ...required('known==1.0', 'dashed==1.0') },
  );
  expect([failure, proof?.verdict]).toEqual([null, 'proved']);
});

test('a package that becomes another is not judged, whatever the tests say with it', async () => {
  const { proof, failure } = await proved(
    { ...BASE, ...required('known==1.0') },
    { ...CHANGE, ...required('known==2.0') },
  );
  expect(proof).toBeNull();
  expect(failure).toMatch(/^`requirements\.txt` is not followed: `known==1\.0` of the base is altered or gone/);
});

test('a package that nobody asks for is missed as ever', async () => {
  const { proof, failure } = await proved({ ...BASE, ...required('known==1.0') }, CHANGE);
  expect([failure, proof?.verdict]).toEqual([null, 'not proved']);
});
