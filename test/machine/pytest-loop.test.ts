/** Loops on repositories whose tests are pytest's: BUILD and VERIFY, each as the job that runs. */
import { describe, expect, it, test } from 'vitest';
import { APPROVED, briefFor, checkout, GREEN, numbersOf, runBuild, write } from '../jobs/build-fixture.ts';
import { type Claim, evidenceFor, PYTHON_HEAD } from '../jobs/evidence-world.ts';
import { commandsOf } from '../jobs/plain-brief.ts';

const FILE = 'tests/test_greet.py';
const PRODUCT = 'def greet(name):\n    return "Hello " + name\n';
const OLD = 'from greet import greet\n\n\ndef test_hello():\n    assert greet("A") == "Hello A"\n\n';
const KEPT = '\ndef test_name():\n    assert greet("A").endswith(" A")\n';

test('a build freezes a function and a parametrized test, takes out what they contradict, and is green', async () => {
  const design = {
    files: [
      {
        path: 'tests/test_polite.py',
        content: `import pytest
from greet import greet


def test_polite():
    assert greet("A") == "Good day A"


@pytest.mark.parametrize("name", ["A", "Bea"])
def test_ends_with_the_name(name):
    assert greet(name).endswith(name)
`,
      },
    ],
    tests: [
      { requirement: 'R-1', kind: 'change', file: 'tests/test_polite.py', name: 'test_polite' },
      { requirement: 'R-2', kind: 'keep', file: 'tests/test_polite.py', name: 'test_ends_with_the_name[Bea]' },
    ],
  };
  const place = await checkout({ 'greet.py': PRODUCT, 'conftest.py': '', [FILE]: `${OLD}${KEPT}` });
  try {
    const brief = briefFor(place, {
      commands: commandsOf({ test: 'python3 -m pytest -q', runner: 'pytest' }),
      requirements: [
        { id: 'R-1', kind: 'change', statement: 'greet("A") is "Good day A".' },
        { id: 'R-2', kind: 'keep', statement: 'The name comes last.' },
      ],
      tasks: briefFor(place).tasks.map((task) => ({ ...task, files: ['greet.py'] })),
      supersededTests: [{ file: FILE, name: 'test_hello', requirement: 'R-1', why: 'R-1 asks for "Good day".' }],
    });
    const { report } = await runBuild(place, brief, {
      answers: { 'acceptance-tests': [design], ...APPROVED },
      turns: [[write('greet.py', PRODUCT.replace('Hello', 'Good day'))]],
    });
    expect(report.failure).toBeNull();
    expect(report.defects).toEqual([]);
    expect(numbersOf(report)).toEqual(GREEN);
    const content = report.changes.find(({ path }) => path === FILE)?.content ?? '';
    expect(Buffer.from(content, 'base64').toString()).toBe(`from greet import greet\n\n${KEPT}`);
  } finally {
    await place.remove();
  }
});

describe('evidence', () => {
  const claim = (change: Partial<Claim> & Pick<Claim, 'test' | 'name'>): Claim => ({ kind: 'change', ...change });
  const DISCOUNTS = `import price


def test_discounts():
    discounted = getattr(price, "discounted", None)
    assert discounted is not None
    assert discounted(100) == 90
    assert discounted(99) == 99
`;

  it('of a change is a function whose assertion misses it, and which notices faults in it', async () => {
    const { rows, strengths } = await evidenceFor({ change: PYTHON_HEAD, runner: 'pytest' }, [
      claim({ name: 'test_discounts', test: DISCOUNTS }),
      claim({ name: 'test_none', test: 'import price\n\n\ndef test_none():\n    assert price.discounted\n' }),
      claim({
        kind: 'keep',
        name: 'test_total[values1-3]',
        test: `import pytest
import price


@pytest.mark.parametrize("values,wanted", [([], 0), ([1, 2], 3)])
def test_total(values, wanted):
    assert price.total(values) == wanted
`,
      }),
    ]);
    expect(rows.map(({ base, head, reverted, mutated, proven }) => [base, head, reverted, mutated, proven])).toEqual([
      ['fail', 'pass', 'fail', 'fail', true],
      ['load-error', 'pass', 'load-error', 'not-run', false],
      ['pass', 'pass', 'not-run', 'fail', true],
    ]);
    expect(strengths).toMatchObject([{ requirement: 'R-1', weak: false, survivors: [] }]);
  });

  it('is there for a five-line fix of what is None, in, and not', async () => {
    const before =
      'def first(items, wanted=None):\n    for item in items:\n        if item == wanted:\n            return item\n';
    const after = `def first(items, wanted=None):
    if wanted is None:
        return items[0] if items else None
    if wanted not in items:
        raise LookupError(wanted)
    return wanted
`;
    const test = `import pytest
from price import first


def test_first():
    assert first([3, 4]) == 3
    assert first([]) is None
    assert first([3, 4], 4) == 4
    try:
        first([3], 5)
    except LookupError:
        return
    pytest.fail("nothing was raised")
`;
    const { rows, strengths } = await evidenceFor(
      { base: { 'price.py': before }, change: { 'price.py': after }, runner: 'pytest' },
      [claim({ name: 'test_first', test })],
    );
    expect(rows).toMatchObject([{ base: 'fail', head: 'pass', reverted: 'fail', mutated: 'fail', proven: true }]);
    expect(strengths).toMatchObject([{ weak: false, unmeasured: 0 }]);
    expect(strengths[0]?.made).toBeGreaterThanOrEqual(8);
  });
});
