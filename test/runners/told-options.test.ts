/** How Vitest and Jest are called where the repository calls them in a way of its own. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

interface Options {
  readonly env: Readonly<Record<string, string>>;
  readonly forNode: readonly string[];
  readonly forTool: readonly string[];
}
type OwnOptions = (tool: 'vitest' | 'jest', folder: string, suite: string, root: string) => Options;

let root: string;
let ownOptions: OwnOptions;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'options-'));
  const program = new URL('../../src/inside/told-tools.mjs', import.meta.url).href;
  ({ ownOptions } = (await import(program)) as { readonly ownOptions: OwnOptions });
});
afterAll(() => rm(root, { recursive: true, force: true }));

const SCRIPTS = {
  test: 'vitest run --coverage --config all.ts',
  unit: 'TZ=UTC vitest run --project unit',
  esm: 'node --experimental-vm-modules node_modules/jest/bin/jest.js -c esm.json',
  lint: 'eslint .',
};

const options = (forTool: readonly string[], env = {}, forNode: readonly string[] = []) => ({ env, forNode, forTool });

test.each<[string, 'vitest' | 'jest', string, Options]>([
  [
    'the command itself',
    'vitest',
    'TZ=Asia/Tokyo npx vitest run --config unit.ts',
    options(['--config', 'unit.ts'], { TZ: 'Asia/Tokyo' }),
  ],
  ['a part of the command', 'vitest', 'npm run lint && npx vitest run --dir=test; true', options(['--dir=test'])],
  ['the script that it names', 'vitest', 'npm run unit', options(['--project', 'unit'], { TZ: 'UTC' })],
  ['the script that npm test is', 'vitest', 'npm test', options(['--config', 'all.ts'])],
  ['another script than `test`, by pnpm', 'vitest', 'pnpm unit', options(['--project', 'unit'], { TZ: 'UTC' })],
  [
    'variables before a script, and options behind it',
    'vitest',
    'CI=1 TZ=Asia/Tokyo npm run unit -- --pool forks',
    options(['--project', 'unit', '--pool', 'forks'], { CI: '1', TZ: 'Asia/Tokyo' }),
  ],
  ['options for Node', 'jest', 'yarn run esm', options(['-c', 'esm.json'], {}, ['--experimental-vm-modules'])],
  ['a command that runs something else', 'vitest', 'make check', options(['--config', 'all.ts'])],
  ['no command', 'vitest', '', options(['--config', 'all.ts'])],
  [
    'a command for another folder',
    'vitest',
    'cd packages/a && npx vitest run --config a.ts',
    options(['--config', 'all.ts']),
  ],
])('at the root, %s says how tests are run', async (_, tool, suite, expected) => {
  await writeFile(join(root, 'package.json'), JSON.stringify({ scripts: SCRIPTS }));
  expect(ownOptions(tool, root, suite, root)).toEqual(expected);
});

test('in a package of a workspace its own script says it', async () => {
  const folder = join(root, 'packages', 'a');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"scripts":{"test":"vitest run --config a.ts"}}');
  expect(ownOptions('vitest', folder, 'npx vitest run --config root.ts', root).forTool).toEqual(['--config', 'a.ts']);
});
