/** A loop that adds a package of Python: BUILD as the job that runs, and how VERIFY judges. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { APPROVED, briefFor, checkout, command, GREEN, numbersOf, runBuild, write } from '../jobs/build-fixture.ts';
import { rowFor } from '../jobs/evidence-world.ts';
import { commandsOf } from '../jobs/plain-brief.ts';
import { openPythonRoom, type PythonRoom } from './python-room.ts';
import { wheelOf } from './wheels.ts';

let room: PythonRoom;
beforeAll(async () => {
  room = await openPythonRoom(
    [
      wheelOf({ name: 'known', files: { 'known.py': 'def near(x): return round(x)\n' } }),
      wheelOf({ name: 'dashed', files: { 'dashed.py': 'def dash(x): return f"-{x}-"\n' } }),
    ],
    ['known==1.0'],
  );
});
afterAll(() => room?.close());

const FILE = 'tests/test_label.py';
const LABEL = 'def label(x): return "nr " + x\ndef price(x): return x\n';
const DESIGN = {
  files: [
    {
      path: FILE,
      content: `import unittest\nimport label\nclass Label(unittest.TestCase):\n    def test_label(self): self.assertEqual(label.label("x"), "-x-")\n    def test_price(self): self.assertEqual(label.price(2), 2)\n`,
    },
  ],
  tests: [
    { requirement: 'R-1', kind: 'change' as const, file: FILE, name: 'Label.test_label' },
    { requirement: 'R-2', kind: 'keep' as const, file: FILE, name: 'Label.test_price' },
  ],
};

type Turns = NonNullable<Parameters<typeof runBuild>[2]['turns']>;

async function built(files: readonly string[], turns: (adds: (line: string) => ReturnType<typeof write>) => Turns) {
  const requirements = `--index-url ${room.index.url}\nknown==1.0\n`;
  const place = await checkout({ 'label.py': LABEL, 'tests/__init__.py': '', 'requirements.txt': requirements });
  try {
    const brief = briefFor(place, {
      commands: commandsOf({ test: 'python3 -m unittest', runner: 'unittest' }),
      tasks: briefFor(place).tasks.map((task) => ({ ...task, files: [...files] })),
    });
    return await runBuild(place, brief, {
      answers: { 'acceptance-tests': [DESIGN], ...APPROVED },
      turns: turns((line) => write('requirements.txt', `${requirements}${line}\n`)),
    });
  } finally {
    await place.remove();
  }
}

const INSTALL = { name: 'install_packages', arguments: {} };
const CODE = write('label.py', LABEL.replace('"nr " + x', 'dash(x)').replace('def', 'from dashed import dash\ndef'));

test('a builder has it where the task names requirements.txt, and is green with it', async () => {
  const { report, log, requests } = await built(['label.py', 'requirements.txt'], (adds) => [
    [adds('dashed>=1'), INSTALL],
    [adds('dashed==1.0'), INSTALL],
    [CODE, command('python3 -c "import dashed"')],
  ]);
  expect(report.failure).toBeNull();
  expect(numbersOf(report)).toEqual(GREEN);
  expect(report.changes.map(({ path }) => path).toSorted()).toEqual(['label.py', 'requirements.txt', FILE].toSorted());
  const told = JSON.stringify(requests);
  expect(told).toContain('`dashed>=1` does not ask for one version; write it as `name==version`');
  expect(told).toContain('Installed. New: dashed==1.0.');
  expect(log).toContain('requirements.txt adds dashed==1.0');
});

test('a builder has it no longer who takes the line out again', async () => {
  const { report, requests } = await built(['label.py', 'requirements.txt'], (adds) => [
    [adds('dashed==1.0'), INSTALL],
    [adds(''), INSTALL],
    [CODE, command('python3 -c "import dashed"')],
  ]);
  const told = JSON.stringify(requests);
  expect(told).toContain('Installed. New: nothing.');
  expect(told).toContain('ModuleNotFoundError');
  expect(numbersOf(report)).not.toEqual(GREEN);
});

test('a builder has no tool for it where no task names the file', async () => {
  const { report, requests } = await built(['label.py'], (adds) => [[adds('dashed==1.0'), INSTALL], [CODE]]);
  const told = JSON.stringify(requests);
  expect(told).toContain(
    'Refused to write requirements.txt: lock files and `requirements.txt` change only when the plan names them.',
  );
  expect(told).toContain('this task names neither `package-lock.json` nor `requirements.txt`');
  expect(numbersOf(report)).not.toEqual(GREEN);
});

test('a candidate is judged with it, and a test that needs the change is evidence', async () => {
  const requirements = `--index-url ${room.index.url}\nknown==1.0\n`;
  const row = await rowFor({
    base: {
      'price.py': 'from known import near\ndef price(x):\n    return near(x)\n',
      'requirements.txt': requirements,
    },
    change: {
      'price.py':
        'from known import near\nfrom dashed import dash\ndef price(x):\n    return near(x)\ndef shown(x):\n    return dash(price(x))\n',
      'requirements.txt': `${requirements}dashed==1.0\n`,
    },
    runner: 'unittest',
    kind: 'change',
    name: 'Price.test_shown',
    test: `import unittest\nimport price\nclass Price(unittest.TestCase):\n    def test_shown(self):\n        self.assertTrue(hasattr(price, "shown"))\n        self.assertEqual(price.shown(1.7), "-2-")\n`,
  });
  expect(row).toMatchObject({ base: 'fail', head: 'pass', reverted: 'fail', proven: true });
});
