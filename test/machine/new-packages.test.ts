/** Packages that a candidate adds, by the real npm in the real sandbox, from a registry on this machine. */
import { access, mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Bench } from '../../src/jobs/workspace/environment.ts';
import { install } from '../../src/jobs/workspace/install.ts';
import { lockPackages, newPackages } from '../../src/jobs/workspace/new-packages.ts';
import { treesDirectory } from '../../src/sandbox/sandbox.ts';
import { layTree } from '../../src/trees/repository.ts';
import { benchOf, type Files, scene } from '../jobs/verify-fixture.ts';
import { type Registry, startRegistry } from './registry.ts';

const LOCK = 'package-lock.json';
const manifest = (dependencies: object) => JSON.stringify({ name: 'shop', version: '1.0.0', dependencies });
const PACKAGES = {
  known: { index: 'module.exports = "known";' },
  added: {
    index: 'module.exports = "added";',
    manifest: { scripts: { preinstall: 'touch ran', postinstall: 'touch ran' }, dependencies: { deeper: '^1.0.0' } },
  },
  deeper: { index: 'module.exports = "deeper";' },
  tool: { index: '#!/bin/sh\necho own', manifest: { bin: { tool: 'index.js' } } },
  intruder: { index: '#!/bin/sh\necho other', manifest: { bin: { tool: 'index.js' } } },
  shim: { index: '#!/bin/sh\necho other', manifest: { bin: { ls: 'index.js', node: 'index.js', shim: 'index.js' } } },
  gitting: { index: '', manifest: { dependencies: { evil: 'git+http://127.0.0.1:9/evil.git' } } },
};

interface World {
  readonly registry: Registry;
  readonly bench: Bench;
  /** A working copy of the base with files beside. */
  laid(files: Files): Promise<string>;
}

async function started(): Promise<Registry> {
  const registry = await startRegistry(PACKAGES);
  onTestFinished(() => registry.close());
  return registry;
}

/** A repository that uses `known`, whose set-up action has fetched and built it. */
async function world(base: Files = {}): Promise<World> {
  const registry = await started();
  const files = { 'package.json': manifest({ known: '^1.0.0' }), '.npmrc': `registry=${registry.url}/\n`, ...base };
  const first = await scene(files, {});
  onTestFinished(() => first.remove());
  const bench = await benchOf(first);
  const laid = async (change: Files) => {
    const tree = await mkdtemp(join(treesDirectory(first.environment.scratch), 'laid-'));
    await layTree(bench.repository, first.brief.base, tree);
    for (const [path, text] of Object.entries(change)) {
      await mkdir(dirname(join(tree, path)), { recursive: true });
      await writeFile(join(tree, path), text);
    }
    return tree;
  };
  return { registry, bench, laid };
}

/** The same where the base has a lock file, and its packages are there. */
async function lockedWorld(): Promise<World> {
  const before = await world();
  const tree = await before.laid({});
  await lockPackages(before.bench, tree, [LOCK]);
  const { registry } = before;
  const after = await world({
    '.npmrc': `registry=${registry.url}/\n`,
    [LOCK]: await readFile(join(tree, LOCK), 'utf8'),
  });
  const prepared = join(after.bench.environment.scratch, '..', 'prepared');
  await mkdir(join(prepared, 'node_modules/known'), { recursive: true });
  await writeFile(join(prepared, 'node_modules/known/package.json'), '{"name":"known","version":"1.0.0"}');
  await writeFile(join(prepared, 'node_modules/known/index.js'), PACKAGES.known.index);
  await writeFile(join(prepared, 'node_modules/known/built'), 'by its install script');
  return { ...after, registry, bench: { ...after.bench, environment: { ...after.bench.environment, prepared } } };
}

const WITH_ADDED = { 'package.json': manifest({ known: '^1.0.0', added: '^1.0.0' }) };

/** What a candidate's lock file would be. */
async function lockWith({ bench, laid }: World, files: Files = WITH_ADDED): Promise<string> {
  const tree = await laid(files);
  await lockPackages(bench, tree, [LOCK]);
  bench.packages.clear();
  return readFile(join(tree, LOCK), 'utf8');
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe('a lock file that names more than the base', () => {
  test('is followed: its packages are there, with what was built before, and no script of theirs has run', async () => {
    const given = await lockedWorld();
    const lock = await lockWith(given);
    const folder = await newPackages(given.bench, await given.laid({ ...WITH_ADDED, [LOCK]: lock }));
    const inside = (path: string) => join(folder ?? '', 'node_modules', path);
    expect(await readFile(inside('added/index.js'), 'utf8')).toBe(PACKAGES.added.index);
    expect(await readFile(inside('deeper/index.js'), 'utf8')).toBe(PACKAGES.deeper.index);
    expect(await readFile(inside('known/built'), 'utf8')).toBe('by its install script');
    expect(await isThere(inside('added/ran'))).toBe(false);
    expect(await isThere(join(folder ?? '', 'package.json'))).toBe(false);
  });

  test('is fetched for once, and laid where the tests of the tree find it', async () => {
    const given = await lockedWorld();
    const lock = await lockWith(given);
    const tree = await given.laid({ ...WITH_ADDED, [LOCK]: lock });
    const commands = { ...given.bench.brief.commands, install: `cp -R "\${LOOPWRIGHT_SETUP:?}/." .` };
    await install({ ...given.bench, brief: { ...given.bench.brief, commands } }, tree);
    const asked = given.registry.asked.length;
    const other = await given.laid({ ...WITH_ADDED, [LOCK]: lock });
    await install({ ...given.bench, brief: { ...given.bench.brief, commands: { ...commands, install: null } } }, other);
    expect(given.registry.asked).toHaveLength(asked);
    for (const place of [tree, other])
      expect(await readFile(join(place, 'node_modules/added/index.js'), 'utf8')).toBe(PACKAGES.added.index);
  });

  test('asks nothing where it is that of the base', async () => {
    const { registry, bench, laid } = await lockedWorld();
    const asked = registry.asked.length;
    expect(await newPackages(bench, await laid({}))).toBeUndefined();
    expect(registry.asked).toHaveLength(asked);
  });
});

describe('a lock file is not followed, in one sentence, where', () => {
  const refused = async (given: World, files: Files) => {
    const tree = await given.laid({ ...WITH_ADDED, ...files });
    return newPackages(given.bench, tree).then(
      () => 'followed',
      (error: unknown) => String(error),
    );
  };
  const changed = (lock: string, change: (added: Record<string, unknown>) => void): string => {
    const parsed = JSON.parse(lock);
    change(parsed.packages['node_modules/added']);
    return JSON.stringify(parsed);
  };

  test('a package is to come from a host that the base does not know', async () => {
    const given = await lockedWorld();
    const elsewhere = await started();
    const lock = (await lockWith(given)).replaceAll(given.registry.url, elsewhere.url);
    expect(await refused(given, { [LOCK]: lock, '.npmrc': `registry=${elsewhere.url}/\n` })).toContain(
      `\`added\` 1.0.0 is to come from ${elsewhere.url}/, and the base knows`,
    );
    expect(elsewhere.asked).toEqual([]);
  });

  test('a name stands for the file of another package', async () => {
    const given = await lockedWorld();
    const lock = changed(await lockWith(given), (added) => {
      added.resolved = `${given.registry.url}/deeper/-/deeper-1.0.0.tgz`;
    });
    expect(await refused(given, { [LOCK]: lock })).toContain('which is not where a registry keeps it');
  });

  test.each(['git+ssh://git@github.com/a/added.git#abc', 'file:../secrets'])(
    'a package comes from %j',
    async (resolved) => {
      const given = await lockedWorld();
      const lock = changed(await lockWith(given), (added) => {
        added.resolved = resolved;
      });
      expect(await refused(given, { [LOCK]: lock })).toContain('which is not where a registry keeps it');
    },
  );

  test('its digest is not that of what the registry has', async () => {
    const given = await lockedWorld();
    const lock = await lockWith(given);
    await given.registry.poison('added', 'module.exports = "stolen";');
    expect(await refused(given, { [LOCK]: lock })).toMatch(/cannot be had: .*(?:EINTEGRITY|integrity)/s);
  });

  test('it names no digest', async () => {
    const given = await lockedWorld();
    const lock = changed(await lockWith(given), (added) => {
      delete added.integrity;
    });
    expect(await refused(given, { [LOCK]: lock })).toContain('`added` 1.0.0 has no digest by SHA-2');
  });

  test('it names no digest because the package is for other machines, and this one installs it', async () => {
    const given = await lockedWorld();
    const lock = changed(await lockWith(given), (added) => {
      delete added.integrity;
      delete added.resolved;
      Object.assign(added, { optional: true, os: ['linux'] });
    });
    const { dependencies, ...rest } = JSON.parse(WITH_ADDED['package.json']);
    const asked = { ...rest, dependencies: { known: dependencies.known }, optionalDependencies: { added: '^1.0.0' } };
    expect(await refused(given, { 'package.json': JSON.stringify(asked), [LOCK]: lock })).toContain(
      '`node_modules/added` has no digest that says what it is, and this machine installs it',
    );
  });

  test('it only says that a known package is for other machines', async () => {
    const given = await lockedWorld();
    const lock = JSON.parse(await lockWith(given, {}));
    Object.assign(lock.packages['node_modules/known'], { optional: true, os: ['win32'] });
    const asked = { name: 'shop', version: '1.0.0', optionalDependencies: { known: '^1.0.0' } };
    expect(await refused(given, { 'package.json': JSON.stringify(asked), [LOCK]: JSON.stringify(lock) })).toContain(
      '`known` 1.0.0 is said to be for other machines than on the base',
    );
  });

  test('the manifest asks for more than it names', async () => {
    const given = await lockedWorld();
    const lock = await lockWith(given, { 'package.json': manifest({ known: '^1.0.0', deeper: '^1.0.0' }) });
    expect(await refused(given, { [LOCK]: lock })).toContain('does not fit the package.json beside it');
  });

  test('it is none', async () => {
    expect(await refused(await lockedWorld(), { [LOCK]: '{' })).toContain('it is no lock file of npm 7 or later');
  });

  test('no registry answers: that is for a person', async () => {
    const given = await lockedWorld();
    const lock = await lockWith(given);
    await given.registry.close();
    expect(await refused(given, { [LOCK]: lock })).toMatch(
      /^SetupError: The packages that the candidate adds cannot be had/,
    );
  });
});

test.each([null, `cp -R "\${LOOPWRIGHT_SETUP:?}/." .`])(
  'a link that the candidate laid where a package goes leads nobody out, with the install command %j',
  async (command) => {
    const given = await lockedWorld();
    const lock = await lockWith(given);
    const tree = await given.laid({ ...WITH_ADDED, [LOCK]: lock });
    const victim = join(given.bench.environment.scratch, '..', 'victim');
    await writeFile(victim, 'innocent');
    await mkdir(join(tree, 'node_modules/added'), { recursive: true });
    await symlink(victim, join(tree, 'node_modules/added/index.js'));
    const { brief } = given.bench;
    const bench = { ...given.bench, brief: { ...brief, commands: { ...brief.commands, install: command } } };
    await install(bench, tree).catch((error: unknown) => expect(error).toHaveProperty('name', 'JobError'));
    expect(await readFile(victim, 'utf8')).toBe('innocent');
  },
);

/** A repository whose `tool` has a program, and what becomes of another package beside it. */
async function besideTool(name: string) {
  const own = { 'package.json': manifest({ tool: '^1.0.0' }) };
  const before = await world(own);
  const tree = await before.laid({});
  await lockPackages(before.bench, tree, [LOCK]);
  const prepared = await newPackages(before.bench, tree);
  const lock = await readFile(join(tree, LOCK), 'utf8');
  const { bench, laid } = await world({ ...own, '.npmrc': `registry=${before.registry.url}/\n`, [LOCK]: lock });
  const said: string[] = [];
  const environment = { ...bench.environment, prepared, log: (line: string) => void said.push(line) };
  const after = await laid({ 'package.json': manifest({ tool: '^1.0.0', [name]: '^1.0.0' }) });
  const told = await lockPackages({ ...bench, environment }, after, [LOCK]).then(String, String);
  const folder = await newPackages({ ...bench, environment }, after).catch(() => undefined);
  return { told, said, programs: folder === undefined ? [] : await readdir(join(folder, 'node_modules/.bin')) };
}

test('a package whose program would be called in place of one of the base is not installed', async () => {
  const { told } = await besideTool('intruder');
  expect(told).toBe(
    'JobError: `intruder` has a program `tool`, which would be called in place of that of `tool`; a package that does so has to be on the default branch first.',
  );
});

test('programs that are called as one of the system are left out', async () => {
  const { told, said, programs } = await besideTool('shim');
  expect([told, programs]).toEqual(['shim@1.0.0', ['shim', 'tool']]);
  expect(said).toContain('node_modules/.bin/node is left out: the system has a program of this name');
  expect(said).toContain('node_modules/.bin/ls is left out: the system has a program of this name');
});

describe('a manifest is not followed, in one sentence, where', () => {
  const asked = (given: World, files: Files) =>
    given
      .laid(files)
      .then((tree) => lockPackages(given.bench, tree, [LOCK]))
      .then(String, String);

  test('it asks for git, which runs programs of the repository', async () => {
    const given = await lockedWorld();
    const spec = `git+${given.registry.url}/evil.git`;
    expect(await asked(given, { 'package.json': manifest({ evil: spec }) })).toBe(
      `JobError: \`package.json\` is not followed: it asks for \`evil ${spec}\`, which no registry keeps.`,
    );
  });

  test('a package that it names asks for git', async () => {
    const given = await world();
    expect(await asked(given, { 'package.json': manifest({ gitting: '^1.0.0' }) })).toMatch(
      /^JobError: The packages that the candidate adds cannot be had/,
    );
  });

  test('the lock file to be written is in a folder that npm takes for none', async () => {
    const given = await lockedWorld();
    const tree = await given.laid({});
    expect(await lockPackages(given.bench, tree, ['sub/package-lock.json']).catch(String)).toBe(
      'JobError: `sub/package-lock.json` is not followed: there is no package.json beside it.',
    );
  });

  test('a lock file lies in a workspace, whose packages npm keeps at the root', async () => {
    const given = await lockedWorld();
    const files = {
      'package.json': JSON.stringify({
        name: 'shop',
        version: '1.0.0',
        workspaces: ['packages/*'],
        dependencies: { known: '^1.0.0' },
      }),
      'packages/a/package.json': JSON.stringify({ name: 'a', version: '1.0.0', dependencies: { added: '^1.0.0' } }),
      'packages/a/package-lock.json': JSON.stringify({ lockfileVersion: 3, packages: {} }),
    };
    expect(await newPackages(given.bench, await given.laid(files)).catch(String)).toBe(
      'JobError: npm keeps the packages of packages/a/package-lock.json in `package-lock.json`; change that one.',
    );
  });
});

test('a lock file that is too large to be one is not read', async () => {
  const { bench, laid } = await lockedWorld();
  const tree = await laid(WITH_ADDED);
  await truncate(join(tree, LOCK), 3_000_000_000);
  await expect(newPackages(bench, tree)).rejects.toThrow(
    '`package-lock.json` has 3000000000 bytes; at most 20000000 are read.',
  );
});

test('a link in place of the lock file is not read', async () => {
  const { bench, laid } = await lockedWorld();
  const tree = await laid(WITH_ADDED);
  await rm(join(tree, LOCK));
  await symlink('/etc/passwd', join(tree, LOCK));
  expect(await newPackages(bench, tree)).toBeUndefined();
});

test('a lock file is written for what the manifest names, and says what was added', async () => {
  const { bench, laid } = await lockedWorld();
  const tree = await laid(WITH_ADDED);
  expect(await lockPackages(bench, tree, [LOCK])).toEqual(['added@1.0.0', 'deeper@1.0.0']);
  expect(JSON.parse(await readFile(join(tree, LOCK), 'utf8')).packages['node_modules/added'].version).toBe('1.0.0');
  expect(await newPackages(bench, tree)).toBeDefined();
});
