/** What nobody has seen on github.com, as the README lists it, and the probes that would see it. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { PROBES } from '../../src/probe/probes.ts';
import { packageFile } from '../../src/settings/package-root.ts';

const readme = await readFile(packageFile('README.md'), 'utf8');
const [, section = ''] = /^### Not yet seen on github\.com\n(.*?)^## /ms.exec(readme) ?? [];
const bullets = section.split('\n').filter((line) => line.startsWith('- '));

test('every row of what was not yet seen names its probes, each probe has its row, and none has two', () => {
  const named = bullets.flatMap((line) => {
    const [, area = line, subjects = ''] = /^- \(([\w ]+): ([\w ]+(?:, [\w ]+)*)\) /.exec(line) ?? [];
    return subjects.split(', ').map((subject) => `${area}: ${subject}`);
  });
  expect(bullets.length).toBeGreaterThan(10);
  expect(named.sort()).toEqual(PROBES.map(({ area, subject }) => `${area}: ${subject}`).sort());
});

test('no two probes have the same name', () => {
  const names = PROBES.map(({ area, subject }) => `${area}: ${subject}`);
  expect(new Set(names).size).toBe(names.length);
});

test('every option of a probe that a row asks for is one of the command', async () => {
  const asked = section.match(/--[a-z]+/g) ?? [];
  const command = await readFile(packageFile('src', 'cli', 'doctor.ts'), 'utf8');
  expect(asked.filter((option) => !command.includes(`  ${option.slice(2)}: {`))).toEqual([]);
});
