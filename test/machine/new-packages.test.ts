/** Packages that a candidate adds, by the real npm in the real sandbox, from a registry on this machine. */
import { access, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
    for (const [path, text] of Object.entries(change)) await writeFile(join(tree, path), text);
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
      `npm wants packages from ${new URL(elsewhere.url).host}; they come from`,
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

  test.each(['git+ssh://git@github.com/a/added.git#abc', 'file:../secrets', ''])(
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
