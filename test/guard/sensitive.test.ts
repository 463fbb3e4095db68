import { describe, expect, it } from 'vitest';
import { isSensitive } from '../../src/guard/sensitive.ts';
import { GUARDRAILS } from '../guardrails.ts';

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
  ])('is %s', (path) => expect(isSensitive(path, GUARDRAILS.sensitive)).toBe(true));

  it.each(['src/tokenizer.ts', 'src/author.ts', 'docs/secretary.md', 'README.md', '.github/ISSUE_TEMPLATE/bug.yml'])(
    'is not %s',
    (path) => expect(isSensitive(path, GUARDRAILS.sensitive)).toBe(false),
  );
});
