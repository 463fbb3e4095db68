/** Packages of Python that a candidate adds, by the real pip in the real sandbox, from an index on this machine. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Bench, runShell } from '../../src/jobs/workspace/environment.ts';
import { install } from '../../src/jobs/workspace/install.ts';
import { treesDirectory } from '../../src/sandbox/sandbox.ts';
import { layTree } from '../../src/trees/repository.ts';
import { benchOf, type Files, scene } from '../jobs/verify-fixture.ts';
import { openPythonRoom, type PythonRoom } from './python-room.ts';
import { wheelOf } from './wheels.ts';

let room: PythonRoom;
beforeAll(async () => {
  room = await openPythonRoom(
    [
      wheelOf({ name: 'known', files: { 'known.py': "kind = 'known'\n" } }),
      wheelOf({ name: 'tea', files: { 'tea.py': "kind = 'green tea'\n" }, requires: ['cup'] }),
      wheelOf({ name: 'cup', files: { 'cup/__init__.py': 'size = 2\n' } }),
    ],
    ['known==1.0'],
  );
});
afterAll(() => room?.close());

interface World {
  readonly bench: Bench;
  readonly said: readonly string[];
  laid(files: Files): Promise<string>;
  python(tree: string, code: string): Promise<string>;
}

const base = () => `--index-url ${room.index.url}\nknown==1.0\n`;

async function world(requirements = base()): Promise<World> {
  const first = await scene({ 'requirements.txt': requirements }, {});
  onTestFinished(() => first.remove());
  const bench = await benchOf(first);
  const said: string[] = [];
  const environment = { ...bench.environment, log: (line: string) => void said.push(line) };
  const given = { ...bench, environment };
  return {
    bench: given,
    said,
    async laid(files) {
      const tree = await mkdtemp(join(treesDirectory(environment.scratch), 'laid-'));
      await layTree(bench.repository, first.brief.base, tree);
      for (const [path, text] of Object.entries(files)) await writeFile(join(tree, path), text);
      return tree;
    },
    async python(tree, code) {
      const { stdout, stderr } = await runShell(given, `python3 -c ${JSON.stringify(code)}`, tree);
      return (stdout + stderr).trim();
    },
  };
}

test('a pinned wheel that a candidate adds is there for its tests, with what it needs', async () => {
  const { bench, said, laid, python } = await world();
  const tree = await laid({ 'requirements.txt': `${base()}tea==1.0\n` });
  await install(bench, tree);
  expect(await python(tree, 'import tea, cup, known; print(tea.kind, cup.size, known.kind)')).toBe('green tea 2 known');
  expect(said).toEqual(['requirements.txt adds tea==1.0', `pip install, from ${new URL(room.index.url).host}: done`]);
});
