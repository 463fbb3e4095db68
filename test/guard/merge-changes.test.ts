import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { conflictDefect, mergeChanges, type Tree } from '../../src/guard/merge-changes.ts';
import { mergeLines } from '../../src/guard/merge-lines.ts';
import { digestOfTests } from '../../src/guard/test-digest.ts';
import type { FileChange } from '../../src/loop/brief.ts';

type Files = Readonly<Record<string, string | { readonly mode: string; readonly content: string | undefined }>>;

const encoded = (text: string, encoding: 'utf8' | 'latin1' = 'utf8') => Buffer.from(text, encoding).toString('base64');
const tree = (files: Files): Tree =>
  new Map(
    Object.entries(files).map(([path, file]) => [
      path,
      typeof file === 'string' ? { mode: '100644', content: encoded(file) } : file,
    ]),
  );
const change = (path: string, text: string | null, mode: FileChange['mode'] = '100644'): FileChange => ({
  path,
  mode,
  content: text === null ? null : encoded(text),
});
const frozenTests = (path: string, content: string) => {
  const files = [{ path, content }];
  return { files, tests: [], digest: digestOfTests(files) };
};
/** The files after the merge, as texts; what the merge does not change is as people left it. */
function merged(
  before: Files | undefined,
  changes: readonly FileChange[],
  after: Files,
  frozen: readonly [path: string, text: string] | undefined = undefined,
) {
  const result = mergeChanges({
    changes,
    frozen: frozen === undefined ? null : frozenTests(...frozen),
    before: before === undefined ? undefined : tree(before),
    after: tree(after),
  });
  const texts = new Map(
    [...tree(after)].map(([path, { content }]) => [path, Buffer.from(content ?? '', 'base64').toString()]),
  );
  for (const { path, content } of result.changes) {
    if (content === null) texts.delete(path);
    else texts.set(path, Buffer.from(content, 'base64').toString());
  }
  return { files: Object.fromEntries(texts), conflicts: result.conflicts, changes: result.changes };
}

describe('a file that only the loop changed', () => {
  test.each([
    ['changed', { a: '1\n' }, change('a', '2\n'), { a: '2\n' }],
    ['made', {}, change('a', '2\n'), { a: '2\n' }],
    ['deleted', { a: '1\n' }, change('a', null), {}],
  ] as const)('keeps what the loop did, when it was %s', (_, before, made, files) => {
    expect(merged({ ...before, other: 'x' }, [made], { ...before, other: 'y' })).toMatchObject({
      files: { ...files, other: 'y' },
      conflicts: [],
    });
  });
});

describe('a file that people changed too', () => {
  test('has both changes, where they are in different places', () => {
    const before = 'const limit = 10;\n\nfunction pay() {}\n\nfunction refund() {}\n';
    const ours = `${before}\nfunction report() {}\n`;
    const theirs = before.replace('10', '50');
    expect(merged({ 'src/pay.js': before }, [change('src/pay.js', ours)], { 'src/pay.js': theirs })).toMatchObject({
      files: { 'src/pay.js': ours.replace('10', '50') },
      conflicts: [],
    });
  });

  test('has their lines in the same place, and the conflict says which of ours gave way', () => {
    const result = merged({ 'src/pay.js': 'const limit = 10;\n' }, [change('src/pay.js', 'const limit = 100;\n')], {
      'src/pay.js': 'const limit = 50;\n',
    });
    expect(result.files).toEqual({ 'src/pay.js': 'const limit = 50;\n' });
    expect(result.changes).toEqual([]);
    expect(result.conflicts.map(conflictDefect)).toEqual([
      {
        id: 'person-conflict:src/pay.js',
        requirement: null,
        file: 'src/pay.js',
        line: null,
        rule: 'person-conflict',
        severity: 'major',
        message:
          '`src/pay.js` was changed by people in the same lines; theirs stand. The earlier work had:\nconst limit = 100;',
        suggestion: 'Keep what people wrote, and build what is still missing around it.',
      },
    ]);
  });

  const LINK = { mode: '120000', content: undefined };
  test.each([
    ['deleted by them', { a: '1' }, change('a', '2'), {}, 'was deleted by people; it stays deleted'],
    ['deleted by us', { a: '1' }, change('a', null), { a: '3' }, 'was deleted by the earlier work'],
    ['made by both', {}, change('a', '2'), { a: '3' }, 'was made by people too'],
    ['no text', { a: '\0' }, change('a', '\x002'), { a: '\x003' }, 'it is no text'],
    ['a link now', { a: '1' }, change('a', '2'), { a: LINK }, 'it is no text'],
    ['too large now', { a: '1' }, change('a', '2'), { a: { ...LINK, mode: '100644' } }, 'it is no text'],
    ['a folder now', {}, change('a', '2'), { 'a/b': '3' }, 'a folder in its place'],
    ['below a file now', {}, change('a/b', '2'), { a: '3' }, 'a file where it needs a folder'],
  ] as const)('stays as they left it and is told, when it is %s', (_, before, made, after, why) => {
    const { changes, conflicts } = merged(before, [made], after);
    expect(changes).toEqual([]);
    expect(conflicts).toMatchObject([{ path: made.path, why: expect.stringContaining(why) }]);
  });

  test('has the mode that one side changed and the content that the other one did', () => {
    const script = { mode: '100755', content: encoded('1') };
    expect(merged({ a: '1' }, [change('a', '2')], { a: script }).changes).toEqual([change('a', '2', '100755')]);
    expect(merged({ a: '1' }, [change('a', '1', '100755')], { a: '2' }).changes).toEqual([change('a', '2', '100755')]);
    const binary = merged({ a: '\0' }, [change('a', '\0', '100755')], { a: '\x002' });
    expect(binary).toMatchObject({ changes: [change('a', '\x002', '100755')], conflicts: [] });
  });
});

describe('work that is on the branch already', () => {
  test('is no change and no conflict', () => {
    expect(merged({ a: '1' }, [change('a', '2'), change('b', null)], { a: '2' })).toMatchObject({
      changes: [],
      conflicts: [],
    });
  });
});

describe('a branch that was rewritten', () => {
  test('stays as people left it, file by file, and each difference is told', () => {
    const work = [change('a', '2'), change('same', '5'), change('new', '6')];
    const { files, conflicts } = merged(undefined, work, { a: '3', same: '5' });
    expect(files).toEqual({ a: '3', same: '5' });
    expect(conflicts.map(({ path }) => path)).toEqual(['a', 'new']);
  });

  test('gets the frozen tests back', () => {
    expect(merged(undefined, [], {}, ['t', 'frozen'])).toMatchObject({ files: { t: 'frozen' }, conflicts: [] });
    expect(merged(undefined, [], { t: 'theirs' }, ['t', 'frozen'])).toMatchObject({
      files: { t: 'frozen' },
      conflicts: [{ path: 't' }],
    });
  });
});

describe('a frozen test', () => {
  test.each([
    ['not on the branch yet', {}, {}, []],
    ['on the branch and untouched', { t: 'frozen' }, { t: 'frozen' }, []],
    ['changed by people', { t: 'frozen' }, { t: 'easier' }, ['t']],
    ['deleted by people', { t: 'frozen' }, {}, ['t']],
    ['made by people', {}, { t: 'theirs' }, ['t']],
  ] as const)(
    'stands as it was frozen, when it is %s, and people are told where that covers what they wrote',
    (_, before, after, told) => {
      const { files, conflicts } = merged(before, [], after, ['t', 'frozen']);
      expect(files).toEqual({ t: 'frozen' });
      expect(conflicts.map(({ path }) => path)).toEqual(told);
      for (const { why } of conflicts) expect(why).toContain('/reject plan:');
    },
  );
});

/** Lines that are all different, so that each can be followed. */
const edits = (mark: string) =>
  fc.array(fc.record({ at: fc.nat(12), remove: fc.nat(2), add: fc.nat(2) }), { maxLength: 4 }).map((steps) => {
    let serial = 0;
    return (lines: readonly string[]) =>
      steps.reduce<readonly string[]>((text, { at, remove, add }) => {
        const made = Array.from({ length: add }, () => `${mark}${serial++}`);
        return text.toSpliced(Math.min(at, text.length), remove, ...made);
      }, lines);
  });
const BASE = Array.from({ length: 10 }, (_, index) => `line ${index}`);

describe('whatever both sides did', () => {
  test('what people wrote is there in their order, what they took away is gone, and lost work of the loop is told', () => {
    fc.assert(
      fc.property(edits('loop '), edits('person '), (loop, person) => {
        const [ours, theirs] = [loop(BASE), person(BASE)];
        const { files, conflicts } = merged({ f: BASE.join('\n') }, [change('f', ours.join('\n'))], {
          f: theirs.join('\n'),
        });
        const result = (files.f ?? '').split('\n');
        const isPersons = (line: string) => line.startsWith('person');
        expect(result.filter(isPersons)).toEqual(theirs.filter(isPersons));
        for (const line of BASE) if (!theirs.includes(line)) expect(result).not.toContain(line);
        const lost = ours.filter((line) => line.startsWith('loop') && !result.includes(line));
        const undone = BASE.filter((line) => !ours.includes(line) && result.includes(line));
        if (lost.length > 0 || undone.length > 0) expect(conflicts).toHaveLength(1);
        for (const line of lost) expect(conflicts[0]?.lost.split('\n')).toContain(line);
      }),
      { numRuns: 2000 },
    );
  });

  test('the same on both sides stays the same, and a side that did nothing adds nothing', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r') });
    fc.assert(
      fc.property(text, text, (base, other) => {
        expect(mergeLines(base, other, other)).toEqual({ text: other, lost: [] });
        expect(mergeLines(base, other, base)).toEqual({ text: other, lost: [] });
        expect(mergeLines(base, base, other)).toEqual({ text: other, lost: [] });
      }),
      { numRuns: 2000 },
    );
  });

  test('merging again brings nothing new', () => {
    fc.assert(
      fc.property(edits('loop '), edits('person '), (loop, person) => {
        const before = { f: BASE.join('\n') };
        const work = [change('f', loop(BASE).join('\n'))];
        const once = merged(before, work, { f: person(BASE).join('\n') });
        const theirs = tree({ f: person(BASE).join('\n') });
        expect(mergeChanges({ changes: once.changes, frozen: null, before: theirs, after: theirs }).changes).toEqual(
          once.changes,
        );
      }),
    );
  });
});

test('a text that would take minutes to compare is not merged: theirs stays, and it is told', () => {
  const blank = (count: number, last: string) => `${'\n'.repeat(count)}${last}`;
  const before = `x\n${blank(2000, 'a')}`;
  expect(mergeLines(before, `y\n${blank(2100, 'b')}`, `z\n${blank(2200, 'c')}`)).toBeUndefined();
  const { files, conflicts } = merged({ f: before }, [change('f', `y\n${blank(2100, 'b')}`)], {
    f: `z\n${blank(2200, 'c')}`,
  });
  expect(files.f?.startsWith('z')).toBe(true);
  expect(conflicts).toMatchObject([{ path: 'f', why: expect.stringContaining('too many lines') }]);
});
