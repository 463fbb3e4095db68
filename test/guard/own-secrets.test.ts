import { expect, test } from 'vitest';
import { ownSecrets } from '../../src/guard/own-secrets.ts';

const NONE = { privateKey: '', webhookSecret: '', modelKey: '', addresses: [] };

test('every secret of the settings is known, each once', () => {
  const settings = {
    privateKey: 'pem',
    webhookSecret: 'hook',
    modelKey: 'key',
    addresses: ['https://u:key@llm.test/v1'],
  };
  expect(ownSecrets(settings)).toEqual(['pem', 'hook', 'key']);
});

test.each([
  [
    'the password of a database',
    'postgres://app:p%40ss-word-1234@db:5432/loops',
    ['p%40ss-word-1234', 'p@ss-word-1234'],
  ],
  ['a token in place of a user', 'https://token-0123456789@llm.test/v1', ['token-0123456789']],
  [
    'a key in the query',
    'https://llm.test/v1?api-version=2&api-key=abcdef%2B0123',
    ['2', 'abcdef%2B0123', 'abcdef+0123'],
  ],
  ['a password in the query', 'postgresql://db/loops?user=a&password=correct-horse', ['a', 'correct-horse']],
  ['a password that no decoder takes', 'postgres://app:100%25-%zz-sure@db/loops', ['100%25-%zz-sure']],
  ['nothing of an address without credentials', 'https://api.openai.com/v1', []],
  ['nothing of a path', '.data/db', []],
])('of an address it takes %s', (_, address, expected) => {
  expect(ownSecrets({ ...NONE, addresses: [address] })).toEqual(expected);
});
