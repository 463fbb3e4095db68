/** A registry of npm packages on this machine, with what npm asks one for: https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { listening } from '../listening.ts';

/** The manifest of a package beside name and version, and its `index.js`. */
export interface Published {
  readonly manifest?: Readonly<Record<string, unknown>>;
  readonly index: string;
}

export interface Registry {
  readonly url: string;
  /** What was asked for, in order. */
  readonly asked: readonly string[];
  /** Another content under the same name and version, as a registry that was broken into would have. */
  poison(name: string, index: string): Promise<void>;
  close(): Promise<void>;
}

interface Stored {
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly integrity: string;
  tarball: Buffer;
}

export interface Place {
  /** Without one, any that is free. */
  readonly port?: number;
  /** How others reach it; without one, where it listens. */
  readonly publicUrl?: string;
  /** Is told each path that is asked for. */
  readonly tell?: (path: string) => void;
}

/** Version 1.0.0 of each. */
export async function startRegistry(
  packages: Readonly<Record<string, Published>>,
  { port, publicUrl, tell }: Place = {},
): Promise<Registry> {
  const asked: string[] = [];
  const stored = new Map<string, Stored>();
  for (const [name, { manifest: own = {}, index }] of Object.entries(packages)) {
    const manifest = { name, version: '1.0.0', main: 'index.js', ...own };
    const tarball = await packed(manifest, index);
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
    stored.set(name, { manifest, integrity, tarball });
  }
  const server = createServer(({ url: path = '' }, answer) => {
    asked.push(path);
    tell?.(path);
    const [name = '', file] = decodeURIComponent(path.slice(1)).split('/-/');
    const found = stored.get(name);
    if (found === undefined) return answer.writeHead(404).end('{}');
    if (file !== undefined) return answer.end(found.tarball);
    const dist = { integrity: found.integrity, tarball: `${url}/${name}/-/${name}-1.0.0.tgz` };
    const versions = { '1.0.0': { ...found.manifest, dist } };
    return answer.end(JSON.stringify({ name, 'dist-tags': { latest: '1.0.0' }, versions }));
  });
  const heard = await listening(server, port);
  const url = publicUrl ?? heard;
  return {
    url,
    asked,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    async poison(name, index) {
      const found = stored.get(name);
      if (found === undefined) throw new Error(`${name} is not in this registry`);
      found.tarball = await packed(found.manifest, index);
    },
  };
}

async function packed(manifest: object, index: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'packed-'));
  try {
    await mkdir(join(folder, 'package'));
    await writeFile(join(folder, 'package', 'package.json'), JSON.stringify(manifest));
    await writeFile(join(folder, 'package', 'index.js'), index);
    // The same bytes each time, as a version that is published once has.
    const always = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--use-compress-program=gzip -n'];
    const { stdout } = await execa('tar', [...always, '-cf', '-', '-C', folder, 'package'], { encoding: 'buffer' });
    return Buffer.from(stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
