/** What a changed requirements.txt may add. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { indexesOf } from '../../src/jobs/workspace/pip-indexes.ts';
import { addedRequirements, otherReadings, strangeRequirements } from '../../src/jobs/workspace/pip-requirements.ts';

const SHA = `--hash=sha256:${'a'.repeat(64)}`;
const OTHER = `--hash=sha256:${'b'.repeat(64)}`;
const BASE = '# What the shop needs\nflask==3.0.0\nrequests>=2\n';
const LOCKED = `flask==3.0.0 \\\n    ${SHA} \\\n    ${OTHER}\n`;
const strange = (added: string, base = BASE) => strangeRequirements(base, `${base}${added}\n`);

test.each([
  ['a version', 'tea==1.0', 'tea==1.0'],
  ['extras', 'tea[green,black]==1.0', 'tea[green,black]==1.0'],
  ['spaces', '  tea [green] == 1.0  ', 'tea [green] == 1.0'],
  ['a marker', 'tea==1.0 ; python_version < "3.13" and sys_platform != "win32"', undefined],
  ['a marker without space', "tea==1.0;python_version<'3'", undefined],
  ['a comment', 'tea==1.0  # green', 'tea==1.0'],
  ['a line that goes on', 'tea\\\n==1.0', 'tea==1.0'],
  ['an epoch and a local part', 'tea==1!2.0.post1+cpu', undefined],
])('a requirement with %s is followed', (_name, line, asked = line) => {
  expect(addedRequirements(BASE, BASE + line)).toEqual([asked]);
  expect(strange(line)).toEqual([]);
});

test('digests are asked for where the base has them, and then each line has its own', () => {
  expect(strange(`tea==1.0 \\\n  ${SHA}`, LOCKED)).toEqual([]);
  expect(addedRequirements(LOCKED, `${LOCKED}tea==1.0 \\\n  ${SHA} \\\n  ${OTHER}`)).toEqual([
    `tea==1.0 ${SHA} ${OTHER}`,
  ]);
  expect(strange('tea==1.0', LOCKED)).toEqual([
    "`tea==1.0` has no digest, and the base's lines have; add its `--hash=sha256:…`",
  ]);
  expect(strange('tea==1.0', '--require-hashes\n')).toHaveLength(1);
  expect(strange(`tea==1.0 ${SHA}`)[0]).toContain('has a digest, and the base’s lines have none'.replace('’', "'"));
  expect(strange(`tea==1.0 ${SHA}`, '# nothing yet\n')).toEqual([]);
});

test('a text is told that pip reads otherwise than people, whatever its lines say here', () => {
  // In UTF-7 a comment can end, and an option begin.
  const hidden = `# -*- coding: utf-7 -*-\n${BASE}# more +AAo---index-url +AGg-ttps:+AC8ALw-shop.example\n`;
  expect(addedRequirements(BASE, hidden)).toEqual([]);
  expect(otherReadings(BASE, hidden)).toEqual(['a comment has pip read it as `utf-7`, and not as UTF-8']);
  expect(otherReadings(BASE, `# tea\n# coding=latin-1\n${BASE}`)).toHaveLength(1);
  expect(otherReadings(BASE, `${BASE}\uFEFF#/folder`)).toEqual(['it has a byte order mark within']);
  expect(otherReadings(BASE, `${BASE}# \uFFFD`)).toEqual(['it has bytes that are no UTF-8']);
  for (const line of ['# -*- coding: utf-8 -*-', '\uFEFF', '# tea\n\n# coding: utf-7'])
    expect(otherReadings(BASE, `${line}\n${BASE}`)).toEqual([]);
  expect(otherReadings(hidden, `${hidden}tea==1.0\n`)).toEqual([]);
});

describe('a line is not followed, in one clause, that', () => {
  test.each([
    ['has no version', 'tea', 'write it as `name==version`'],
    ['has a range', 'tea>=1.0', 'write it as `name==version`'],
    ['has a wildcard', 'tea==1.*', 'write it as `name==version`'],
    ['has two versions', 'tea==1.0,==2.0', 'write it as `name==version`'],
    ['asks for any spelling', 'tea===1.0', 'write it as `name==version`'],
    ['takes its version from the environment', 'tea==$' + '{VERSION}', 'write it as `name==version`'],
    ['names an index', '--index-url https://evil.test/simple', 'is an option'],
    ['names an index by a letter', '-ihttps://evil.test/simple', 'is an option'],
    ['names a further index', '--extra-index-url=https://evil.test/simple', 'is an option'],
    ['names pages with links', '-f https://evil.test/', 'is an option'],
    ['trusts a host', '--trusted-host evil.test', 'is an option'],
    ['leads to another file', '-r more.txt', 'is an option'],
    ['constrains', '-c constraints.txt', 'is an option'],
    ['is editable', '-e .', 'is an option'],
    ['allows sources', '--no-binary :all:', 'is an option'],
    ['has an address', 'tea @ https://evil.test/tea-1.0-py3-none-any.whl', 'is an address or a path'],
    ['is an address', 'https://evil.test/tea-1.0-py3-none-any.whl', 'is an address or a path'],
    ['is git', 'git+https://evil.test/tea.git@main#egg=tea', 'is an address or a path'],
    ['is a path', './tea', 'is an address or a path'],
    ['is a folder', 'tea/', 'is an address or a path'],
    ['is a file', 'tea-1.0-py3-none-any.whl', 'is an address or a path'],
    ['has another digest', 'tea==1.0 --hash=md5:abc', 'nothing but `--hash=sha256:…` is followed'],
    ['has an option of its own', 'tea==1.0 --global-option=--evil', 'nothing but `--hash=sha256:…` is followed'],
    ['hides an option in a marker', 'tea==1.0 ; python_version<"4" --index-url https://evil.test', 'nothing but'],
    ['asks again for what the base has', 'Flask==3.0.1', 'asks for `flask` again, which the base asks for already'],
  ])('%s', (_name, line, clause) => {
    const found = strange(line);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(clause);
  });

  test('is altered or gone', () => {
    expect(strangeRequirements(BASE, BASE.replace('3.0.0', '3.0.1'))).toEqual([
      '`flask==3.0.0` of the base is altered or gone, which a person does on the default branch first',
    ]);
    expect(strangeRequirements(BASE, '')).toHaveLength(2);
  });

  test('is altered, and who asked an index stays unsaid', () => {
    const [told] = strangeRequirements('-i https://rosa:secret@a.test/\n', '');
    expect(told).toContain('`-i https://a.test/` of the base');
  });

  test('stands behind what Python takes for the end of a line', () => {
    expect(strange('tea==1.0 # green\v--index-url https://evil.test')).toHaveLength(1);
    expect(strange('tea==1.0 # green\u2028-e .')).toHaveLength(1);
  });
});

test('what is only written otherwise is no change', () => {
  const again = `${SHA.slice(0, 0)}requests>=2   # for the API\r\n\r\n# here too\nflask==3.0.0`;
  expect(addedRequirements(BASE, again)).toEqual([]);
  expect(strangeRequirements(BASE, again)).toEqual([]);
});

const name = fc.stringMatching(/^[a-z][a-z0-9]{0,8}([-_.][a-z0-9]{1,4})?$/);
const version = fc.array(fc.nat(99), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'));
const pinned = fc.tuple(name, version).map(([left, right]) => `${left}==${right}`);
/** What a file may hold, and what somebody could try. */
const line = fc.oneof(
  pinned,
  pinned.map((one) => `${one} ${SHA}`),
  pinned.map((one) => `${one} # why`),
  fc.constantFrom(
    '',
    '# why',
    '-r more.txt',
    '--pre',
    'tea',
    'tea>=1',
    './tea',
    'tea==1 \\',
    '--index-url https://a.test',
  ),
  fc.string({ maxLength: 12 }),
);
const file = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'));

test('nothing is asked for but one version of a name, whatever a file holds', () => {
  fc.assert(
    fc.property(file, file, (before, after) => {
      const added = addedRequirements(before, after);
      if (strangeRequirements(before, after).length > 0) return;
      for (const one of added)
        expect(one).toMatch(
          /^[A-Za-z0-9][\w.-]* ?(\[[\w., -]*\] ?)?== ?[A-Za-z0-9][\w.!+-]*( ?;.*)?( --hash=sha256:[0-9a-f]{64})*$/,
        );
    }),
    { numRuns: 2000 },
  );
});

test('pinned lines of new names are followed in any order, and a file that stays as it is adds nothing', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(pinned, { selector: (one) => one.split('==')[0]?.replaceAll(/[-_.]+/g, '-') }),
      fc.nat(),
      (lines, at) => {
        const [before, added] = [lines.slice(0, at % (lines.length + 1)), lines.slice(at % (lines.length + 1))];
        const [base, candidate] = [before.join('\n'), [...added, ...before].join('\n')];
        expect(addedRequirements(base, candidate)).toEqual(added);
        expect(strangeRequirements(base, candidate)).toEqual([]);
        expect([...addedRequirements(base, base), ...strangeRequirements(base, base)]).toEqual([]);
      },
    ),
  );
});

describe('the indexes that are asked', () => {
  const PYPI = ['https://pypi.org/simple', 'https://files.pythonhosted.org/'];

  test.each([
    ['are pip’s own where none is named', BASE, PYPI],
    ['are the one that is named', '--index-url https://a.test/simple', ['https://a.test/simple']],
    ['are the last one that is named', '-i https://a.test/\n-ihttps://b.test/', ['https://b.test/']],
    ['are named by first letters too', '--ind=https://a.test/', ['https://a.test/']],
    ['are further ones too', '--extra-index-url https://a.test/', [PYPI[0], 'https://a.test/', PYPI[1]]],
    [
      'are two on one line',
      '-i https://a.test/ --extra-index-url=https://b.test/',
      ['https://a.test/', 'https://b.test/'],
    ],
    ['are asked by nobody in particular', '-i https://rosa:secret@a.test/', ['https://a.test/']],
    ['are asked without a token', '-i https://$' + '{TOKEN}@a.test/', ['https://a.test/']],
  ])('%s', (_name, text, addresses) => {
    expect(indexesOf(text)).toMatchObject({ addresses, strange: [] });
  });

  test('are given to pip, with what the base trusts', () => {
    expect(indexesOf('-i http://a.test/\n--extra-index-url http://b.test/\n--trusted-host a.test').options).toEqual([
      '--index-url',
      'http://a.test/',
      '--extra-index-url',
      'http://b.test/',
      '--trusted-host',
      'a.test',
    ]);
  });

  test.each([
    '--no-index',
    '--no-index --find-links wheels',
    '-r more.txt',
    '--requirement=more.txt',
    '-c constraints.txt',
    '--constraint constraints.txt',
    '-i https://$' + '{HOST}/simple',
    '-i file:///srv/wheels',
  ])('may be others than can be told where the base has %s', (text) => {
    expect(indexesOf(`${BASE}${text}\n`).strange).toHaveLength(1);
  });

  test('are told whatever else the base has', () => {
    expect(indexesOf('--require-hashes\n--pre\n--prefer-binary\n--only-binary :all:\n-e .\n').strange).toEqual([]);
  });
});
