/** The guardrails are what the file says, and a file that leaves one out is refused. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GATES, thresholdOf, verdictsOf } from '../../src/loop/gates.ts';
import { readGuardrails } from '../../src/settings/guardrails.ts';
import { packageFile } from '../../src/settings/package-root.ts';
import { GUARDRAILS } from '../guardrails.ts';

let directory: string;
let own: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'guardrails-'));
  own = await readFile(packageFile('config', 'guardrails.yaml'), 'utf8');
});
afterAll(() => rm(directory, { recursive: true }));

async function readChanged(change: (text: string) => string) {
  const file = join(directory, 'guardrails.yaml');
  await writeFile(file, change(own));
  return readGuardrails(file);
}

it("the package's own state a number for every gate", () => {
  expect(GATES.filter((gate) => thresholdOf(gate, GUARDRAILS.thresholds) === undefined)).toEqual([]);
});

it('a number that an operator changed is the one that a gate compares with', async () => {
  const { thresholds } = await readChanged((text) => text.replace("p95_ms: '<= 500'", "p95_ms: '<= 80.5'"));
  const p95 = { name: 'p95_ms', value: 81, unit: 'ms', source: 'test', raw: `sha256:${'0'.repeat(64)}` } as const;
  const judged = verdictsOf({ phase: 'VERIFY', surface: 'http', thresholds }, [p95]);
  expect(judged).toContainEqual({ name: 'p95_ms', value: 81, threshold: '<= 80.5', passed: false });
});

it('the words and paths of a person are those of the file', async () => {
  const { sensitive } = await readChanged((text) => text.replace('words: [auth,', 'words: [ledger, auth,'));
  expect(sensitive.words).toContain('ledger');
});

describe('what is refused', () => {
  it.each<[string, (text: string) => string, string]>([
    [
      'a gate left out',
      (text) => text.replace(/ {4}p95_ms: .*\n/, ''),
      "thresholds.VERIFY.p95_ms is missing; write it as '<= <number>'.",
    ],
    [
      'another comparison',
      (text) => text.replace("uat_pass_rate: '>= 0.95'", "uat_pass_rate: '<= 0.95'"),
      "thresholds.VERIFY.uat_pass_rate is `<= 0.95`; write it as '>= <number>'.",
    ],
    [
      'no number',
      (text) => text.replace("p95_ms: '<= 500'", "p95_ms: '<= fast'"),
      'thresholds.VERIFY.p95_ms is `<= fast`',
    ],
    [
      'a percentage where shares are compared, which nothing could reach',
      (text) => text.replace("uat_pass_rate: '>= 0.95'", "uat_pass_rate: '>= 95'"),
      'thresholds.VERIFY.uat_pass_rate is `>= 95`, and it is a share from 0 to 1: 95 percent is 0.95.',
    ],
    [
      'a bare number',
      (text) => text.replace("p95_ms: '<= 500'", 'p95_ms: 500'),
      'thresholds.VERIFY.p95_ms is 500, and must be a text',
    ],
    [
      'a gate that is none',
      (text) => text.replace('thresholds:', "thresholds:\n  REFLECT:\n    mood: '>= 1'"),
      'thresholds.REFLECT.mood is no gate; take the line out.',
    ],
    ['no list of words', (text) => text.replace(/ {2}words: .*\n/, ''), 'sensitive.words is missing; compare'],
    ['broken YAML', (text) => `${text}\n  - [`, 'is not valid YAML'],
  ])('%s', async (_, change, sentence) => {
    await expect(readChanged(change)).rejects.toThrow(sentence);
  });

  it('a file that is not there, with the name of the variable', async () => {
    await expect(readGuardrails(join(directory, 'none.yaml'))).rejects.toThrow('GUARDRAILS_FILE');
  });
});
