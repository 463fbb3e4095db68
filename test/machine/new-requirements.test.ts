/** Packages of Python that a candidate adds, by the real pip in the real sandbox, from an index on this machine. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Bench, runShell } from '../../src/jobs/workspace/environment.ts';
import { install } from '../../src/jobs/workspace/install.ts';
import { treesDirectory } from '../../src/sandbox/sandbox.ts';
import { layTree } from '../../src/trees/repository.ts';
import { benchOf, type Files, scene } from '../jobs/verify-fixture.ts';
import { freePort, listening } from '../listening.ts';
import { openPythonRoom, type PythonRoom } from './python-room.ts';
import { sourceOf, startPythonIndex, wheelOf } from './wheels.ts';

const KNOWN = wheelOf({ name: 'known', files: { 'known.py': "kind = 'known'\n" } });
const CUP = wheelOf({ name: 'cup', files: { 'cup/__init__.py': 'size = 2\n' } });
const TEA = wheelOf({
  name: 'tea',
  files: { 'tea.py': "kind = 'green tea'\ndef main(): print(kind)\n" },
  requires: ['cup'],
  entryPoints: '[console_scripts]\npour = tea:main\n',
});

let room: PythonRoom;
beforeAll(async () => {
  room = await openPythonRoom([KNOWN, CUP, TEA], ['known==1.0']);
});
afterAll(() => room?.close());

interface World {
  readonly bench: Bench;
  readonly said: readonly string[];
  /** A working copy of the base, with this as its requirements. */
  laid(requirements: string): Promise<string>;
  /** Installs as for any candidate, and gives what people would be told. */
  installed(tree: string): Promise<string>;
  shell(tree: string, command: string): Promise<string>;
}

const base = () => `--index-url ${room.index.url}\nknown==1.0\n`;
const host = (url = room.index.url) => new URL(url).host;

async function world(files: Files = { 'requirements.txt': base() }): Promise<World> {
  const first = await scene(files, {});
  onTestFinished(() => first.remove());
  const before = await benchOf(first);
  const said: string[] = [];
  const environment = { ...before.environment, log: (line: string) => void said.push(line) };
  const bench = { ...before, environment };
  return {
    bench,
    said,
    async laid(requirements) {
      const tree = await mkdtemp(join(treesDirectory(environment.scratch), 'laid-'));
      await layTree(bench.repository, first.brief.base, tree);
      await writeFile(join(tree, 'requirements.txt'), requirements);
      return tree;
    },
    installed: (tree) =>
      install(bench, tree).then(
        () => 'installed',
        (error: unknown) => String(error),
      ),
    async shell(tree, command) {
      const { stdout, stderr } = await runShell(bench, command, tree);
      return (stdout + stderr).trim();
    },
  };
}

/** Adds one package to what the index has, and asks for it. */
async function asking(
  published: Parameters<typeof wheelOf>[0],
  files: Files = {},
): Promise<World & { readonly tree: string; readonly told: string }> {
  const given = await world({ 'requirements.txt': base(), ...files });
  room.index.publish(wheelOf(published));
  const tree = await given.laid(`${base()}${published.name}==1.0\n`);
  return { ...given, tree, told: await given.installed(tree) };
}

/** Code that makes a wheel of nothing, and writes over what the base has as if nobody had. */
const builds = (name: string) => `import os, sysconfig, zipfile
def build_wheel(folder, *_, **__):
    known = os.path.join('${room.environment}', os.path.relpath(sysconfig.get_path('purelib'), sysconfig.get_path('data')), 'known.py')
    was = os.stat(known)
    open(known, 'r+').write("kind = 'evil!'\\n")
    os.utime(known, ns=(was.st_atime_ns, was.st_mtime_ns))
    own = '${name}-1.0.dist-info/'
    with zipfile.ZipFile(os.path.join(folder, '${name}-1.0-py3-none-any.whl'), 'w') as wheel:
        wheel.writestr(own + 'METADATA', 'Metadata-Version: 2.1\\nName: ${name}\\nVersion: 1.0\\n')
        wheel.writestr(own + 'WHEEL', 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
        wheel.writestr(own + 'RECORD', '')
    return '${name}-1.0-py3-none-any.whl'
`;

const python = (code: string) => `python3 -c '${code}'`;

describe('a pinned wheel that a candidate adds', () => {
  test('is there for its tests, with what it needs and its programs, beside what the base has', async () => {
    const { said, laid, installed, shell } = await world();
    const tree = await laid(`${base()}tea==1.0  # green\n`);
    expect(await installed(tree)).toBe('installed');
    expect(await shell(tree, python('import tea, cup, known; print(tea.kind, cup.size, known.kind)'))).toBe(
      'green tea 2 known',
    );
    expect(await shell(tree, 'pour; head -1 "$(command -v pour)"')).toBe(
      `green tea\n#!${room.environment}/bin/python3`,
    );
    expect(said).toEqual(['requirements.txt adds tea==1.0', `pip install, from ${host()}: done`]);
  });

  test('is fetched for once, and there in every other tree', async () => {
    const { laid, installed, shell } = await world();
    await installed(await laid(`${base()}tea==1.0\n`));
    const asked = room.index.asked.length;
    expect(await installed(await laid(`tea==1.0\n${base()}`))).toBe('installed');
    expect(room.index.asked).toHaveLength(asked);
    const untouched = await laid(base());
    expect(await installed(untouched)).toBe('installed');
    expect(await shell(untouched, python('import tea; print(tea.kind)'))).toBe('green tea');
  });

  test('is in nobody’s environment but the job’s, and no command writes there', async () => {
    const { laid, installed, shell } = await world();
    const tree = await laid(`${base()}tea==1.0\n`);
    await installed(tree);
    expect(await shell(tree, `touch ${room.environment}/bin/evil`)).toContain('Read-only file system');
    const there = await execa(join(room.environment, 'bin', 'python3'), ['-c', 'import tea'], { reject: false });
    expect(there.stderr).toContain('ModuleNotFoundError');
  });

  test('opens no way out to its code', async () => {
    const { laid, installed, shell } = await world();
    const tree = await laid(`${base()}tea==1.0\n`);
    await installed(tree);
    const asked = room.index.asked.length;
    const asks = `import urllib.request; urllib.request.urlopen("${room.index.url}/tea/")`;
    expect(await shell(tree, python(asks))).toContain('Connection refused');
    expect(room.index.asked).toHaveLength(asked);
  });

  test('has the digest that its line says, where the base’s lines have digests', async () => {
    const locked = `--index-url ${room.index.url}\nknown==1.0 --hash=sha256:${KNOWN.sha256}\n`;
    const { laid, installed, shell } = await world({ 'requirements.txt': locked });
    const added = (sha: string) => `${locked}tea==1.0 \\\n  --hash=sha256:${sha}\n`;
    expect(await installed(await laid(added(TEA.sha256)))).toContain(
      'all requirements must have their versions pinned',
    );
    const cup = `cup==1.0 --hash=sha256:${CUP.sha256}\n`;
    expect(await installed(await laid(added('0'.repeat(64)) + cup))).toContain('DO NOT MATCH THE HASHES');
    const tree = await laid(added(TEA.sha256) + cup);
    expect(await installed(tree)).toBe('installed');
    expect(await shell(tree, python('import tea; print(tea.kind)'))).toBe('green tea');
  });

  test('comes over TLS from an index whose certificate a company signs itself', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'authority-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const names = ['-subj', '/CN=index', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const files = ['-keyout', 'key.pem', '-out', 'authority.pem'];
    await execa('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...files, ...names], {
      cwd: folder,
    });
    const [key, cert] = [await readFile(join(folder, 'key.pem')), await readFile(join(folder, 'authority.pem'))];
    const front = createTlsServer({ key, cert }, async ({ url = '' }, answer) => {
      const found = await fetch(new URL(url, room.index.url));
      answer.writeHead(found.status, { 'content-type': found.headers.get('content-type') ?? 'text/plain' });
      answer.end(Buffer.from(await found.arrayBuffer()));
    });
    const url = (await listening(front)).replace('http:', 'https:');
    onTestFinished(() => void front.close());
    const requirements = `--index-url ${url}/simple\nknown==1.0\n`;
    const { laid, installed } = await world({ 'requirements.txt': requirements });
    const tree = await laid(`${requirements}tea==1.0\n`);
    expect(await installed(tree)).toMatch(/^SetupError: .*CERTIFICATE_VERIFY_FAILED/s);
    vi.stubEnv('NODE_EXTRA_CA_CERTS', join(folder, 'authority.pem'));
    const again = await world({ 'requirements.txt': requirements });
    expect(await again.installed(await again.laid(`${requirements}tea==1.0\n`))).toBe('installed');
  });
});

describe('nothing is installed', () => {
  test('from an index that the candidate names', async () => {
    const other = await startPythonIndex([TEA, CUP]);
    onTestFinished(() => other.close());
    const { laid, installed } = await world();
    const told = await installed(await laid(`${base()}--extra-index-url ${other.url}\ntea==1.0\n`));
    expect(told).toBe(
      `JobError: \`requirements.txt\` is not followed: \`--extra-index-url ${other.url}\` is an option, which has to be on the default branch first.`,
    );
    expect(other.asked).toEqual([]);
  });

  test('from another host that the index leads to', async () => {
    const other = await startPythonIndex([TEA]);
    onTestFinished(() => other.close());
    const { laid, installed } = await world();
    const away = wheelOf({ name: 'away', files: { 'away.py': '' } });
    room.index.publish({ ...away, elsewhere: new URL(other.url).origin });
    expect(await installed(await laid(`${base()}away==1.0\n`))).toBe(
      `JobError: pip wants packages from ${host(other.url)}; they come from ${host()} only, as the base's requirements.txt says. Where another index is meant, a person names it there on the default branch.`,
    );
    expect(other.asked).toEqual([]);
  });

  test('that only its own code could build, which does not run', async () => {
    const { laid, installed } = await world();
    const tells = `import urllib.request; urllib.request.urlopen("${new URL(room.index.url).origin}/ran")\n`;
    room.index.publish(await sourceOf('source', tells));
    const told = await installed(await laid(`${base()}source==1.0\n`));
    expect(told).toContain('JobError: What requirements.txt adds cannot be had as wheels');
    expect(told).toContain('No matching distribution found for source==1.0');
    expect(room.index.asked).toContain('/simple/source/');
    expect(room.index.asked).not.toContain('/ran');
  });

  test('that needs by an address what its own code builds, though that sets back when it wrote over the base', async () => {
    room.index.publish(await sourceOf('built', builds('built')));
    const address = `${new URL(room.index.url).origin}/files/built-1.0.tar.gz`;
    const { told } = await asking({ name: 'direct', files: { 'direct.py': '' }, requires: [`built @ ${address}`] });
    expect(told).toContain('JobError: What requirements.txt adds is not installed: ');
    expect(told).toMatch(/site-packages\/known\.py` of the base is another now/);
    expect(told).toMatch(/built-1\.0\.dist-info\/direct_url\.json` tells of an address/);
  });

  test('that needs another version of what the base has', async () => {
    room.index.publish(wheelOf({ name: 'known', version: '2.0', files: { 'known.py': "kind = 'other'\n" } }));
    const { told, tree, shell } = await asking({ name: 'needy', files: { 'needy.py': '' }, requires: ['known>=2'] });
    expect(told).toMatch(
      /^JobError: What requirements.txt adds cannot be had as wheels, with what the base has installed as it is/,
    );
    expect(told).toContain('The user requested (constraint) known==1.0');
    expect(await shell(tree, python('import known; print(known.kind)'))).toBe('known');
  });

  test('that writes over a file of the base', async () => {
    const { told, tree, shell } = await asking({ name: 'rude', files: { 'known.py': "kind = 'rude'\n" } });
    expect(told).toContain('JobError: What requirements.txt adds is not installed: ');
    expect(told).toMatch(/site-packages\/known\.py` of the base is another now/);
    expect(await shell(tree, python('import known; print(known.kind)'))).toBe('known');
  });

  test('that would run whenever Python starts, the one that looks at it included', async () => {
    const tells = `import urllib.request; urllib.request.urlopen("${new URL(room.index.url).origin}/started")\n`;
    const { told } = await asking({ name: 'starter', files: { 'starter.pth': tells } });
    expect(told).toMatch(/site-packages\/starter\.pth` would run whenever Python starts; a package that does so/);
    expect(room.index.asked).not.toContain('/started');
  });

  test('that tells Python where its own modules are', async () => {
    const { told, tree, shell } = await asking({
      name: 'settled',
      files: { 'settled-1.0.data/scripts/pyvenv.cfg': 'home = /nowhere/bin\ninclude-system-site-packages = true\n' },
    });
    expect(told).toContain('`bin/pyvenv.cfg` would run whenever Python starts');
    const asks = 'import sys; print([path for path in sys.path if path.endswith("site-packages")])';
    expect(await shell(tree, python(asks))).toMatch(/^\['[^']*\/loopwright-python\/lib\/[^']*'\]$/);
  });

  test('that is what Python itself looks for, or stands before the product’s own folders', async () => {
    const files = { 'nt.py': 'print("unasked")\n', 'shop/__init__.py': '', 'shop/price.py': 'kind = "other"\n' };
    const { told, tree, shell } = await asking({ name: 'posing', files }, { 'shop/price.py': 'kind = "own"\n' });
    expect(told).toMatch(/site-packages\/nt\.py` would be `nt`, for which Python itself looks and finds none/);
    expect(told).toMatch(/shop\/__init__\.py` would stand before the folder `shop` of the repository/);
    expect(await shell(tree, python('import pathlib, shop.price; print(shop.price.kind)'))).toBe('own');
  });

  test('where no index answers, which no other candidate would mend', async () => {
    const requirements = `--index-url http://127.0.0.1:${await freePort()}/simple\nknown==1.0\n`;
    const { laid, installed } = await world({ 'requirements.txt': requirements });
    expect(await installed(await laid(`${requirements}tea==1.0\n`))).toMatch(
      /^SetupError: 127\.0\.0\.1:\d+ cannot be reached\. What requirements\.txt adds/,
    );
  });

  test('where the base has no requirements.txt, and the log says so', async () => {
    const { said, laid, installed, shell } = await world({ 'readme.md': 'A shop.\n' });
    const tree = await laid('tea==1.0\n');
    expect(await installed(tree)).toBe('installed');
    expect(said.join('\n')).toContain(
      'requirements.txt adds tea==1.0, which is not installed: there is no environment',
    );
    expect(await shell(tree, python('import tea'))).toContain('ModuleNotFoundError');
  });
});

test('somebody who works in the tree is told what is not followed, and goes on', async () => {
  const { bench, said, laid } = await world();
  const tree = await laid(`${base()}tea>=1\n`);
  expect(await install(bench, tree, { isWorkedOn: true })).toBe(false);
  expect(said).toEqual([
    '`requirements.txt` is not followed: `tea>=1` does not ask for one version; write it as `name==version`.',
  ]);
});

test('what pytest would load of itself, and what is called as a program of the system, is left out', async () => {
  const { told, said, tree, shell } = await asking({
    name: 'pushy',
    files: { 'pushy.py': "def main(): print('pushy')\n" },
    entryPoints:
      '[console_scripts]\nbash = pushy:main\npydoc3 = pushy:main\npushy = pushy:main\v[pytest11]\vpushy = pushy\n',
  });
  expect(told).toBe('installed');
  const asks = 'from importlib.metadata import entry_points as e; print(len([one for one in e(group="pytest11")]))';
  expect(await shell(tree, `${python(asks)}; pushy; command -v bash`)).toMatch(/^0\npushy\n(?:\/usr)?\/bin\/bash$/);
  expect(said.slice(2).toSorted()).toEqual([
    'bin/bash is left out: the system has a program of this name',
    'bin/pydoc3 is left out: the system has a program of this name',
    expect.stringMatching(
      /entry_points\.txt: runs of tests load none of its plugins, because the base does not have them$/,
    ),
  ]);
});
