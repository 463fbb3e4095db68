/** Path policy, glob dialect and test digest: tables and properties. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchesGlob } from '../../src/guard/glob.ts';
import { foldPath, pathRefusal, refusalsOf } from '../../src/guard/patch-policy.ts';
import { digestOfTests } from '../../src/guard/test-digest.ts';
import type { FileChange } from '../../src/loop/brief.ts';

const POLICY = { protectedPaths: ['deploy/**', 'Secrets.yml'], maxFiles: 5, maxBytes: 100 };
const change = (path: string, text = 'x'): FileChange => ({
  path,
  mode: '100644',
  content: Buffer.from(text).toString('base64'),
});
const deletion = (path: string): FileChange => ({ path, mode: '100644', content: null });
const messages = (changes: readonly FileChange[], policy = POLICY) =>
  refusalsOf(changes, policy).map(({ message }) => message);

describe('paths', () => {
  test.each([
    ['.github/workflows/ci.yml', '.git*'],
    ['.GitHub/workflows/ci.yml', '.git*'],
    ['sub/.git/config', '.git*'],
    ['.gitattributes', '.git*'],
    ['.gitmodules', '.git*'],
    ['GIT~1/config', '.git*'],
    ['docs/CodeOwners', 'CODEOWNERS'],
    ['.loopwright/7/spec.md', '.loopwright/'],
    ['/etc/passwd', 'absolute'],
    ['C:/x', 'absolute'],
    ['a\\b', 'backslash'],
    ['a'.repeat(401), 'longer than 400'],
    ['a/../b', 'segment'],
    ['./a', 'segment'],
    ['a//b', 'segment'],
    ['a/', 'segment'],
    ['a./b', 'dot or a space'],
    ['a\u0000b', 'control'],
    ['a\u202Eb', 'invisible'],
    ['.g\u200Bit/config', 'invisible'],
    ['deploy/x/y.yml', 'deploy/**'],
    ['DEPLOY/x', 'deploy/**'],
    ['secrets.yml', 'Secrets.yml'],
    ['package-lock.json', 'lock files'],
    ['sub/Cargo.LOCK', 'lock files'],
    ['requirements.txt', 'lock files'],
  ])('a change of %j is refused by the rule about %s', (path, about) => {
    const refusals = refusalsOf([change(path)], POLICY);
    expect(refusals).toHaveLength(1);
    expect(refusals[0]).toMatchObject({ rule: 'path-policy', severity: 'blocker', file: path });
    expect(refusals[0]?.message).toContain(about);
  });

  test('deleting a protected file is refused like writing it', () => {
    expect(refusalsOf([deletion('.github/dependabot.yml')], POLICY)).toHaveLength(1);
  });

  test('ordinary source, test and hidden files may change', () => {
    expect(messages([change('src/a.ts'), change('test/a.test.ts'), change('.editorconfig'), deletion('x')])).toEqual(
      [],
    );
  });

  test('the sentence for .github says what is refused and why', () => {
    expect(messages([change('.github/workflows/ci.yml')])).toEqual([
      '`.github/workflows/ci.yml` must not change: files of git and GitHub (`.git*`) are changed by people only.',
    ]);
  });

  test('a list of allowed files refuses every other path and lets a named lock file through', () => {
    const policy = { ...POLICY, allowedFiles: ['src/**', 'package-lock.json'] };
    expect(pathRefusal('src/a/b.ts', policy)).toBeUndefined();
    expect(pathRefusal('package-lock.json', policy)).toBeUndefined();
    expect(pathRefusal('other.ts', policy)).toContain('not among the files that the plan names');
    expect(pathRefusal('.github/x', { ...policy, allowedFiles: ['.github/**'] })).toContain('.git*');
  });

  test('no spelling of a protected folder by case or normal form gets past the policy', () => {
    const letters = fc.array(fc.boolean(), { minLength: 24, maxLength: 24 });
    fc.assert(
      fc.property(letters, fc.constantFrom('.github/workflows/x', '.loopwright/1/x', 'deploy/é/x'), (flips, path) => {
        const spelt = [...path].map((letter, index) => (flips[index] ? letter.toUpperCase() : letter)).join('');
        return (['NFC', 'NFD'] as const).every((form) => pathRefusal(spelt.normalize(form), POLICY) !== undefined);
      }),
    );
  });

  test('a path that is accepted stays inside the repository and names no .git folder', () => {
    const segment = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('..', '.', '', '.git', '.GIT', 'src', 'a.ts'),
    );
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 5 }), (segments) => {
        const path = segments.join('/');
        if (pathRefusal(path, POLICY) !== undefined) return;
        const parts = path.split('/');
        expect(parts.every((part) => part !== '' && part !== '..' && part !== '.' && foldPath(part) !== '.git')).toBe(
          true,
        );
        expect(path).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
    );
  });
});

describe('whole changes', () => {
  test('two paths that are one file on a case-insensitive disk are refused', () => {
    expect(messages([change('src/A.ts'), change('src/a.ts')])).toEqual([
      '`src/a.ts` must not change: it is the same file as `src/A.ts`.',
    ]);
  });

  test('a path below another path that is written as a file is refused', () => {
    expect(messages([change('a'), change('a/b')])[0]).toContain('`a` is written as a file');
    expect(messages([deletion('a'), change('a/b')])).toEqual([]);
  });

  test('too many files and too many bytes are refused with both numbers', () => {
    expect(messages(['a', 'b', 'c', 'd', 'e', 'f'].map((path) => change(path)))).toEqual([
      'The change has 6 files; at most 5 are accepted.',
    ]);
    expect(messages([change('big', 'x'.repeat(300))])[0]).toMatch(/300 bytes; at most 100 .*`big`/);
  });

  test('a mode of a symbolic link is refused even when it comes past the schema', () => {
    const parsed: FileChange[] = JSON.parse('[{"path":"a","mode":"120000","content":"eA=="}]');
    expect(messages(parsed)[0]).toContain('mode 120000');
  });
});

describe('globs', () => {
  test.each([
    ['**', 'a/b', true],
    ['a/**', 'a', false],
    ['a/**', 'a/b/c', true],
    ['**/x.ts', 'x.ts', true],
    ['**/x.ts', 'a/b/x.ts', true],
    ['a/**/z', 'a/z', true],
    ['*.ts', 'a.ts', true],
    ['*.ts', 'a/b.ts', false],
    ['a*b*c', 'aXbYc', true],
    ['a*b*c', 'ac', false],
    ['ab*b', 'ab', false],
    ['a.c', 'abc', false],
    ['a', 'A', false],
  ])('%s against %s is %s', (glob, path, expected) => {
    expect(matchesGlob(glob, path)).toBe(expected);
  });

  test('a hostile glob is decided quickly', () => {
    expect(matchesGlob(`${'a*'.repeat(60)}b`, 'a'.repeat(400))).toBe(false);
  });
});

describe('test digest', () => {
  test('it ignores the order of files and notices any change of content or path', () => {
    const files = [
      { path: 'b', content: '2' },
      { path: 'a', content: '1' },
    ];
    expect(digestOfTests(files)).toBe(digestOfTests(files.toReversed()));
    expect(digestOfTests(files)).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(digestOfTests([{ path: 'a', content: '1' }])).not.toBe(digestOfTests([{ path: 'a', content: '2' }]));
    expect(digestOfTests([{ path: 'a', content: '1' }])).not.toBe(digestOfTests([{ path: 'b', content: '1' }]));
  });
});
