import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasAssertion } from '../../src/jobs/verify/assertions.ts';
import { changeVerdict, keepVerdict, metricVerdict, type Outcomes } from '../../src/jobs/verify/evidence-verdict.ts';
import { mutantsOf } from '../../src/jobs/verify/mutation.ts';
import { type MutationRequest, mutationTurnsRed } from '../../src/jobs/verify/mutation-run.ts';
import type { Outcome } from '../../src/loop/brief.ts';
import { inTurns } from '../../src/syntax/faults.ts';

const afters = (path: string, text: string) => mutantsOf(path, text).map(({ after }) => after.trim());

describe('mutants', () => {
  it.each([
    ['a.js', 'return total;', 'return undefined;'],
    ['a.py', 'return total', 'return None'],
    ['a.js', 'if (a === b) go();', 'if (a !== b) go();'],
    ['a.ts', 'if (a <= b) go();', 'if (a > b) go();'],
    ['a.js', 'const ok = a && b;', 'const ok = a || b;'],
    ['a.py', 'ok = a and b', 'ok = a or b'],
    ['a.py', 'ok = True', 'ok = False'],
    ['a.js', 'const sum = a + b;', 'const sum = a - b;'],
    ['a.js', 'const limit = 10;', 'const limit = 11;'],
    ['a.js', "const name = 'Ada';", "const name = 'mutated';"],
    ['a.js', 'list.push(x);', ';'],
  ])('of %s, %s include %s', (path, before, after) => {
    expect(afters(path, before)).toContain(after);
  });

  it.each(["import a from './a.js';", '// return total;', '# return 1', 'from a import b'])(
    'leave %s alone',
    (line) => {
      expect([...afters('a.js', line), ...afters('a.py', line)]).toEqual([]);
    },
  );

  it('each change exactly one line and are always the same', () => {
    const line = fc.constantFrom(
      'return a + 1;',
      'if (a < b) x(1);',
      "const s = 'x';",
      '}',
      '',
      '// note',
      'go(true);',
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        const text = lines.join('\n');
        const mutants = mutantsOf('a.js', text);
        expect(mutants).toEqual(mutantsOf('a.js', text));
        for (const mutant of mutants) {
          const changed = mutant.text.split('\n').flatMap((now, index) => (now === lines[index] ? [] : [index + 1]));
          expect(changed).toEqual([mutant.line]);
        }
      }),
    );
  });

  it('can be limited to lines', () => {
    expect(mutantsOf('a.js', 'return a;\nreturn b;', new Set([2])).map(({ line }) => line)).toEqual([2]);
  });
});

it('takes lists in turns and leaves nothing out', () => {
  expect(inTurns([[1, 2, 3], [4], [5, 6]])).toEqual([1, 4, 5, 2, 6, 3]);
});

describe('a run of mutations', () => {
  const withTree = async (run: (tree: string) => Promise<void>) => {
    const tree = await mkdtemp(join(tmpdir(), 'mutation-'));
    try {
      await mkdir(join(tree, 'src'));
      await writeFile(join(tree, 'src/a.js'), 'return 1;\n'.repeat(60));
      await run(tree);
    } finally {
      await rm(tree, { recursive: true, force: true });
    }
  };
  const request = (tree: string) => ({
    tree,
    groups: [new Map([['src/a.js', undefined]])],
    product: new Set(['src/a.js']),
    now: Date.now,
    loads: async () => true,
  });

  it.each<[Outcome, number, Outcome]>([
    ['pass', 40, 'pass'],
    ['load-error', 40, 'pass'],
    ['not-run', 40, 'pass'],
    ['fail', 1, 'fail'],
  ])('whose test is always %s tries %i and ends with %s', async (outcome, runs, expected) => {
    await withTree(async (tree) => {
      let tried = 0;
      const found = await mutationTurnsRed({
        ...request(tree),
        outcome: async () => {
          tried += 1;
          expect(await readFile(join(tree, 'src/a.js'), 'utf8')).not.toBe('return 1;\n'.repeat(60));
          return outcome;
        },
      });
      expect([found.outcome, tried]).toEqual([expected, runs]);
      expect(await readFile(join(tree, 'src/a.js'), 'utf8')).toBe('return 1;\n'.repeat(60));
    });
  });

  it('ends after a minute, and is not-run without product code', async () => {
    await withTree(async (tree) => {
      let time = 0;
      const clock = () => (time += 25_000);
      expect((await mutationTurnsRed({ ...request(tree), now: clock, outcome: async () => 'pass' })).detail).toMatch(
        /^2 of 40/,
      );
      expect(
        (await mutationTurnsRed({ ...request(tree), product: new Set(), outcome: async () => 'fail' })).outcome,
      ).toBe('not-run');
    });
  });
});

describe('where faults are made', () => {
  const tried = async (groups: MutationRequest['groups'], isFirstNeeded: boolean) => {
    const tree = await mkdtemp(join(tmpdir(), 'mutation-'));
    const files = { 'a.js': 'return 1;\nreturn 2;\n', 'b.js': 'return 3;\n', 'c.html': '<p>return 4;</p>\n' };
    const seen: string[] = [];
    try {
      for (const [path, text] of Object.entries(files)) await writeFile(join(tree, path), text);
      const outcome = async (): Promise<Outcome> => {
        const now = await Promise.all(Object.keys(files).map((path) => readFile(join(tree, path), 'utf8')));
        seen.push(
          now
            .join('')
            .match(/return (?:[1-4]|undefined);/g)
            ?.join(' ') ?? '',
        );
        return 'pass';
      };
      const product = new Set(Object.keys(files));
      const { outcome: found } = await mutationTurnsRed({
        ...{ tree, groups, isFirstNeeded, product, outcome },
        ...{ now: Date.now, loads: async () => true },
      });
      return { found, first: seen[0], runs: seen.length };
    } finally {
      await rm(tree, { recursive: true, force: true });
    }
  };

  it('is in the lines of a group only, and in one group before the other', async () => {
    const groups = [new Map([['a.js', new Set([2])]]), new Map([['b.js', undefined]])];
    expect(await tried(groups, true)).toEqual({
      found: 'pass',
      first: 'return 1; return 3; return 3; return 4;',
      runs: 4,
    });
  });

  it('changes an answer before it leaves it out, because a test waits for what never comes', () => {
    const [first, ...rest] = mutantsOf('a.js', "return 'text';").map(({ operator }) => operator);
    expect([first, rest.at(-1)]).toEqual(['string changed', 'return value removed']);
  });

  it('is nowhere when the first group is needed and offers nothing', async () => {
    const groups = [new Map([['c.html', undefined]]), new Map([['b.js', undefined]])];
    expect((await tried(groups, true)).found).toBe('not-run');
    expect((await tried(groups, false)).found).toBe('pass');
  });

  it('is all over a long file before the limit is reached', () => {
    const text = Array.from({ length: 200 }, (_, index) => `list.push(x${index});`).join('\n');
    const lines = mutantsOf('a.js', text)
      .slice(0, 40)
      .map(({ line }) => line)
      .toSorted((one, other) => one - other);
    const gaps = [...lines, 201].map((line, index) => line - (lines[index - 1] ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(14);
  });

  it('leaves brackets, templates and imports over several lines as they are', () => {
    const open = ['return items.map((item) => { return item;', 'return `<p>', "} from './other.js';"];
    expect(open.flatMap((line) => mutantsOf('a.js', line).filter(({ operator }) => !/arrow/.test(operator)))).toEqual(
      [],
    );
    expect(mutantsOf('a.py', 'return [')).toEqual([]);
  });
});

describe('a fault that keeps the file from loading', () => {
  it.each([
    ['does not count', true, 'pass'],
    ['counts where the file never loads by itself', false, 'fail'],
  ])('%s', async (_name, loadsWhole, expected) => {
    const tree = await mkdtemp(join(tmpdir(), 'mutation-'));
    try {
      await writeFile(join(tree, 'a.js'), 'return 1;\n');
      const loads = async () => loadsWhole && (await readFile(join(tree, 'a.js'), 'utf8')) === 'return 1;\n';
      const found = await mutationTurnsRed({
        ...{ tree, loads, now: Date.now, outcome: async () => 'fail' as const },
        ...{ groups: [new Map([['a.js', undefined]])], product: new Set(['a.js']) },
      });
      expect(found.outcome).toBe(expected);
    } finally {
      await rm(tree, { recursive: true, force: true });
    }
  });
});

describe('the rules of proof', () => {
  const OUTCOMES: readonly Outcome[] = ['pass', 'fail', 'load-error', 'not-run'];
  /** All 512 combinations. */
  const every = OUTCOMES.flatMap((base) =>
    OUTCOMES.flatMap((head) =>
      OUTCOMES.flatMap((reverted) =>
        OUTCOMES.flatMap((mutated) => [true, false].map((asserts) => ({ base, head, reverted, mutated, asserts }))),
      ),
    ),
  );
  const PROVEN: Outcomes = { base: 'fail', head: 'pass', reverted: 'fail', mutated: 'fail', asserts: true };
  const KEPT: Outcomes = { ...PROVEN, base: 'pass', reverted: 'not-run' };
  const LOAD_ERROR = 'on the base it breaks before it can assert (load-error), which any test does';
  const UNSEEN =
    'no mutation of the change turns its test red, so it does not look at what the change does: assert on results';

  it('prove a change in exactly four combinations of outcomes', () => {
    for (const all of every) {
      const isRed = all.reverted === 'fail' || all.reverted === 'load-error';
      const isLookedAt = all.mutated === 'fail' || all.mutated === 'not-run';
      const isRight = all.asserts && all.base === 'fail' && all.head === 'pass' && isRed;
      expect([all, changeVerdict(all).proven]).toEqual([all, isRight && isLookedAt]);
      expect(changeVerdict(all).reason).not.toBe('');
    }
    expect(every.filter((all) => changeVerdict(all).proven)).toHaveLength(4);
  });

  it('prove behaviour that stays in exactly one', () => {
    for (const all of every) {
      const isGreen = all.base === 'pass' && all.head === 'pass';
      expect([all, keepVerdict(all).proven]).toEqual([all, all.asserts && isGreen && all.mutated === 'fail']);
      expect(keepVerdict(all).reason).not.toBe('');
    }
  });

  it.each<[Partial<Outcomes>, string]>([
    [{}, 'fails on the base by assertion, passes on the head, red with the change taken back'],
    [{ asserts: false, base: 'pass' }, 'the test asserts nothing'],
    [{ base: 'pass' }, 'it passes on the base already, so it does not show the change'],
    [{ base: 'load-error', head: 'fail' }, LOAD_ERROR],
    [{ base: 'not-run' }, 'on the base it did not run'],
    [{ head: 'fail', reverted: 'pass' }, 'on the head it is fail, not pass'],
    [{ head: 'load-error' }, 'on the head it is load-error, not pass'],
    [{ head: 'not-run' }, 'on the head it is not-run, not pass'],
    [{ reverted: 'pass', mutated: 'pass' }, 'it still passes when the change is taken back'],
    [{ reverted: 'not-run' }, 'it did not run with the change taken back'],
    [{ mutated: 'pass' }, UNSEEN],
    [{ mutated: 'load-error' }, UNSEEN],
  ])('say of a change with %j: %s', (changes, reason) => {
    expect(changeVerdict({ ...PROVEN, ...changes }).reason).toBe(reason);
  });

  it.each<[Partial<Outcomes>, string]>([
    [{}, 'passes on the base and on the head, and notices a mutation of the product'],
    [{ asserts: false, base: 'fail' }, 'the test asserts nothing'],
    [{ base: 'fail', head: 'fail' }, 'on the base it is fail, so there is nothing to keep'],
    [{ base: 'not-run' }, 'on the base it is not-run, so there is nothing to keep'],
    [{ head: 'fail', mutated: 'pass' }, 'on the head it is fail, not pass'],
    [{ mutated: 'pass' }, 'no mutation of the product turned it red, so it guards nothing'],
    [{ mutated: 'not-run' }, 'no mutation of the product turned it red, so it guards nothing'],
  ])('say of behaviour that stays with %j: %s', (changes, reason) => {
    expect(keepVerdict({ ...KEPT, ...changes }).reason).toBe(reason);
  });

  it('prove a number only when it was measured and is within its limit', () => {
    const metric = { name: 'p95_ms', operator: '<=' as const, value: 100, unit: 'ms' };
    expect([99, 100, 101, undefined, Number.NaN].map((value) => metricVerdict(metric, value).proven)).toEqual([
      ...[true, true, false, false, false],
    ]);
    expect(metricVerdict(undefined, 1).proven).toBe(false);
  });
});

describe('a test asserts something', () => {
  const file = `import test from 'node:test';
function check(value) { assert.ok(value); }
function prepare(value) { return value; }
test('asserts', () => { assert.equal(1, 1); });
test('calls a helper', () => { check(1); });
test('only runs', () => { prepare(1); });
test('expects', () => { expect(1).toBe(1); });
`;
  it.each([
    ['asserts', true],
    ['outer > calls a helper', true],
    ['only runs', false],
    ['expects', true],
  ])('%s: %s', (name, expected) => {
    expect(hasAssertion(file, name)).toBe(expected);
  });

  it('also in Python', () => {
    const python =
      'class A(TestCase):\n    def test_one(self):\n        self.assertEqual(1, 1)\n    def test_two(self):\n        run()\n';
    expect([hasAssertion(python, 'A.test_one'), hasAssertion(python, 'A.test_two')]).toEqual([true, false]);
  });
});
