/** What the wheels that pip has installed may have laid. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Entries, FOLDER, strangeFiles, withoutTestPlugins } from '../../src/jobs/workspace/wheel-files.ts';

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
    ['a package for each start', grown(`${SITE}/usercustomize/`), 'would run whenever Python starts'],
  ])('%s', (_name, entries, clause) => {
    const found = strangeFiles(BASE, entries);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(clause);
  });
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
  expect(withoutTestPlugins('[console_scripts]\npytest11 = tea:main\n')).toBe(
    '[console_scripts]\npytest11 = tea:main\n',
  );
});
