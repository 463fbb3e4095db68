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
