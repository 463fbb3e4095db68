import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { budgetOf } from '../../src/documents/budget.ts';
import type { AcceptanceRow, Plan, Surface, Task } from '../../src/documents/documents.ts';
import type { Step } from '../../src/documents/step.ts';
import { step as stepSchema } from '../../src/documents/step.ts';
import { checkPlan } from '../../src/drafting/plan-checks.ts';
import { tasksInCycles } from '../../src/drafting/task-order.ts';
import { uncertaintyOf } from '../../src/drafting/uncertainty.ts';
import { CHANGE_LIMITS, pathRefusal, plannedPolicy } from '../../src/guard/patch-policy.ts';
import { analysis, plan, specification } from './authored.ts';

const { requirements } = specification;
const repository = {
  protectedPaths: ['deploy/**'],
  runner: 'node-test',
  files: ['src/server.js', 'test/server.test.js', 'package.json'],
  testTexts: new Map([['test/server.test.js', "test('lists by name', () => {});\ntest('answers', () => {});\n"]]),
} as const;
const SUPERSEDED = {
  file: 'test/server.test.js',
  name: 'lists by name',
  requirement: 'R-1',
  why: 'It asserts the order by name; R-1 asks for the order by date.',
};
const get: Step = {
  type: 'http',
  method: 'GET',
  path: '/',
  headers: [],
  body: null,
  expected: { status: 200, contains: [], json: [] },
};

function problems(spoiled: Plan, surface: Surface = 'http'): readonly string[] {
  return checkPlan({ plan: spoiled, requirements, surface, repository }).defects.map(({ message }) => message);
}

function withTask(change: Partial<Task>): Plan {
  return { ...plan, tasks: plan.tasks.map((task, index) => (index === 0 ? { ...task, ...change } : task)) };
}

function withRow(change: Partial<AcceptanceRow>): Plan {
  return { ...plan, acceptance: plan.acceptance.map((row, index) => (index === 0 ? { ...row, ...change } : row)) };
}

describe('checkPlan', () => {
  it('finds nothing wrong with a sound plan', () => {
    expect(checkPlan({ plan, requirements, surface: 'http', repository })).toEqual({ uncovered: [], defects: [] });
  });

  it.each([
    [withTask({ dependsOn: ['T-2'] }), 'T-1 waits for itself through T-2.'],
    [withTask({ dependsOn: ['T-9'] }), 'T-1 depends on T-9, which does not exist.'],
    [withTask({ requirements: ['R-1', 'R-2', 'R-9'] }), 'T-1 names R-9, which spec.md does not have.'],
    [withTask({ id: 'T-2' }), 'The id T-2 is used 2 times.'],
    [withRow({ kind: 'keep' }), 'A-1 is of kind keep, but R-1 is of kind change.'],
    [withRow({ requirement: 'R-7' }), 'A-1 names R-7, which spec.md does not have.'],
    [withRow({ steps: [] }), 'A-1 needs at least one step of type http or page, because the surface is http.'],
    [
      withRow({ steps: [call('{}', '1')] }),
      'A-1 needs at least one step of type http or page, because the surface is http.',
    ],
    [withRow({ steps: [get, call('{}', '1')] }), 'A-1: arguments {} are not a JSON array.'],
    [withRow({ steps: [get, call('[1', '1')] }), 'A-1: arguments [1 are not a JSON array.'],
    [withRow({ steps: [get, call('[1]', 'open')] }), 'A-1: expected value open is not JSON.'],
  ])('a plan that breaks a rule covers less (%#)', (spoiled, problem) => {
    expect(problems(spoiled)).toContain(problem);
    expect(checkPlan({ plan: spoiled, requirements, surface: 'http', repository }).uncovered).not.toEqual([]);
  });

  it.each([
    ['deploy/app.yml', '`deploy/app.yml` must not change: it is protected by the policy (`deploy/**`).'],
    ['.gitignore', '`.gitignore` must not change: files of git and GitHub (`.git*`) are changed by people only.'],
    ['.github/workflows/x.yml', 'files of git and GitHub (`.git*`) are changed by people only'],
    ['.GIT/config', 'files of git and GitHub (`.git*`) are changed by people only'],
    ['docs/CODEOWNERS', 'CODEOWNERS is changed by people only'],
    ['.loopwright/1/x', '`.loopwright/` is written by the App only'],
    ['/etc/passwd', 'its path is absolute'],
    ['../x', 'segment'],
    ['a//b', 'segment'],
    ['a\\b', 'its path has a backslash'],
    ['src/SERVER.js', 'it is the same file as `src/server.js`'],
    ['src/server.js/x.js', '`src/server.js` is written as a file, not a folder'],
    ['test/server.test.js', 'is an existing test; a change is judged by tests that it did not touch'],
    ['.npmrc', 'decides how tests are run'],
  ])('refuses a plan that names %s, which BUILD or VERIFY would refuse, in the words of their rule', (path, words) => {
    const spoiled = withTask({ files: ['src/server.js', path] });
    expect(problems(spoiled)).toContainEqual(expect.stringContaining(words));
    expect(checkPlan({ plan: spoiled, requirements, surface: 'http', repository }).uncovered).toContain('R-1');
  });

  it('lets a plan name an existing test that a change contradicts', () => {
    expect(problems({ ...plan, supersededTests: [SUPERSEDED] })).toEqual([]);
  });

  it.each([
    [
      [{ ...SUPERSEDED, requirement: 'R-2' }],
      'The superseded test test/server.test.js::lists by name names R-2, which is no change requirement of spec.md.',
    ],
    [[{ ...SUPERSEDED, requirement: 'R-9' }], 'which is no change requirement of spec.md.'],
    [
      [{ ...SUPERSEDED, name: 'lists by date' }],
      '`test/server.test.js` has no test "lists by date" that could be taken out by itself; those that could are: lists by name, answers.',
    ],
    [[{ ...SUPERSEDED, file: 'test/other.test.js' }], '`test/other.test.js` is no existing test of the repository.'],
    [[{ ...SUPERSEDED, file: 'src/server.js' }], '`src/server.js` is no existing test of the repository.'],
    [[SUPERSEDED, SUPERSEDED], 'The superseded test test/server.test.js::lists by name is listed 2 times.'],
  ])(
    'refuses a plan that supersedes what is not there, or what no change contradicts (%#)',
    (supersededTests, words) => {
      const spoiled = { ...plan, supersededTests };
      expect(problems(spoiled)).toContainEqual(expect.stringContaining(words));
      expect(checkPlan({ plan: spoiled, requirements, surface: 'http', repository }).uncovered).not.toEqual([]);
    },
  );

  it('lets a plan name a lock file, a new test and a manifest: BUILD takes them', () => {
    const files = ['package-lock.json', 'test/new.test.js', 'package.json', 'src/server.js'];
    expect(problems(withTask({ files }))).toEqual([]);
  });

  it('lets no path into a plan that the patch policy refuses, whatever it is', () => {
    const pieces = fc.constantFrom(
      'src',
      '.git',
      '.GitHub',
      'deploy',
      '..',
      '',
      'CODEOWNERS',
      'a.js',
      'yarn.lock',
      'x ',
    );
    fc.assert(
      fc.property(fc.array(pieces, { minLength: 1, maxLength: 3 }), (parts) => {
        const path = parts.join('/');
        const refusal = pathRefusal(path, plannedPolicy({ ...CHANGE_LIMITS, protectedPaths: ['deploy/**'] }));
        if (refusal !== undefined)
          expect(problems(withTask({ files: [path] }))).toContainEqual(expect.stringContaining(refusal));
      }),
    );
  });

  it('refuses more files than one change may have', () => {
    const files = Array.from({ length: 61 }, (_, index) => `src/${index}.js`);
    expect(problems(withTask({ files }))).toContainEqual(expect.stringContaining('at most 60 are accepted'));
  });

  it('does not excuse a broken row or task by a sound one for the same requirement', () => {
    const [row] = plan.acceptance;
    const [task] = plan.tasks;
    if (row === undefined || task === undefined) throw new Error('there is a row and a task');
    const rows = { ...plan, acceptance: [...plan.acceptance, { ...row, id: 'A-9', steps: [] }] };
    const tasks = { ...plan, tasks: [...plan.tasks, { ...task, id: 'T-9', dependsOn: ['T-9'] }] };
    expect(checkPlan({ plan: rows, requirements, surface: 'http', repository }).uncovered).toEqual(['R-1']);
    expect(checkPlan({ plan: tasks, requirements, surface: 'http', repository }).uncovered).toEqual(['R-1', 'R-2']);
  });

  it('blocks on a task that serves only requirements that do not exist', () => {
    const spare = {
      id: 'T-3',
      title: 'More',
      requirements: ['R-8'],
      files: ['src/more.js'],
      dependsOn: [],
      detail: 'Something more.',
    };
    expect(
      checkPlan({ plan: { ...plan, tasks: [...plan.tasks, spare] }, requirements, surface: 'http', repository })
        .uncovered,
    ).toEqual(['R-8']);
  });

  it('names the requirements that nobody works on or proves', () => {
    const spoiled = { ...plan, acceptance: plan.acceptance.slice(1), tasks: plan.tasks.slice(0, 1) };
    expect(problems(spoiled)).toEqual(['R-3 has no task.', 'R-1 has no acceptance row.']);
  });

  it.each([
    ['library', call('[]', '1')],
    ['cli', { type: 'cli', arguments: ['tally'], stdin: null, expected: { exitCode: 0, contains: [] } }],
    ['web', { type: 'page', path: '/', expected: { selector: 'h1', contains: 'Shop' } }],
  ] as const)('knows which steps reach a %s', (surface, step) => {
    const rows = plan.acceptance.map((row) => ({
      ...row,
      steps: row.kind === 'metric' ? [] : [stepSchema.parse(step)],
    }));
    expect(problems({ ...plan, acceptance: rows }, surface)).toEqual([]);
  });
});

it('refuses an acceptance pattern that is no regular expression, and takes rows of before there were patterns', () => {
  const step = (expected: object) => ({ type: 'cli', arguments: ['tally'], stdin: null, expected });
  expect(stepSchema.parse(step({ exitCode: 0, contains: [] }))).toMatchObject({
    expected: { equals: null, matches: [], stderr: [] },
  });
  const refused = stepSchema.safeParse(step({ exitCode: 0, contains: [], matches: ['(open'] }));
  expect(refused.error?.issues[0]).toMatchObject({
    path: ['expected', 'matches', 0],
    message: 'must be a JavaScript regular expression',
  });
});

describe('tasksInCycles', () => {
  it('is empty for every graph whose dependencies point backwards', () => {
    const graph = fc.array(fc.array(fc.nat(20))).map((edges) =>
      edges.map((targets, index) => ({
        id: `T-${index + 1}`,
        dependsOn: targets.filter((target) => target < index).map((target) => `T-${target + 1}`),
      })),
    );
    fc.assert(fc.property(graph, (tasks) => tasksInCycles(tasks).size === 0));
  });

  it('names the tasks of the cycle only, not those that wait for it', () => {
    const tasks = [
      { id: 'T-1', dependsOn: ['T-2'] },
      { id: 'T-2', dependsOn: ['T-1'] },
      { id: 'T-3', dependsOn: ['T-1'] },
      { id: 'T-4', dependsOn: ['T-4'] },
    ];
    expect([...tasksInCycles(tasks)]).toEqual(['T-1', 'T-2', 'T-4']);
  });
});

describe('uncertaintyOf', () => {
  const known = ['src/a.js', 'README.md'];
  const input = { plan, requirements, doubts: analysis.doubts, files: known };

  it('is zero when folders are known, requirements have rows and doubts are settled', () => {
    expect(uncertaintyOf(input).value).toBe(0);
  });

  it('counts planned files in folders that the scan does not know', () => {
    expect(uncertaintyOf({ ...input, plan: withTask({ files: ['lib/new.js', 'top.js'] }) }).value).toBe(1 / 3);
  });

  it('counts requirements without a row, and open doubts, and takes the largest share', () => {
    expect(uncertaintyOf({ ...input, plan: { ...plan, acceptance: plan.acceptance.slice(0, 1) } }).value).toBe(2 / 3);
    const open = analysis.doubts.map((doubt) => ({ ...doubt, resolution: null }));
    expect(uncertaintyOf({ ...input, doubts: open })).toMatchObject({
      value: 1,
      defects: [{ rule: 'plan/open-doubt' }],
    });
  });

  it('is one for an empty plan', () => {
    expect(uncertaintyOf({ ...input, plan: { ...plan, tasks: [] } }).value).toBe(1);
  });
});

describe('budgetOf', () => {
  const limits = { iterations: 3, usd: 3, checksQuietSeconds: 120, runMinutes: 60 };

  it('grows with tasks and iterations, and keeps p50 below p90', () => {
    const small = budgetOf({ limits, price: { prompt: 1, completion: 4 } }, { tasks: plan.tasks.slice(0, 1) });
    const large = budgetOf({ limits, price: { prompt: 1, completion: 4 } }, plan);
    expect(large.p50.calls).toBeGreaterThan(small.p50.calls);
    expect(large.p90.usd).toBeGreaterThan(large.p50.usd ?? Number.POSITIVE_INFINITY);
  });

  it('has no price when nobody stated one', () => {
    expect(budgetOf({ limits, price: undefined }, plan).p50.usd).toBeUndefined();
  });
});

function call(parameters: string, equals: string): Step {
  return { type: 'call', module: 'src/a.js', function: 'f', arguments: parameters, expected: { equals } };
}
