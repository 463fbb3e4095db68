/** Requirements with a change and their tests, proved on one repository. */
import { addedLinesOf } from '../../src/guard/added-lines.ts';
import { type Evidence, proveRequirements } from '../../src/jobs/verify/evidence.ts';
import { runFrozen } from '../../src/jobs/verify/frozen-run.ts';
import { regressionReading } from '../../src/jobs/verify/regressions.ts';
import type { Bench } from '../../src/jobs/workspace/environment.ts';
import { layTrees } from '../../src/jobs/workspace/trees.ts';
import { type Brief, type EvidenceRow, evidenceRow, type FrozenTests } from '../../src/loop/brief.ts';
import { commandsOf } from './plain-brief.ts';
import { benchOf, type Change, type Files, frozen, scene, taskFor } from './verify-fixture.ts';

/** A repository and the change of it that is judged. */
export interface Ground {
  readonly base?: Files;
  readonly change: Change;
  readonly runner?: Brief['commands']['runner'];
  readonly junit?: Brief['commands']['junit'];
  readonly build?: string;
  readonly install?: string;
  /** A folder that may be read beside the repository. */
  readonly readable?: string;
}

/** One requirement and its test. */
export interface Claim {
  readonly test: string;
  readonly name: string;
  readonly kind: 'change' | 'keep';
  readonly taskFiles?: readonly string[];
  /** Of the claim before, instead of one of its own. */
  readonly sharesRequirement?: true;
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

const SCRIPT_WORLD = { base: NODE_BASE, product: 'src/price.js', fileOf: (id: string) => `test/${id}.test.js` };
const RUNNERS = {
  'node-test': SCRIPT_WORLD,
  unittest: { base: PYTHON_BASE, product: 'price.py', fileOf: (id: string) => `tests/test_${id}.py` },
  vitest: SCRIPT_WORLD,
  jest: SCRIPT_WORLD,
  junit: SCRIPT_WORLD,
  pytest: { base: PYTHON_BASE, product: 'price.py', fileOf: (id: string) => `tests/test_${id}.py` },
} as const;

/**
 * The row of evidence that comes of each claim, on real trees. All claims share the trees, and each has a requirement, a task and a test file of
 * its own: what one shows does not depend on the others, because every file runs in a process of its own.
 */
export async function rowsFor(ground: Ground, claims: readonly Claim[]): Promise<readonly EvidenceRow[]> {
  return (await evidenceFor(ground, claims)).rows;
}

/** The rows, how much the tests of each change notice, and what was tried for it. */
export async function evidenceFor(ground: Ground, claims: readonly Claim[]): Promise<Evidence> {
  const { runner = 'node-test', junit, build = null, install = null, readable } = ground;
  const { base, product, fileOf } = RUNNERS[runner];
  const all = claims.map((claim, index) => ({
    ...claim,
    id: `R-${index + (claim.sharesRequirement ? 0 : 1)}`,
    file: fileOf(`r${index + 1}`),
  }));
  const place = await scene(
    ground.base ?? base,
    ground.change,
    {
      requirements: all
        .filter(({ sharesRequirement }) => !sharesRequirement)
        .map(({ id, kind }) => ({ id, kind, statement: 'It works.' })),
      tasks: all.map(({ id, taskFiles = [product] }) => taskFor([id], taskFiles)),
      commands: commandsOf({ build, install, test: 'true', runner, junit }),
    },
    readable,
  );
  try {
    const tests = frozen(
      Object.fromEntries(all.map(({ file, test }) => [file, test])),
      all.map(({ id, kind, file, name }) => ({ requirement: id, kind, file, name })),
    );
    const { rows, strengths, raw } = await prove(await benchOf(place), tests);
    if (rows.length !== all.length) throw new Error(`${all.length} rows were expected, not ${rows.length}`);
    return {
      rows: all.map(({ id, name }) =>
        evidenceRow.parse(rows.find(({ requirement, test }) => requirement === id && test.endsWith(name))),
      ),
      strengths,
      raw,
    };
  } finally {
    await place.remove();
  }
}

/** The row of one claim alone. */
export async function rowFor({ test, name, kind, taskFiles, ...ground }: Ground & Claim): Promise<EvidenceRow> {
  const [row] = await rowsFor(ground, [{ test, name, kind, ...(taskFiles === undefined ? {} : { taskFiles }) }]);
  return evidenceRow.parse(row);
}

async function prove(bench: Bench, tests: FrozenTests): Promise<Evidence> {
  const { base, candidate } = bench.brief;
  const diff = await bench.repository.git(['diff', '--no-color', '--no-renames', base, candidate]);
  const added = Map.groupBy(addedLinesOf(diff.toString('utf8')), ({ file }) => file);
  const changedLines = new Map([...added].map(([path, lines]) => [path, new Set(lines.map(({ line }) => line))]));
  const trees = await layTrees(bench, tests);
  return proveRequirements({
    bench,
    trees,
    tests,
    runs: {
      base: await runFrozen(bench, trees.base, tests),
      head: await runFrozen(bench, trees.head, tests),
    },
    values: new Map(),
    changedLines,
    kept: (await regressionReading(bench, trees)).kept,
  });
}
