/** How strong the tests of a change are, as `loopwright prove` measures it: real faults, the real sandbox, real runners. */
import { mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { typed } from '../cli/terminal.ts';
import { checkoutsIn, type Files, proved } from './checkouts.ts';

let root: string;
let checkout: (base: Files, change: Files) => Promise<string>;
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'strength-')));
  checkout = checkoutsIn(root);
});
afterAll(() => rm(root, { recursive: true, force: true }));

const MANIFEST = '{"type":"module","scripts":{"test":"node --test"}}';
const testOf = (...lines: readonly string[]) =>
  [
    "import test from 'node:test';",
    "import assert from 'node:assert';",
    "import * as shop from '../src/shop.js';",
    `test('it', () => { ${lines.join(' ')} });`,
    '',
  ].join('\n');
const BASE: Files = {
  'package.json': MANIFEST,
  'src/shop.js': 'export const price = (count) => count;\nexport const one = () => 1;\n',
  'test/one.test.js': testOf('assert.equal(shop.one(), 1);'),
};
const PRICE = [
  'export const price = (count) => {',
  '  if (count > 9) {',
  '    return count * 3;',
  '  }',
  '  return count * 4;',
  '};',
  'export const one = () => 1;',
  '',
].join('\n');
const WEAK = testOf('assert.equal(shop.price(20), 60);');
const STRONG = testOf(
  'assert.equal(shop.price(20), 60);',
  'assert.equal(shop.price(9), 36);',
  'assert.equal(shop.price(10), 30);',
);

describe('tests with every case', () => {
  test('notice every fault in the changed lines', async () => {
    const directory = await checkout(BASE, { 'src/shop.js': PRICE, 'test/more.test.js': STRONG });
    const { code, verdict, strength } = await proved(directory);
    expect({ code, verdict, strength }).toEqual({
      code: 0,
      verdict: 'proved',
      strength: { made: expect.any(Number), noticed: strength?.made, unmeasured: 0, unreached: [], survivors: [] },
    });
    expect(strength?.made).toBeGreaterThanOrEqual(9);
  });
});

describe('tests with one case', () => {
  test('are told to be weak, with faults that git applies and the suite does not notice', async () => {
    const directory = await checkout(BASE, { 'src/shop.js': PRICE, 'test/more.test.js': WEAK });
    const { code, verdict, strength } = await proved(directory);
    expect({ code, verdict }).toEqual({ code: 0, verdict: 'weakly proved' });
    expect(strength?.survivors.map(({ file, line }) => `${file}:${line}`)).toEqual(['src/shop.js:2']);
    expect(strength?.unreached).toEqual([{ file: 'src/shop.js', line: 5 }]);
    const [survivor] = strength?.survivors ?? [];
    const suite = () => execa('node', ['--test'], { cwd: directory, env: { NODE_TEST_CONTEXT: undefined } });
    await execa('git', ['apply', '-'], { cwd: directory, input: survivor?.patch ?? '' });
    expect(await readFile(join(directory, 'src/shop.js'), 'utf8')).not.toBe(PRICE);
    await suite();
  });

  test('are shown on the terminal with what they do not notice', async () => {
    const directory = await checkout(BASE, { 'src/shop.js': PRICE, 'test/more.test.js': WEAK });
    const { code, out } = await typed(['prove', '--repo', directory, '--strict']);
    expect(code).toBe(1);
    const said = out.join('\n');
    expect(said).toMatch(
      /\d+ of \d+ faults in the changed lines are noticed\. \d+ stays? unnoticed: your tests are green with (?:it|each) \(git apply\)/,
    );
    expect(said).toContain('  src/shop.js:2  ');
    expect(out).toContain('-  if (count > 9) {');
    expect(said).toContain('No test reaches src/shop.js:5; what is changed there is not measured.');
    expect(out.at(-1)).toMatch(/^Weakly proved, as .+ \(1 of 1 tests need the change\)\.$/);
  });

  test('are strong where other tests of the suite notice the rest', async () => {
    const before = PRICE.replace('* 3', '* 2');
    const directory = await checkout(
      {
        ...BASE,
        'src/shop.js': before,
        'test/rest.test.js': STRONG.replaceAll(/assert.equal\(shop.price\((?:20|10)\), \d+\);/g, ''),
      },
      {
        'src/shop.js': PRICE.replace('count > 9', '9 < count'),
        'test/more.test.js': testOf('assert.equal(shop.price(10), 30);'),
      },
    );
    const { verdict, strength } = await proved(directory);
    expect({ verdict, survivors: strength?.survivors }).toEqual({ verdict: 'proved', survivors: [] });
  });
});

describe('lines that go beside a proved change', () => {
  const guarded = PRICE.replace('  return count * 4;', '  return count * 5;').replace(
    '  if (count > 9)',
    "  if (count < 0) {\n    throw new Error('less than nothing');\n  }\n  if (count > 9)",
  );
  const deleted = async (...lines: readonly string[]) => {
    const directory = await checkout(
      { ...BASE, 'src/shop.js': guarded },
      { 'src/shop.js': PRICE, 'test/more.test.js': testOf('assert.equal(shop.price(9), 36);', ...lines) },
    );
    const { verdict, findings } = await proved(directory);
    return { verdict, findings: findings.map(({ id, severity, message }) => ({ id, severity, message })) };
  };

  test('are told of where every test is green with them put back', async () => {
    expect(await deleted()).toEqual({
      verdict: 'proved',
      findings: [
        {
          id: 'lines-deleted:src/shop.js:2',
          severity: 'minor',
          message:
            "src/shop.js lost 3 lines before line 2 (`if (count < 0) { throw new Error('less than nothing'); }`): with them put back no test turns red, so nothing shows that they had to go.",
        },
      ],
    });
  });

  test('are not told of where a test needs them gone', async () => {
    expect(await deleted('assert.equal(shop.price(-1), -4);')).toEqual({ verdict: 'proved', findings: [] });
  });
});

describe('a test that cannot even be loaded without the change', () => {
  const added = `${BASE['src/shop.js']}export const double = (count) => count * 2;\n`;
  const imports = (line: string) =>
    testOf(line).replace("import * as shop from '../src/shop.js'", "import { double } from '../src/shop.js'");

  test('proves it where it notices faults', async () => {
    const directory = await checkout(BASE, {
      'src/shop.js': added,
      'test/double.test.js': imports('assert.equal(double(4), 8);'),
    });
    const { code, verdict, rows } = await proved(directory);
    expect({ code, verdict, how: rows[0]?.how }).toEqual({ code: 0, verdict: 'proved', how: 'missing' });
  });

  test('proves nothing where it looks at nothing', async () => {
    const directory = await checkout(BASE, {
      'src/shop.js': added,
      'test/double.test.js': imports('double(4); assert.ok(true);'),
    });
    const { code, reasons } = await proved(directory);
    expect(code).toBe(1);
    expect(reasons.join()).toMatch(/only because what they use is not there .* none of \d+ faults was noticed/);
  });
});

test('a fault that never ends is noticed as such, and the others are measured', async () => {
  const counts =
    'export const price = (count) => {\n  let left = count;\n  while (left > 3) {\n    left -= 1;\n  }\n  return left;\n};\nexport const one = () => 1;\n';
  const directory = await checkout(BASE, {
    'src/shop.js': counts,
    'test/more.test.js': testOf('assert.equal(shop.price(8), 3);', 'assert.equal(shop.price(2), 2);'),
  });
  const { strength } = await proved(directory, '--minutes', '0.5');
  expect(strength).toMatchObject({ unmeasured: 0 });
  expect(strength?.noticed).toBeGreaterThanOrEqual(5);
});

test('a changed link is no code, and nothing is written where it leads', async () => {
  const outside = join(root, 'outside.js');
  await writeFile(outside, 'export const secret = 1 + 1;\n');
  const directory = await checkout(BASE, { 'src/shop.js': PRICE, 'test/more.test.js': STRONG });
  await symlink(outside, join(directory, 'src', 'link.js'));
  await execa('git', ['add', '--all'], { cwd: directory });
  await execa('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.test', 'commit', '-qm', 'link'], { cwd: directory });
  expect(await proved(directory)).toMatchObject({ code: 0, verdict: 'proved', strength: { survivors: [] } });
  expect(await readFile(outside, 'utf8')).toBe('export const secret = 1 + 1;\n');
});

test('a test that comes to no changed line, and only sees a file there, proves it weakly', async () => {
  const directory = await checkout(BASE, {
    'src/new.js': PRICE,
    'test/there.test.js': `import test from 'node:test';
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
test('is there', () => assert.ok(existsSync(new URL('../src/new.js', import.meta.url))));
`,
  });
  const { out } = await typed(['prove', '--repo', directory]);
  expect(out.join('\n')).toMatch(/No test reaches src\/new\.js:2.*; what is changed there is not measured\./);
  expect(out.at(-1)).toMatch(/^Weakly proved, as .+ \(1 of 1 tests need the change\)\.$/);
});

test('tests that read the text of the source are asked for no fault, so that they notice none', async () => {
  const read = (body: string) => `import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as shop from '../src/shop.js';
const text = readFileSync(new URL('../src/shop.js', import.meta.url), 'utf8');
test('reads', () => ${body});
`;
  const directory = await checkout(BASE, {
    'src/shop.js': PRICE,
    'test/more.test.js': WEAK,
    'test/text.test.js': read(`assert.equal(text, ${JSON.stringify(PRICE)})`),
  });
  const { out, err } = await typed(['prove', '--repo', directory]);
  expect(err.join('\n')).toContain('1 test is red already where only spaces are added');
  expect(out.at(-1)).toMatch(/^Weakly proved, as .+ \(2 of 2 tests need the change\)\.$/);
});

describe('the number of faults', () => {
  test('may be 0: then no strength is measured, and none is told', async () => {
    const directory = await checkout(BASE, { 'src/shop.js': PRICE, 'test/more.test.js': STRONG });
    expect(await proved(directory, '--faults', '0')).toMatchObject({ verdict: 'proved', strength: null });
    expect(await proved(directory, '--faults', '3')).toMatchObject({ strength: { made: 3 } });
  });

  test.each(['-1', '1.5', 'many', '1001'])('is not %s', async (count) => {
    const { code, err } = await typed(['prove', `--faults=${count}`]);
    expect(code).toBe(2);
    expect(err.join()).toBe(`"${count}" is no number of faults; say a whole number from 0 to 1000.`);
  });
});

test('Python: faults in a function with a decorator and in a class are noticed, and a log line takes none', async () => {
  const base = 'def price(count):\n    return count\n';
  const product = [
    'import logging',
    '',
    'logger = logging.getLogger(__name__)',
    '',
    '',
    'def price(count):',
    '    """Count is a number."""',
    '    logger.info("price of %s", count)',
    '    if count is None:',
    '        raise ValueError("no count")',
    '    return count * 3 if count > 9 else count * 4',
    '',
  ].join('\n');
  const tests = [
    'import pytest',
    'from shop import price',
    '',
    '',
    '@pytest.mark.parametrize("count, wanted", [(9, 36), (10, 30)])',
    'def test_price(count, wanted):',
    '    assert price(count) == wanted',
    '',
    '',
    'def test_none():',
    '    with pytest.raises(ValueError):',
    '        price(None)',
    '',
  ].join('\n');
  const directory = await checkout(
    { 'pytest.ini': '[pytest]\n', 'shop.py': base },
    { 'shop.py': product, 'tests/test_shop.py': tests },
  );
  const { verdict, strength } = await proved(directory);
  expect({ verdict, survivors: strength?.survivors.map(({ sentence }) => sentence) }).toEqual({
    verdict: 'proved',
    survivors: [],
  });
});

describe('a list of requirements', () => {
  const shop = { 'src/shop.js': PRICE, 'test/more.test.js': STRONG };
  const listIn = async (text: string): Promise<string> => {
    const file = join(root, 'requirements.yml');
    await writeFile(file, text);
    return file;
  };

  test('has a verdict for each, by its own tests, also those of files that the change did not touch', async () => {
    const cheap = testOf('assert.equal(shop.price(9), 36);').replace("'it'", "'cheap'");
    const directory = await checkout(BASE, { ...shop, 'test/cheap.test.js': cheap });
    const list = await listIn(
      "R-1: test/more.test.js\nR-2: ['test/cheap.test.js::cheap']\nR-3: { keep: test/one.test.js }\n",
    );
    const { code, verdict, requirements, strength } = await proved(directory, '--requirements', list);
    expect({ code, verdict }).toEqual({ code: 0, verdict: 'weakly proved' });
    const [first, second, third] = requirements;
    expect(first).toMatchObject({ requirement: 'R-1', verdict: 'proved', tests: ['test/more.test.js::it'] });
    expect(first?.strength).toMatchObject({ made: strength?.made, noticed: strength?.noticed });
    expect(second).toMatchObject({ requirement: 'R-2', verdict: 'weakly proved' });
    expect(second?.strength?.unreached).toEqual([{ file: 'src/shop.js', line: 3 }]);
    expect(third).toMatchObject({ verdict: 'kept', tests: ['test/one.test.js::it'], strength: null });
  });

  test('that names what is not there is not proved, and ends with 1', async () => {
    const directory = await checkout(BASE, shop);
    const list = await listIn('R-1: test/more.test.js\nR-9: test/none.test.js\n');
    const { code, verdict, reasons } = await proved(directory, '--requirements', list);
    expect([code, verdict, reasons]).toEqual([1, 'not proved', ['R-9: no test `test/none.test.js` was run.']]);
  });
});
