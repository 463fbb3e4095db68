/** Who may use the environment of the jobs, and whether a BUILD can begin. */
import { expect, test } from 'vitest';
import { environmentFinding } from '../../src/onboarding/environment.ts';

const PLACE = { url: 'https://github.test/acme/shop', defaultBranch: 'release/main' };
const named = (...names: string[]) => environmentFinding({ branches: 'named', names }, PLACE);

test('an environment that the default branch may not use bars every BUILD, and says where that is mended', () => {
  for (const found of [named(), named('main'), named('release'), named('*'), named('release/m')]) {
    expect(found).toMatchObject({ state: 'wrong', bars: true });
    expect(found.sentence).toBe('`release/main` may not use the environment `loopwright`, so no BUILD can begin.');
    expect(found.remedy).toContain('https://github.test/acme/shop/settings/environments');
  }
});

test('a pattern that the default branch fits lets it use the environment, and others with it', () => {
  for (const pattern of ['release/*', 'release/**', 'release/m[a-z]in', '*/main']) {
    expect(named(pattern)).toMatchObject({
      state: 'wrong',
      sentence: `Beside \`release/main\`, \`${pattern}\` may use the environment \`loopwright\`.`,
    });
    expect(named(pattern).bars).toBeUndefined();
  }
});

test('what a job makes by itself, and what every branch may use, bars nothing', () => {
  expect(environmentFinding(undefined, PLACE)).toMatchObject({ state: 'missing' });
  expect(environmentFinding(undefined, PLACE).bars).toBeUndefined();
  expect(environmentFinding({ branches: 'every', names: [] }, PLACE).bars).toBeUndefined();
  expect(named('release/main')).toEqual({
    state: 'ok',
    sentence: '`release/main` alone may use the environment `loopwright`.',
  });
});
