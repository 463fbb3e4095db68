import { expect, test } from 'vitest';
import { existingFolder, UsageError } from './command-line.ts';

test('a folder is what is given, else what stands for it', () => {
  expect(existingFolder('from', import.meta.dirname, '/nowhere')).toBe(import.meta.dirname);
  expect(existingFolder('from', undefined, import.meta.dirname)).toBe(import.meta.dirname);
});

test.each(['/nowhere', import.meta.filename])('what is no folder is told with the option: %s', (path) => {
  expect(() => existingFolder('from', path, import.meta.dirname)).toThrow(
    new UsageError(`${path} is no folder; say which one it is by --from DIR.`),
  );
});
