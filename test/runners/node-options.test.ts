/** How Node is started where a repository starts it in a way of its own. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

interface Options {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly argv: readonly string[];
  readonly preloads: readonly { readonly kind: string; readonly name: string }[];
}
type NodeOptions = (path: string, suite: string, root: string) => Options;

let root: string;
let nodeOptions: NodeOptions;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'node-options-'));
  const program = new URL('../../src/inside/node-options.mjs', import.meta.url).href;
  ({ nodeOptions } = (await import(program)) as { readonly nodeOptions: NodeOptions });
  await writeFile(join(root, '.env.test'), 'CITY=Bern\nTZ=UTC\nNODE_OPTIONS=--import=./evil.mjs\n');
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function optionsOf(scripts: Readonly<Record<string, string>>, suite = '') {
  await writeFile(join(root, 'package.json'), JSON.stringify({ scripts }));
  const { env, argv, preloads } = nodeOptions('test/a.test.ts', suite, root);
  return { env, argv, preloads: preloads.map(({ kind, name }) => `${kind} ${name.replace(root, '<root>')}`) };
}

test.each<[string, string, Partial<Awaited<ReturnType<typeof optionsOf>>>]>([
  ['a package', 'node --import tsx --test test/*.test.ts', { preloads: ['import tsx'] }],
  ['a program that is one', 'tsx --test', { preloads: ['import tsx'] }],
  ['a file, behind the tests', 'node --test --import=./test/setup.mjs', { preloads: ['import <root>/test/setup.mjs'] }],
  [
    'what is required, before what is imported',
    'node --import a -r ts-node/register --loader=b --test',
    { preloads: ['require ts-node/register', 'loader b', 'import a'] },
  ],
  [
    'options of Node about code',
    'node -C dev --conditions=test --experimental-vm-modules --enable-source-maps --no-warnings --test --test-only',
    { argv: ['--conditions=dev', '--conditions=test', '--experimental-vm-modules', '--enable-source-maps'] },
  ],
  [
    'variables',
    "cross-env TZ=Asia/Tokyo NODE_ENV=test NODE_OPTIONS='--import tsx --inspect' LD_PRELOAD=x.so node --test",
    { env: { TZ: 'Asia/Tokyo', NODE_ENV: 'test' }, preloads: ['import tsx'] },
  ],
  [
    'a file of variables',
    'TZ=Asia/Tokyo node --env-file=.env.test --test',
    { env: { CITY: 'Bern', TZ: 'Asia/Tokyo' } },
  ],
  ['nothing that opens a door', 'node --inspect --experimental-config-file=x.json --expose-internals --test', {}],
  ['no options of other programs', 'node --import tsx build.ts && node --test', {}],
])('%s: %s', async (_, script, expected) => {
  expect(await optionsOf({ test: script })).toEqual({ env: {}, argv: [], preloads: [], ...expected });
});

test('the command for the suite says it before the scripts do', async () => {
  const scripts = { test: 'node --import a --test', unit: 'node --import b --test' };
  expect((await optionsOf(scripts)).preloads).toEqual(['import a']);
  expect((await optionsOf(scripts, 'npm run unit')).preloads).toEqual(['import b']);
  expect(await optionsOf(scripts, 'TZ=UTC npm run unit')).toMatchObject({ env: { TZ: 'UTC' } });
  expect((await optionsOf(scripts, 'node --import c --test')).preloads).toEqual(['import c']);
  expect((await optionsOf(scripts, 'make check')).preloads).toEqual(['import a']);
});

test('what is no manifest says nothing', async () => {
  await mkdir(join(root, 'test', 'broken'), { recursive: true });
  await writeFile(join(root, 'package.json'), '{"scripts":{"test":"node --import a --test"}}');
  await writeFile(join(root, 'test', 'package.json'), 'null');
  await writeFile(join(root, 'test', 'broken', 'package.json'), '{');
  expect(nodeOptions('test/broken/a.test.js', '', root).preloads).toEqual([{ kind: 'import', name: 'a' }]);
  await rm(join(root, 'test'), { recursive: true });
});

test('in a package of a workspace its own script says it', async () => {
  const folder = join(root, 'packages', 'a');
  await mkdir(folder, { recursive: true });
  await writeFile(join(root, 'package.json'), '{"scripts":{"test":"node --import a --test"}}');
  await writeFile(join(folder, 'package.json'), '{"scripts":{"test":"node --import ./setup.mjs --test"}}');
  const { preloads, folder: found } = nodeOptions('packages/a/test/a.test.js', 'npm test', root);
  expect({ preloads, found }).toEqual({
    preloads: [{ kind: 'import', name: join(folder, 'setup.mjs') }],
    found: folder,
  });
});
