/** One requirement with its change and its test, proved on a repository of its own. */
import { addedLinesOf } from '../../src/guard/added-lines.ts';
import { layTrees } from '../../src/jobs/sandbox/trees.ts';
import { proveRequirements } from '../../src/jobs/verify/evidence.ts';
import { type EvidenceRow, evidenceRow } from '../../src/loop/brief.ts';
import { benchOf, type Change, type Files, frozen, scene, taskFor } from './verify-fixture.ts';

/** One requirement, the change that is to prove it, and its test. */
export interface Case {
  readonly base?: Files;
  readonly change: Change;
  readonly test: string;
  readonly name: string;
  readonly kind: 'change' | 'keep';
  readonly runner?: 'node-test' | 'unittest';
  readonly taskFiles?: readonly string[];
  readonly build?: string;
}

export const NODE_BASE = {
  'package.json': '{ "type": "module" }',
  'src/price.js': 'export function total(prices) {\n  return prices.reduce((sum, price) => sum + price, 0);\n}\n',
};
export const NODE_HEAD = {
  'src/price.js': `${NODE_BASE['src/price.js']}export function discounted(price) {\n  return price >= 100 ? price - 10 : price;\n}\n`,
};
const PYTHON_BASE = { 'price.py': 'def total(prices):\n    return sum(prices)\n' };
export const PYTHON_HEAD = {
  'price.py': `${PYTHON_BASE['price.py']}\ndef discounted(price):\n    return price - 10 if price >= 100 else price\n`,
};
export const NODE_TEST = `import test from 'node:test';\nimport assert from 'node:assert/strict';\n`;

/** The one row of evidence that comes of it, on real trees. */
export async function rowFor(given: Case): Promise<EvidenceRow> {
  const { runner = 'node-test', kind, name, build = null } = given;
  const python = runner === 'unittest';
  const file = python ? 'tests/test_new.py' : 'test/new.test.js';
  const product = python ? 'price.py' : 'src/price.js';
  const place = await scene(given.base ?? (python ? PYTHON_BASE : NODE_BASE), given.change, {
    requirements: [{ id: 'R-1', kind, statement: 'It works.' }],
    tasks: [taskFor(['R-1'], given.taskFiles ?? [product])],
    commands: { install: null, build, test: 'true', start: null, health: null, runner },
  });
  try {
    const tests = frozen({ [file]: given.test }, [{ requirement: 'R-1', kind, file, name }]);
    const bench = await benchOf(place);
    const trees = await layTrees(bench, tests);
    const { base, candidate } = bench.brief;
    const diff = await bench.repository.git(['diff', '--no-color', '--no-renames', base, candidate]);
    const added = Map.groupBy(addedLinesOf(diff.toString('utf8')), ({ file }) => file);
    const { rows } = await proveRequirements({
      bench,
      trees,
      tests,
      headRun: undefined,
      values: new Map(),
      changedLines: new Map([...added].map(([path, lines]) => [path, new Set(lines.map(({ line }) => line))])),
    });
    if (rows.length !== 1) throw new Error(`one row was expected, not ${rows.length}`);
    return evidenceRow.parse(rows[0]);
  } finally {
    await place.remove();
  }
}
