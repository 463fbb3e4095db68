import { describe, expect, it } from 'vitest';
import { integrityDefects } from '../../src/guard/test-integrity.ts';

const PROJECT =
  '[project]\nname = "shop"\n\n[tool.pytest.ini_options]\naddopts = "-q"\n\n[tool.ruff]\nline-length = 100\n';

/** What a change of one file, and these added lines of a test, come to. */
function found(path: string, before: string, after: string, added: readonly string[] = []): readonly string[] {
  const defects = integrityDefects({
    trees: new Map(),
    ...{ runner: 'pytest', frozen: undefined, supersededTests: [] },
    base: new Map([[path, before]]),
    head: new Map([[path, after]]),
    baseText: (file) => (file === path ? before : undefined),
    headText: (file) => (file === path ? after : undefined),
    added: added.map((text, index) => ({ file: 'tests/test_new.py', line: index + 1, text })),
  });
  return defects.map(({ rule }) => rule);
}

describe("pytest's settings", () => {
  it.each([
    ['pyproject.toml', PROJECT, PROJECT.replace('"-q"', '"-q --deselect tests/test_a.py"')],
    ['pyproject.toml', '[project]\n', '[project]\n[ "tool" . "pytest".ini_options]\naddopts = "-k none"\n'],
    ['packages/a/pyproject.toml', PROJECT, '[project]\nname = "shop"\n'],
    ['setup.cfg', '[metadata]\n', '[metadata]\n[tool:pytest]\naddopts = -x\n'],
    ['pyproject.toml', PROJECT, PROJECT.replace('addopts', 'markers = ["a"]\naddopts = "-x"\n#')],
    ['setup.cfg', '[tool:pytest]\n', '[tool:pytest]\nmarkers =\n    slow\naddopts = -x\n'],
    [
      'setup.cfg',
      '[tool:pytest]\naddopts =\n  -q\n',
      '[tool:pytest]\naddopts =\n  -q\n  markers =\n    --deselect a\n',
    ],
    ['pyproject.toml', '[tool.pytest.x]\na = """\n-q"""\n', '[tool.pytest.x]\na = """\nmarkers = [] -x\n-q"""\n'],
  ])('may not change with what they judge: %s', (path, before, after) => {
    expect(found(path, before, after)).toEqual(['test-runner']);
  });

  const LAST = '[tool.pytest.ini_options]\naddopts = "-q"\n';
  const MARKED = 'markers = [\n  "slow: takes long",\n]';
  it.each([
    ['pyproject.toml', PROJECT, PROJECT.replace('100', '120').replace('"shop"', '"store"')],
    ['pyproject.toml', LAST, `${LAST}\n[tool.ruff]\nline-length = 100\n`],
    ['pyproject.toml', LAST, `${LAST}${MARKED}\n`],
    ['pyproject.toml', LAST, LAST.replace('addopts', 'markers = ["slow"]\naddopts')],
    [
      'setup.cfg',
      '[tool:pytest]\naddopts = -q\n',
      '[tool:pytest]\nmarkers =\n    slow: takes long\n    net\naddopts = -q\n',
    ],
    ['setup.cfg', '[metadata]\nname = a\n', '[metadata]\nname = b\n'],
  ])('are not what else stands in %s', (path, before, after) => {
    expect(found(path, before, after)).toEqual([]);
  });
});

it.each([
  '@pytest.mark.skipif(True, reason="later")',
  'pytestmark = pytest.mark.skip',
  'numpy = pytest.importorskip("numpy")',
  'pytest.skip("later")',
  '@pytest.mark.xfail',
])('a test that is left out by %s is told', (line) => {
  expect(found('a.py', '', '', [line])).toEqual(['test-left-out']);
});
