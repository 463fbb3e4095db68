import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/context/repository-config.ts';

const TEST = '  test: node --test\n  runner: node-test\n';
const NO_HEALTH =
  '"commands.start" needs "commands.health"; add the path that answers 200 when what it serves is ready.';

describe('a configuration that starts the product', () => {
  it.each([
    ['is not there', `version: 1\ncommands:\n${TEST}  start: node server.js\n`, 'line 5, column 10'],
    ['is null', `version: 1\ncommands:\n  start: node server.js\n  health: null\n${TEST}`, 'line 3, column 10'],
  ])('is refused where `health` %s', (_, text, place) => {
    expect(() => parseConfig(text)).toThrow(`config .github/loopwright.yml, ${place}: ${NO_HEALTH}`);
  });

  it('is taken with `health`', () => {
    const text = `version: 1\ncommands:\n${TEST}  start: node server.js\n  health: /health\n`;
    expect(parseConfig(text).commands).toMatchObject({ start: 'node server.js', health: '/health' });
  });

  it('needs no `health` without `start`', () => {
    expect(parseConfig(`version: 1\ncommands:\n${TEST}`).commands).toMatchObject({ start: null, health: null });
  });
});

describe('the folder that tests run in', () => {
  it.each(['packages/shop', 'packages/shop/', 'a..b'])('may be %s', (directory) => {
    expect(parseConfig(`version: 1\ncommands:\n${TEST}  directory: ${directory}\n`).commands).toMatchObject({
      directory,
    });
  });

  it.each(['/shop', '../shop', 'packages/../..', '.', './shop', 'packages//shop', '.git', '""'])(
    'is refused as %s',
    (directory) => {
      const shown = directory === '""' ? directory : JSON.stringify(directory);
      expect(() => parseConfig(`version: 1\ncommands:\n${TEST}  directory: ${directory}\n`)).toThrow(
        `config .github/loopwright.yml, line 5, column 14: "commands.directory" is ${shown}, and must be a folder of the repository by its path from the root, as packages/shop: without "/" at its beginning, and without "." and "..".`,
      );
    },
  );
});

describe('of several problems', () => {
  const problemIn = (text: string): string => {
    try {
      parseConfig(text);
    } catch (error) {
      return String(error);
    }
    throw new Error('it was taken');
  };

  it('each is told, in the order of the file', () => {
    const told = problemIn(
      `version: 1\npromotion: always\ncommands:\n${TEST}  format: x\nlimits: { iterations: 9 }\ngate: 1\n`,
    );
    expect([...told.matchAll(/line (\d+), column \d+: ("[\w.]+")/g)].map(([, line, key]) => `${line} ${key}`)).toEqual([
      '2 "promotion"',
      '6 "commands.format"',
      '7 "limits.iterations"',
      '8 "gate"',
    ]);
  });

  it('a key that is missing because it is written wrong is told by what is written', () => {
    const told = problemIn('version: 1\ncommands:\n  tset: node --test\n  runner: node-test\n');
    expect(told).toBe(
      'ConfigError: config .github/loopwright.yml, line 3, column 3: "commands.tset" is not a known key; remove it.',
    );
  });

  it('no more are told than anybody reads', () => {
    const keys = Array.from({ length: 12 }, (_, index) => `k${index}: 1\n`).join('');
    expect(problemIn(`version: 1\ncommands:\n${TEST}${keys}`)).toMatch(
      /"k9" is not a known key; remove it\. 2 more are told when these are mended\.$/,
    );
  });
});
