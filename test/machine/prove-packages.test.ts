/** Proofs of pull requests that change which packages there are, with a registry of their own. */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { provePull } from '../../src/jobs/prove/prove-pull.ts';
import { type ProofReport, proofReport } from '../../src/proof/pull-proof.ts';
import { JOB } from '../prepared.ts';
import { type Registry, startRegistry } from './registry.ts';

let registry: Registry;
let room: string;
beforeAll(async () => {
  room = await mkdtemp(join(tmpdir(), 'prove-packages-'));
  registry = await startRegistry({
    known: { index: 'exports.round = (x) => Math.round(x);' },
    down: { index: 'exports.round = (x) => Math.floor(x);' },
    third: { index: '' },
    dashed: { index: "module.exports = (x) => ['', x, ''].join('-');" },
  });
});
afterAll(async () => {
  await registry?.close();
  await rm(room, { recursive: true, force: true });
});

/** Text by path. */
type Files = Readonly<Record<string, string>>;

const GONE = '';

async function laid(directory: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    if (text === GONE) await rm(join(directory, path));
    else await writeFile(join(directory, path), text);
  }
}

const manifestOf = (dependencies: object, more: object = {}) =>
  `${JSON.stringify({ name: 'shop', version: '1.0.0', dependencies, ...more }, null, 2)}\n`;
const settings = () => ({ '.npmrc': `registry=${registry.url}/\n` });
const npm = (directory: string, ...argv: readonly string[]) =>
  execa('npm', [...argv, '--no-audit', '--no-fund'], { cwd: directory });

/** Manifest and lock file, as npm writes it. */
async function packaged(dependencies: object, more: object = {}): Promise<Files> {
  const directory = await mkdtemp(join(room, 'lock-'));
  const manifest = manifestOf(dependencies, more);
  await laid(directory, { ...settings(), 'package.json': manifest });
  await npm(directory, 'install', '--package-lock-only');
  return {
    'package.json': manifest,
    'package-lock.json': await readFile(join(directory, 'package-lock.json'), 'utf8'),
  };
}

const testOf = (file: string, name: string, assertion: string) =>
  `import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { ${name} } from '../lib/${file}.mjs';\ntest('${name}', () => assert.equal(${assertion}));\n`;
const BASE: Files = {
  'lib/price.mjs': "import { round } from 'known';\nexport const price = (x) => round(x);\n",
  'test/price.test.mjs': testOf('price', 'price', 'price(1.5), 2'),
  'lib/label.mjs': "export const label = (x) => 'nr '.concat(x);\n",
};
const CHANGE: Files = {
  'lib/label.mjs': "export const label = (x) => 'no '.concat(x);\n",
  'test/label.test.mjs': testOf('label', 'label', "label('x'), 'no x'"),
};
const INSTALL = 'cp -R "$LOOPWRIGHT_SETUP/." .';

async function proved(base: Files, head: Files, install: string | null = INSTALL): Promise<ProofReport> {
  const place = await mkdtemp(join(room, 'pull-'));
  const [workspace, temporary, output] = [join(place, 'workspace'), join(place, 'temporary'), join(place, 'output')];
  await mkdir(workspace);
  const git = (...argv: readonly string[]) =>
    execa('git', ['-c', 'user.name=Rosa', '-c', 'user.email=rosa@shop.example', ...argv], { cwd: workspace });
  const committed = async (files: Files): Promise<string> => {
    await laid(workspace, files);
    await git('add', '--all', '--force');
    await git('commit', '--quiet', '--message', 'Go on');
    return (await git('rev-parse', 'HEAD')).stdout;
  };
  await git('init', '--quiet', '--initial-branch', 'main');
  const before = await committed({ ...settings(), ...base });
  if (install !== null) {
    const copy = join(place, 'installed');
    await cp(workspace, copy, { recursive: true });
    await npm(copy, 'ci', '--cache', join(temporary, 'loopwright-setup', 'cache'));
    await cp(join(copy, 'node_modules'), join(temporary, 'loopwright-setup', 'node_modules'), { recursive: true });
  }
  const after = await committed(head);
  await provePull({
    ...{ bundle: JOB, log: () => undefined },
    variables: {
      ...{ LOOPWRIGHT_BRIEF: '', LOOPWRIGHT_INPUT: '', LOOPWRIGHT_MODEL_URL: '', GITHUB_OUTPUT: '' },
      ...{ ACTIONS_ID_TOKEN_REQUEST_URL: '', ACTIONS_ID_TOKEN_REQUEST_TOKEN: '' },
      ...{ LOOPWRIGHT_WORKSPACE: workspace, LOOPWRIGHT_OUTPUT: output, RUNNER_TEMP: temporary },
    },
    brief: {
      ...{ kind: 'proof', version: 1, pull: 1, serial: 1, base: before, head: after },
      commands: { install, build: null, runner: 'node-test', test: 'node --test' },
      limits: { commandTimeoutMs: 60_000, suiteTimeoutMs: 60_000, outputBytes: 1_000_000, faults: 3 },
    },
  });
  return proofReport.parse(JSON.parse(await readFile(join(output, 'report.json'), 'utf8')));
}

test('a package that is added is there, and what there was stays as it was', async () => {
  const [before, after] = [await packaged({ known: '^1.0.0' }), await packaged({ known: '^1.0.0', dashed: '^1.0.0' })];
  const lib = "import dashed from 'dashed';\nexport const label = (x) => dashed(x);\n";
  const head = { ...after, 'lib/label.mjs': lib, 'test/label.test.mjs': testOf('label', 'label', "label('x'), '-x-'") };
  const { proof, failure } = await proved({ ...BASE, ...before }, head);
  expect([failure, proof?.verdict]).toEqual([null, 'proved']);
});

test('a package that becomes another is not judged, whatever the tests say with it', async () => {
  const before = await packaged({ known: '^1.0.0' });
  const after = await packaged({ known: 'npm:down@^1.0.0' });
  const { proof, failure } = await proved({ ...BASE, ...before }, { ...CHANGE, ...after });
  expect(proof).toBeNull();
  expect(failure).toMatch(/^`package-lock\.json` changes packages that the base has \(`known` 1\.0\.0 becomes down/);
});

test("the lock file of a test's material is nobody's to install", async () => {
  const before = await packaged({ known: '^1.0.0' });
  const old = { 'test/old/package.json': '{"name":"old"}', 'test/old/package-lock.json': '{"lockfileVersion":1}' };
  const { proof, failure } = await proved({ ...BASE, ...before }, { ...CHANGE, ...old });
  expect([failure, proof?.verdict]).toEqual([null, 'proved']);
});

test('packages in the history are taken from there, and a lock file that is only spelled otherwise adds none', async () => {
  const before = await packaged({ known: '^1.0.0' });
  const kept = {
    'node_modules/known/package.json': '{"name":"known","version":"1.0.0","main":"index.js"}',
    'node_modules/known/index.js': 'exports.round = (x) => Math.round(x);',
  };
  const spelled = JSON.stringify(JSON.parse(before['package-lock.json'] ?? ''));
  const { proof, failure } = await proved(
    { ...BASE, ...before, ...kept },
    { ...CHANGE, 'package-lock.json': spelled },
    null,
  );
  expect([failure, proof?.verdict]).toEqual([null, 'proved']);
});

test('a file where packages are installed is said with the folder', async () => {
  const before = await packaged({ known: '^1.0.0' });
  const { proof, failure } = await proved(
    { ...BASE, ...before },
    { ...CHANGE, 'node_modules/extra/index.js': 'module.exports = 1;' },
  );
  expect(proof).toBeNull();
  expect(failure).toContain('The history has files below `node_modules`');
});

/** Says otherwise what a package that cannot be found would have done. */
const CAREFUL: Files = {
  'lib/price.mjs':
    "import { createRequire } from 'node:module';\nlet round = () => 99;\ntry {\n  ({ round } = createRequire(import.meta.url)('known'));\n} catch {}\nexport const price = (x) => round(x);\n",
  'test/price.test.mjs': testOf('price', 'price', 'price(1.5), 2'),
};
/** Behaves as the base does, and no longer asks the package. */
const SAME: Files = {
  'lib/price.mjs': 'export const price = (x) => Math.round(x);\n',
  'test/price.test.mjs': testOf('price', 'price', 'price(2.5), 3'),
};
const below = (folder: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));
const withEntry = (files: Files, place: string, change: object): Files => {
  const lock = JSON.parse(files['package-lock.json'] ?? '');
  Object.assign(lock.packages[place], change);
  return { ...files, 'package-lock.json': JSON.stringify(lock) };
};
const FROM_CACHE = 'cp -R "$LOOPWRIGHT_SETUP/cache" /tmp/cache && npm ci --offline --cache /tmp/cache';

describe('what behaves as before is not proved by other packages on the base:', () => {
  const failed = async (base: Files, head: Files, install = INSTALL) => {
    const { proof, failure } = await proved(base, head, install);
    expect([proof?.verdict, proof?.reasons]).toEqual([undefined, undefined]);
    return failure;
  };

  test('a lock file beside the product hides those above it', async () => {
    const [before, other] = [await packaged({ known: '^1.0.0' }), await packaged({ known: 'npm:down@^1.0.0' })];
    const base = { ...CAREFUL, ...before, ...below('lib', settings()) };
    const failure = await failed(base, { ...SAME, ...below('lib', other) });
    expect(failure).toMatch(
      /^`lib\/package-lock\.json` is new, and can bring other packages than those that the base has, /,
    );
  });

  test('a lock file goes to another folder', async () => {
    const before = await packaged({ known: '^1.0.0' });
    const moved = {
      'package.json': GONE,
      'package-lock.json': GONE,
      ...below('lib', await packaged({ known: 'npm:down@^1.0.0' })),
    };
    expect(await failed({ ...CAREFUL, ...before, ...below('lib', settings()) }, { ...SAME, ...moved })).toMatch(
      /^`package-lock\.json` is gone, /,
    );
  });

  test('a lock file that both have adds what hides those above it', async () => {
    const [root, inner] = [await packaged({ known: '^1.0.0' }), await packaged({ dashed: '^1.0.0' })];
    const more = await packaged({ dashed: '^1.0.0', known: 'npm:down@^1.0.0' });
    const base = { ...CAREFUL, ...root, ...below('lib', { ...settings(), ...inner }) };
    expect(await failed(base, { ...SAME, ...below('lib', more) })).toMatch(
      /^`lib\/package-lock\.json` adds `known` below a folder whose `known` the base may have, /,
    );
  });

  const optional = { optionalDependencies: { known: '^1.0.0' } };

  test('an unchanged package is said to be for other machines', async () => {
    const before = await packaged({ known: '^1.0.0' });
    const more = await packaged({ dashed: '^1.0.0' }, optional);
    const after = withEntry(more, 'node_modules/known', { os: ['win32'] });
    expect(await failed({ ...CAREFUL, ...before }, { ...SAME, ...after })).toContain(
      '(`known` 1.0.0 is entered otherwise (optional, os), by which npm installs it)',
    );
  });

  test('an unchanged package is no longer said to be for other machines', async () => {
    const before = withEntry(await packaged({ dashed: '^1.0.0' }, optional), 'node_modules/known', { os: ['win32'] });
    const wanted = { 'test/price.test.mjs': testOf('price', 'price', 'price(1.5), 99') };
    const lib = { 'lib/price.mjs': 'export const price = () => 99;\n' };
    const test = { 'test/price.test.mjs': testOf('price', 'price', 'price(2.5), 99') };
    const after = await packaged({ dashed: '^1.0.0', third: '^1.0.0' }, optional);
    expect(await failed({ ...CAREFUL, ...wanted, ...before }, { ...lib, ...test, ...after })).toContain(
      '(`known` 1.0.0 is entered otherwise (os), by which npm installs it)',
    );
  });

  test('npm is told by another file what to install', async () => {
    const before = await packaged({ known: '^1.0.0' });
    const none = await packaged({});
    const shrunk = {
      'package.json': none['package.json'] ?? '',
      'npm-shrinkwrap.json': none['package-lock.json'] ?? '',
    };
    expect(await failed({ ...CAREFUL, ...before }, { ...SAME, ...shrunk }, FROM_CACHE)).toMatch(
      /^`npm-shrinkwrap\.json` changes, by which npm installs in the place of `package-lock\.json`, /,
    );
  });

  test('what the install command leaves out by a file of the head is missed', async () => {
    const before = await packaged({ known: '^1.0.0' });
    const command = `${INSTALL} && if [ -e without ]; then rm -rf node_modules/known; fi`;
    expect(await failed({ ...CAREFUL, ...before }, { ...SAME, without: 'known\n' }, command)).toMatch(
      /^`node_modules\/known`, as the base's set-up has it, is not what is installed on the head, /,
    );
  });

  const scripted = (files: Files, postinstall: string): Files => {
    const manifest = JSON.parse(files['package.json'] ?? '');
    return { ...SAME, 'package.json': JSON.stringify({ ...manifest, scripts: { postinstall } }) };
  };

  test('a script of the head writes over a package', async () => {
    const before = await packaged({ known: '^1.0.0' });
    const script = "sed -i 's/Math.round/Math.floor/' node_modules/known/index.js";
    expect(await failed({ ...CAREFUL, ...before }, scripted(before, script), FROM_CACHE)).toMatch(
      /^`node_modules\/known`, as the base's set-up has it, is not what is installed on the head, /,
    );
  });

  test('a script of the head takes all packages away', async () => {
    const before = await packaged({ known: '^1.0.0' });
    expect(await failed({ ...CAREFUL, ...before }, scripted(before, 'rm -rf node_modules'), FROM_CACHE)).toMatch(
      /^`node_modules\/known`, as the base's set-up has it, is not what is installed on the head, /,
    );
  });

  test('a script of the head lays another package beside the product', async () => {
    const before = await packaged({ known: '^1.0.0' });
    const index = 'exports.round = (x) => Math.floor(x);';
    const script = `mkdir -p lib/node_modules/known && echo '${index}' > lib/node_modules/known/index.js`;
    expect(await failed({ ...CAREFUL, ...before }, scripted(before, script), FROM_CACHE)).toMatch(
      /^`lib\/node_modules` is not there on the base, /,
    );
  });
});

test('a first package of a repository that had none is judged', async () => {
  const after = await packaged({ dashed: '^1.0.0' });
  const lib = "import dashed from 'dashed';\nexport const label = (x) => dashed(x);\n";
  const { 'lib/price.mjs': _, 'test/price.test.mjs': __, ...base } = BASE;
  const bare = {
    ...base,
    'package.json': '{"name":"shop","version":"1.0.0"}',
    'test/label.test.mjs': testOf('label', 'label', "label('x'), 'nr x'"),
  };
  const head = { ...after, 'lib/label.mjs': lib, 'test/label.test.mjs': testOf('label', 'label', "label('x'), '-x-'") };
  const { proof, failure } = await proved(bare, head, null);
  expect([failure, proof?.verdict]).toEqual([null, 'proved']);
});
