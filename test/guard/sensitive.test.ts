import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isSensitive, SENSITIVE } from '../../src/guard/sensitive.ts';

describe('a path that always needs a person', () => {
  it.each([
    'src/auth/check.ts',
    'src/Auth.java',
    'lib/resetPassword.js',
    'config/api-keys.json',
    'config/api_key.yaml',
    'APIKEY.txt',
    'src/tokens.ts',
    'app/models/billing/invoice.rb',
    '.github/workflows/ci.yml',
    '.GitHub/Workflows/ci.yml',
    '.github/loopwright/skills/reflect/SKILL.md',
    'docs/CODEOWNERS',
    'CODEOWNERS',
    '.gitmodules',
  ])('is %s', (path) => expect(isSensitive(path)).toBe(true));

  it.each(['src/tokenizer.ts', 'src/author.ts', 'docs/secretary.md', 'README.md', '.github/ISSUE_TEMPLATE/bug.yml'])(
    'is not %s',
    (path) => expect(isSensitive(path)).toBe(false),
  );

  it('is stated for people as the code reads it', () => {
    const stated: unknown = parse(readFileSync(new URL('../../config/guardrails.yaml', import.meta.url), 'utf8'));
    expect(stated).toMatchObject({ sensitive: SENSITIVE });
  });
});
