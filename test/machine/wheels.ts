/** Packages of Python as pip takes them, and an index of them on this machine: https://packaging.python.org/en/latest/specifications/simple-repository-api/ */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { strToU8, zipSync } from 'fflate';
import { listening } from '../listening.ts';

export interface Distribution {
  readonly file: string;
  readonly content: Uint8Array;
  readonly sha256: string;
  /** Where it lies, where that is not the index itself. */
  readonly elsewhere?: string;
}

export interface Wheel {
  readonly name: string;
  readonly version?: string;
  /** Texts by path, in the folder of packages. */
  readonly files: Readonly<Record<string, string>>;
  readonly requires?: readonly string[];
  readonly entryPoints?: string;
}

/** A wheel that any Python takes. */
export function wheelOf({ name, version = '1.0', files, requires = [], entryPoints }: Wheel): Distribution {
  const own = `${name}-${version}.dist-info`;
  const needs = requires.map((one) => `Requires-Dist: ${one}\n`).join('');
  const all: Record<string, string> = {
    ...files,
    [`${own}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n${needs}`,
    [`${own}/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    ...(entryPoints === undefined ? {} : { [`${own}/entry_points.txt`]: entryPoints }),
  };
  const record = [...Object.keys(all), `${own}/RECORD`].map((path) => `${path},,\n`).join('');
  const texts = Object.entries({ ...all, [`${own}/RECORD`]: record });
  const content = zipSync(Object.fromEntries(texts.map(([path, text]) => [path, strToU8(text)])));
  return distribution(`${name}-${version}-py3-none-any.whl`, content);
}

/** A package that only its own code could build, which needs nothing else for it. */
export async function sourceOf(name: string, code: string): Promise<Distribution> {
  const folder = await mkdtemp(join(tmpdir(), 'source-'));
  const files = {
    'PKG-INFO': `Metadata-Version: 2.1\nName: ${name}\nVersion: 1.0\n`,
    'pyproject.toml': '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
    'backend.py': code,
  };
  try {
    await mkdir(join(folder, `${name}-1.0`));
    for (const [path, text] of Object.entries(files)) await writeFile(join(folder, `${name}-1.0`, path), text);
    await execa('tar', ['-czf', 'source.tar.gz', `${name}-1.0`], { cwd: folder });
    return distribution(`${name}-1.0.tar.gz`, await readFile(join(folder, 'source.tar.gz')));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function distribution(file: string, content: Uint8Array): Distribution {
  return { file, content, sha256: createHash('sha256').update(content).digest('hex') };
}

export interface PythonIndex {
  /** What `--index-url` takes. */
  readonly url: string;
  /** What was asked for, in order. */
  readonly asked: readonly string[];
  publish(distribution: Distribution): void;
  close(): Promise<void>;
}

export async function startPythonIndex(distributions: readonly Distribution[]): Promise<PythonIndex> {
  const asked: string[] = [];
  const kept = new Map(distributions.map((one) => [one.file, one]));
  const server = createServer(({ url: path = '' }, answer) => {
    asked.push(path);
    const [, room, name = ''] = path.split('/');
    const found = kept.get(name);
    if (room === 'files' && found !== undefined) return answer.end(found.content);
    const files = [...kept.values()].filter(({ file }) => file.startsWith(`${name.replaceAll('-', '_')}-`));
    if (room !== 'simple' || files.length === 0) return answer.writeHead(404).end();
    const links = files.map(
      ({ file, sha256, elsewhere = '' }) => `<a href="${elsewhere}/files/${file}#sha256=${sha256}">${file}</a>`,
    );
    return answer
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<!DOCTYPE html><html><body>${links.join('\n')}</body></html>`);
  });
  const heard = await listening(server);
  return {
    url: `${heard}/simple`,
    asked,
    publish: (one) => void kept.set(one.file, one),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
