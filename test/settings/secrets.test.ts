import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/errors.ts';
import { isGiven, withSecrets } from '../../src/settings/secrets.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'loopwright-secrets-'));
  await writeFile(join(directory, 'key'), 'sk-1\n');
  await writeFile(join(directory, 'pem'), '-----BEGIN\nabc\n-----END\n');
  await writeFile(join(directory, 'empty'), '\n');
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const key = (variables: Record<string, string>) => withSecrets(variables, ['LLM_API_KEY', 'PORT']).LLM_API_KEY;

/** The sentence that it is refused with. */
function refusal(variables: Record<string, string>): string {
  try {
    key(variables);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'nothing was refused';
}

describe('a secret', () => {
  test('stands in the environment as before', () => {
    expect(key({ LLM_API_KEY: 'sk-0' })).toBe('sk-0');
    expect(key({})).toBeUndefined();
  });

  test('is read from a file, without the line break at its end and with those before', () => {
    expect(key({ LLM_API_KEY_FILE: join(directory, 'key') })).toBe('sk-1');
    const { PRIVATE_KEY } = withSecrets({ PRIVATE_KEY_FILE: join(directory, 'pem') }, ['PRIVATE_KEY']);
    expect(PRIVATE_KEY).toBe('-----BEGIN\nabc\n-----END');
  });

  test('is what a command prints, which is asked once', async () => {
    const command = `echo asked >> ${join(directory, 'asked')}; printf 'sk-%s\\n' $((1 + 1))`;
    expect([key({ LLM_API_KEY_COMMAND: command }), key({ LLM_API_KEY_COMMAND: command })]).toEqual(['sk-2', 'sk-2']);
    expect(await readFile(join(directory, 'asked'), 'utf8')).toBe('asked\n');
  });

  test('counts as given by each of them', () => {
    expect(isGiven({ PRIVATE_KEY_FILE: 'x' }, 'PRIVATE_KEY')).toBe(true);
    expect(isGiven({ PRIVATE_KEY_COMMAND: 'x' }, 'PRIVATE_KEY')).toBe(true);
    expect(isGiven({ LLM_API_KEY: 'x' }, 'PRIVATE_KEY')).toBe(false);
  });

  test.each(['LLM_API_KEY', 'PRIVATE_KEY', 'WEBHOOK_SECRET', 'DATABASE_URL', 'LLM_ANTHROPIC_API_KEY'])(
    'that is empty counts as not set: beside another source %s is what that gives',
    (name) => {
      const file = join(directory, 'key');
      const read = (variables: Record<string, string>) => withSecrets(variables, [name])[name];
      expect(read({ [name]: '', [`${name}_FILE`]: file })).toBe('sk-1');
      expect(read({ [name]: '', [`${name}_FILE`]: '', [`${name}_COMMAND`]: 'echo sk-4' })).toBe('sk-4');
      expect(read({ [name]: 'sk-0', [`${name}_FILE`]: '', [`${name}_COMMAND`]: '' })).toBe('sk-0');
      expect(isGiven({ [name]: '', [`${name}_FILE`]: '' }, name)).toBe(false);
    },
  );

  test('is asked for only where somebody wants it', () => {
    const variables = { LLM_API_KEY_FILE: join(directory, 'missing') };
    expect(withSecrets(variables, ['PRIVATE_KEY'])).toEqual(variables);
  });

  test.each([
    [
      'two sources',
      { LLM_API_KEY: 'a', LLM_API_KEY_FILE: 'b' },
      /LLM_API_KEY is given by LLM_API_KEY and LLM_API_KEY_FILE; unset/,
    ],
    [
      'a file that is not there',
      { LLM_API_KEY_FILE: '/nowhere/key' },
      /LLM_API_KEY_FILE gives no secret: the file \/nowhere\/key cannot be read \(ENOENT\)/,
    ],
    [
      'a command that fails',
      { LLM_API_KEY_COMMAND: 'echo sk-3; exit 7' },
      /LLM_API_KEY_COMMAND gives no secret: its command ended with 7;/,
    ],
    ['a command without a word', { LLM_API_KEY_COMMAND: 'true' }, /its command printed nothing/],
    ['a command that is killed', { LLM_API_KEY_COMMAND: 'kill -9 $$' }, /its command ended with (?:137|a signal);/],
  ])('of %s is refused, and nothing of it is shown', (_, variables, sentence) => {
    expect(refusal(variables)).toMatch(sentence);
    expect(refusal(variables)).not.toMatch(/sk-/);
  });

  test('of an empty file is refused', () => {
    expect(refusal({ LLM_API_KEY_FILE: join(directory, 'empty') })).toMatch(
      /the file .*empty is empty; write the secret into it\.$/,
    );
  });
});

test('a variable that is no secret has neither file nor command', () => {
  expect(withSecrets({ PORT_COMMAND: 'echo 1' }, ['PORT']).PORT).toBeUndefined();
});
