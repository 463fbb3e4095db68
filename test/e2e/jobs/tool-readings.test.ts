/** Linters, type checkers and scanners on base and head: real tools, in copies, in the sandbox. */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { toolReadings } from '../../../src/jobs/verify/tool-readings.ts';
import { layTrees } from '../../../src/jobs/workspace/trees.ts';
import type { Brief, Commands } from '../../../src/loop/brief.ts';
import { commandsOf } from '../../jobs/plain-brief.ts';
import { benchOf, type Change, frozen, scene } from '../../jobs/verify-fixture.ts';

const MODULES = await realpath(join(import.meta.dirname, '../../../node_modules'));
const TSC = `node ${MODULES}/typescript/bin/tsc --noEmit --target es2022 --module nodenext --skipLibCheck`;
const BIOME = `node ${MODULES}/@biomejs/biome/bin/biome lint --colors=off .`;
const BASE = {
  'package.json': '{ "type": "module" }',
  'biome.json': '{ "linter": { "rules": { "recommended": false, "suspicious": { "noDoubleEquals": "error" } } } }',
  'src/a.ts': 'export const one: number = 1;\nexport const old: number = "old";\nexport const is = one == 2;\n',
};

async function read(change: Change, commands: Partial<Commands>, over: Partial<Brief> = {}) {
  const made = await scene(BASE, change, { commands: commandsOf({ test: 'true', ...commands }), ...over }, MODULES);
  onTestFinished(made.remove);
  const bench = await benchOf(made);
  return toolReadings(bench, await layTrees(bench, made.brief.tests ?? undefined));
}

const numbers = (readings: Awaited<ReturnType<typeof read>>) =>
  readings.map(({ measurement, defects }) => [measurement?.name, measurement?.value, defects.map(({ rule }) => rule)]);

describe('what tools find', () => {
  test('is nothing where none is configured', async () => {
    expect(await read({ 'src/a.ts': 'export const one: number = "new";\n' }, {})).toEqual([]);
  });

  test('counts where the candidate brings it, and not where it only moved', async () => {
    const text = `\n\n${BASE['src/a.ts']}export const fresh: number = "new";\nexport const isOne = one == 1;\n`;
    const readings = await read({ 'src/a.ts': text }, { lint: BIOME, types: `${TSC} src/a.ts` });
    expect(numbers(readings)).toEqual([
      ['lint_findings', 1, ['lint']],
      ['type_findings', 1, ['types']],
    ]);
    expect(readings.flatMap(({ defects }) => defects.map(({ file, line }) => `${file}:${line}`))).toEqual([
      'src/a.ts:7',
      'src/a.ts:6',
    ]);
    expect(readings[1]?.defects[0]?.message).toMatch(/^src\/a\.ts:6: error TS2322: Type 'string' .* lifts it by/);
  });

  test('is not asked of frozen tests, which the builder may not touch', async () => {
    const file = 'test/a.test.ts';
    const tests = frozen({ [file]: 'export const x = 1 == 2;\n' }, [
      { requirement: 'R-1', kind: 'change', file, name: 'it' },
    ]);
    const readings = await read({ [file]: 'export const x = 1 == 2;\n' }, { lint: BIOME }, { tests });
    expect(numbers(readings)).toEqual([['lint_findings', 0, []]]);
  });

  test('is looked for by a person where the settings of the tools were changed', async () => {
    const off = '{ "linter": { "enabled": false } }';
    const readings = await read({ 'biome.json': off, 'src/a.ts': 'export const x = 1 == 2;\n' }, { lint: BIOME });
    expect(readings.flatMap(({ defects }) => defects.map(({ rule }) => rule))).toContain('tool-settings');
  });
});

describe('a tool of which nothing is known', () => {
  test.each([
    ['is not there', 'no-such-linter', /finds on the base cannot be told: it ended with 127 and named no place/],
    ['is red without a place', 'echo broken; exit 3', /it ended with 3 and named no place of a finding: .*broken/s],
    ['writes no report', 'true {report}', /it wrote nothing to \{report\}/],
    ['writes another format', 'echo "{}" > {report}', /is no SARIF 2\.1\.0 of a run that succeeded/],
    ['writes its report as a link', 'ln -s /etc/hostname {report}', /it wrote nothing to \{report\}/],
  ])('because it %s measures nothing, and says so', async (_, lint, said) => {
    const [reading] = await read({ 'src/a.ts': 'export {};\n' }, { lint });
    expect(reading?.measurement).toBeUndefined();
    expect(reading?.defects[0]?.message).toMatch(said);
  });
});

test('a scanner that writes SARIF is read by its file, whatever it ends with, and the file is kept', async () => {
  const result = (line: number) =>
    `{\\"ruleId\\":\\"r\\",\\"message\\":{\\"text\\":\\"bad\\"},\\"locations\\":[{\\"physicalLocation\\":{\\"artifactLocation\\":{\\"uri\\":\\"src/a.ts\\"},\\"region\\":{\\"startLine\\":${line}}}}]}`;
  const scan = `grep -q fresh src/a.ts && more=,$(printf "%s" "${result(1)}"); echo "{\\"version\\":\\"2.1.0\\",\\"runs\\":[{\\"results\\":[${result(2)}$more]}]}" > {report}; exit 1`;
  const [reading] = await read({ 'src/a.ts': `export const fresh = 1;\n${BASE['src/a.ts'].slice(30)}` }, { scan });
  expect(reading?.defects).toMatchObject([{ rule: 'scan', file: 'src/a.ts', line: 1 }]);
  expect(reading?.measurement).toMatchObject({ name: 'scan_findings', value: 1 });
});
