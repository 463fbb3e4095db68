/** What the wheels that pip has installed may have laid. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Entries,
  FOLDER,
  openFolders,
  strangeFiles,
  withoutTestPlugins,
} from '../../src/jobs/workspace/wheel-files.ts';

const SITE = 'lib/python3.11/site-packages';
const entries = (paths: readonly string[]): Entries =>
  new Map(
    paths
      .map((path) => [path, path.endsWith('/') ? FOLDER : 'written'] as const)
      .map(([path, is]) => [path.replace(/\/$/, ''), is]),
  );
const BASE = entries([
  ...['bin/', 'bin/pytest', 'pyvenv.cfg', `${SITE}/`, `${SITE}/__pycache__/`],
  ...[`${SITE}/tea.py`, `${SITE}/__pycache__/tea.cpython-311.pyc`],
  ...[`${SITE}/cup/`, `${SITE}/cup/__init__.py`, `${SITE}/cup/size.py`, `${SITE}/space/`, `${SITE}/space/one/`],
  ...[`${SITE}/tea-1.0.dist-info/`, `${SITE}/tea-1.0.dist-info/METADATA`],
]);
const grown = (...added: readonly string[]): Entries => new Map([...BASE, ...entries(added)]);

test('new packages beside those of the base are fine, also in a name space that both share', () => {
  const milk = ['milk/', 'milk/__init__.py', 'milk/tea.py', 'milk-1.0.dist-info/', 'milk-1.0.dist-info/METADATA'];
  const space = ['space/two/', 'space/two/__init__.py', '__pycache__/sugar.cpython-311.pyc', 'sugar.py', 'tea.txt'];
  const paths = [...milk, ...space].map((path) => `${SITE}/${path}`);
  expect(strangeFiles(BASE, grown(...paths, 'bin/milk', 'share/', 'share/tea.py'))).toEqual([]);
});

describe('is said', () => {
  test.each([
    ['a file that is another', new Map([...BASE, ['bin/pytest', 'later']]), '`bin/pytest` of the base is another now'],
    ['a file that is gone', new Map([...BASE].slice(1)), '`bin` of the base is another now'],
    ['a package before a module', grown(`${SITE}/tea/`), 'would stand before'],
    ['a compiled module', grown(`${SITE}/cup/size.cpython-311-x86_64-linux-gnu.so`), 'would stand before'],
    ['a link', new Map([...BASE, ['bin/milk', 'link to /etc/passwd']]), '`bin/milk` is a link'],
    ['bytecode', grown(`${SITE}/cup/__pycache__/size.cpython-311.pyc`), 'would stand before'],
    ['code that runs with a name space of the base', grown(`${SITE}/space/__init__.py`), 'would stand before'],
    ['a second version', grown(`${SITE}/Tea-9.0.dist-info/`), 'would stand before'],
    ['a second version in the older form', grown(`${SITE}/tea.egg-info`), 'would stand before'],
    ['what came from an address', grown(`${SITE}/milk-1.0.dist-info/direct_url.json`), 'tells of an address'],
    ['code for each start', grown(`${SITE}/evil.pth`), `\`${SITE}/evil.pth\` would run whenever Python starts`],
    ['code for each start of a site', grown(`${SITE}/sitecustomize.py`), 'would run whenever Python starts'],
    ['where Python has its own modules', grown('bin/pyvenv.cfg'), 'would run whenever Python starts'],
    ['where Python looks at all', grown('bin/python3._pth'), 'would run whenever Python starts'],
    [
      'a module that a package may do without',
      grown(`${SITE}/cup/_fast.py`),
      `would be of \`${SITE}/cup\` of the base`,
    ],
    ['a file that a package may do without', grown(`${SITE}/cup/cup.toml`), `would be of \`${SITE}/cup\` of the base`],
    ['what a package tells others', grown(`${SITE}/tea-1.0.dist-info/entry_points.txt`), 'would be of'],
    ['a package for each start', grown(`${SITE}/usercustomize/`), 'would run whenever Python starts'],
  ])('%s', (_name, entries, clause) => {
    const found = strangeFiles(BASE, entries);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(clause);
  });
});

describe('is said of what is found elsewhere', () => {
  const elsewhere = { absent: new Set(['nt', 'org']), folders: new Set(['shop']) };
  const clauses = (...added: readonly string[]) =>
    strangeFiles(BASE, grown(...added.map((path) => `${SITE}/${path}`)), elsewhere);

  test('a module that Python looks for on other machines', () => {
    const clause = (path: string, name: string) =>
      `\`${SITE}/${path}\` would be \`${name}\`, for which Python itself looks and finds none on this machine`;
    expect(clauses('nt.py')).toEqual([clause('nt.py', 'nt')]);
    expect(clauses('org/core.py')).toEqual([clause('org/core.py', 'org')]);
    expect(clauses('ntlm.py', 'milk/', 'milk/nt.py')).toEqual([]);
  });

  test('a package or module of the name of a folder with code, and no folder beside it', () => {
    const clause = (path: string) => `\`${SITE}/${path}\` would stand before the folder \`shop\` of the repository`;
    expect(clauses('shop/', 'shop/__init__.py', 'shop/price.py')).toEqual([clause('shop/__init__.py')]);
    expect(clauses('shop.abi3.so')).toEqual([clause('shop.abi3.so')]);
    expect(clauses('shop/', 'shop/more.py', 'milk/shop.py')).toEqual([]);
  });
});

test('folders with code and without an __init__ are open, however deep', () => {
  const paths = ['src/shop/price.py', 'cup/__init__.py', 'cup/tea/milk.py', 'docs/shop.md', 'setup.py'];
  expect([...openFolders(paths)].toSorted()).toEqual(['shop', 'src', 'tea']);
});

test('what was there and is another is never overlooked', () => {
  fc.assert(
    fc.property(fc.constantFrom(...BASE.keys()), fc.option(fc.string(), { nil: undefined }), (path, is) => {
      fc.pre(BASE.get(path) !== is);
      const left = new Map(BASE);
      if (is === undefined) left.delete(path);
      else left.set(path, is);
      expect(strangeFiles(BASE, left)).toEqual([`\`${path}\` of the base is another now`]);
    }),
  );
});

test('plugins of pytest are taken out of what a package tells others, and nothing else', () => {
  const text =
    '[console_scripts]\ntea = tea:main\n\n[pytest11]\n# evil\ntea = tea.plugin\n\n[flask.commands]\ntea = tea:cli\n';
  expect(withoutTestPlugins(text)).toBe('[console_scripts]\ntea = tea:main\n\n[flask.commands]\ntea = tea:cli\n');
  expect(withoutTestPlugins('  [pytest11]  \r\ntea = tea.plugin\r\n')).toBe('');
  expect(withoutTestPlugins('[hypothesis]\ntea = tea.plugin\n[pytest_randomly.random_seeder]\ntea = tea:seed')).toBe(
    '',
  );
  expect(withoutTestPlugins('[console_scripts]\npytest11 = tea:main\n')).toBe(
    '[console_scripts]\npytest11 = tea:main\n',
  );
});

test.each(['\v', '\f', '\x1c', '\x1d', '\x1e', '\x85', '\u2028', '\r', '\n\x1f'])(
  'a plugin is found behind %j, where Python ends a line too',
  (end) => {
    const text = `[console_scripts]\ntea = tea:main${end}[pytest11]${end}tea = tea.plugin${end}[other]\nmilk = milk\n`;
    expect(withoutTestPlugins(text)).toBe(
      `[console_scripts]\ntea = tea:main${end.slice(0, 1)}${end.slice(1)}[other]\nmilk = milk\n`,
    );
  },
);
