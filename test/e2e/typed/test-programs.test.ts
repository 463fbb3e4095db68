/** The programs below `test/` as they are typed. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const FILES = {
  main: 'simulation/main.ts',
  hunt: 'simulation/hunt.ts',
  bench: 'bench/bench.ts',
  soak: 'soak/soak.ts',
  mutants: 'mutants/main.ts',
} as const;

function typed(script: keyof typeof FILES, ...options: readonly string[]) {
  const file = `test/${FILES[script]}`;
  return execa(process.execPath, ['--disable-warning=ExperimentalWarning', file, ...options], {
    cwd: ROOT,
    reject: false,
  });
}

it.each([
  ['main', ['--seeds', 'abc'], '--seeds abc is no whole number from 1 on; say for example --seeds 100.'],
  ['main', ['--seeds', '0'], '--seeds 0 is no whole number from 1 on; say for example --seeds 100.'],
  ['main', ['--from', '1.5'], '--from 1.5 is no whole number from 0 on; say for example --from 1.'],
  ['main', ['--seed', '1'], "Unknown option '--seed'; `npm run simulate -- --help` lists the options."],
  ['main', ['12'], "Unexpected argument '12'; `npm run simulate -- --help` lists the options."],
  ['main', ['--state', 'package.json'], '--state package.json is not a state of the simulation; name a new file.'],
  ['soak', ['--loops', '0'], '--loops 0 is no whole number from 1 on; say for example --loops 200.'],
  ['soak', ['--turbo'], "Unknown option '--turbo'; `npm run soak -- --help` lists the options."],
  ['bench', ['often'], "Unexpected argument 'often'; `npm run bench -- --help` lists the options."],
  ['mutants', ['--floor', 'high'], '--floor high is no whole number from 0 on; say for example --floor 0.'],
  ['hunt', ['--seeds', 'abc'], '--seeds abc is no whole number from 1 on; say for example --seeds 1000.'],
  [
    'hunt',
    ['--only'],
    "Option '--only <value>' argument missing; `npm run simulate:bugs -- --help` lists the options.",
  ],
  ['hunt', ['--only', 'nothing'], /^--only nothing is no planted bug; those are [\w, -]+\.$/],
] as const)('%s refuses %j in one sentence', async (script, options, sentence) => {
  const { exitCode, stdout, stderr } = await typed(script, ...options);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(sentence);
  expect(stderr.split('\n')).toHaveLength(1);
});

it.each([
  ['main', ['--seeds N', '--from S', '--state FILE', '--threads N', '--first', '--all', '--json', '--help']],
  ['bench', ['--json', '--help']],
  ['soak', ['--loops N', '--at-once N', '--json', '--help']],
  ['mutants', ['--files GLOB', '--sample N', '--seed S', '--floor PERCENT', '--json', '--help']],
  ['hunt', ['--only NAME', '--seeds N', '--from S', '--threads N', '--record', '--help']],
] as const)('%s --help lists every option', async (script, options) => {
  const { exitCode, stdout } = await typed(script, '--help');
  expect(exitCode).toBe(0);
  for (const option of options) expect(stdout).toContain(`  ${option} `);
});

it('--state goes on where the command was ended', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'simulate-'));
  try {
    const state = join(directory, 'state.json');
    const failed = [{ seed: 31, failures: [{ invariant: 'a', sentence: 'An old one.', detail: 'x' }], trace: [] }];
    await writeFile(state, JSON.stringify({ from: 31, done: 1, simulatedHours: 3, ends: {}, failed }));
    const how = ['--seeds', '2', '--threads', '1', '--state', state];
    expect((await typed('main', ...how)).stderr).toContain('say --from 31 or name a new file.');
    const { exitCode, stdout } = await typed('main', ...how, '--from', '31', '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ from: 31, seeds: 2, failed: [{ seed: 31 }] });
    expect(JSON.parse(await readFile(state, 'utf8'))).toMatchObject({ from: 31, done: 2, failed });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
