/** The image as the Dockerfile makes it, built by buildah, which needs no daemon, and laid out as a directory. */
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { layBase } from './image-base.ts';

/** A container has a user of its own, and only root can be another user. */
export const AS_ROOT: readonly string[] = process.getuid?.() === 0 ? [] : ['sudo', '-n'];

export async function asRoot(...command: readonly string[]): Promise<string> {
  const [program = '', ...argv] = [...AS_ROOT, ...command];
  return (await execa(program, argv)).stdout;
}

/** The image's settings, as far as a container needs them. */
const inspected = z.object({
  Docker: z.object({
    config: z.object({
      User: z.string(),
      Env: z.array(z.string()),
      Entrypoint: z.array(z.string()),
      Cmd: z.array(z.string()),
      WorkingDir: z.string(),
      StopSignal: z.string(),
      ExposedPorts: z.record(z.string(), z.unknown()),
      Volumes: z.record(z.string(), z.unknown()),
      Healthcheck: z.object({ Test: z.array(z.string()), Interval: z.int(), Timeout: z.int(), StartPeriod: z.int() }),
    }),
  }),
  OCIv1: z.object({ history: z.array(z.object({ created_by: z.string().optional() })) }),
});

export interface BuiltImage {
  readonly settings: z.infer<typeof inspected>['Docker']['config'];
  /** The commands of all layers. */
  readonly history: readonly string[];
  /** Its files. */
  readonly root: string;
  readonly seconds: number;
  /** In millions of bytes, as buildah counts, and how much of them the base is. */
  readonly size: string;
  readonly baseSize: string;
  remove(): Promise<void>;
}

/** Builds the image of a checkout. `secret` stands in the npmrc that the build is given. */
export async function buildImage(checkout: string, secret: string): Promise<BuiltImage> {
  const directory = await mkdtemp(join(tmpdir(), 'loopwright-image-'));
  const at = (name: string) => join(directory, name);
  const buildah = (...argv: readonly string[]) =>
    asRoot('buildah', '--root', at('store'), '--runroot', at('run'), '--storage-driver', 'vfs', ...argv);
  const build = (...argv: readonly string[]) =>
    buildah('build', '--format', 'docker', '--isolation', 'chroot', ...argv);
  await mkdir(at('base'));
  await layBase(join(at('base'), 'files'));
  await writeFile(join(at('base'), 'Dockerfile'), 'FROM scratch\nCOPY files /\n');
  await build('--tag', 'base', at('base'));
  const began = performance.now();
  await writeFile(at('npmrc'), await registry(secret));
  const { stdout: cache } = await execa('npm', ['config', 'get', 'cache']);
  await mkdir(cache, { recursive: true });
  const given = ['--build-arg', 'BASE=localhost/base', '--secret', `id=npmrc,src=${at('npmrc')}`];
  await build(...given, '--volume', `${cache}:/root/.npm`, '--tag', 'loopwright', checkout);
  const seconds = (performance.now() - began) / 1000;
  const { Docker, OCIv1 } = inspected.parse(JSON.parse(await buildah('inspect', '--type', 'image', 'loopwright')));
  const root = await buildah('mount', await buildah('from', 'localhost/loopwright'));
  // The user of a container has to come to its root.
  for (let above = dirname(root); above.startsWith(directory); above = dirname(above))
    await asRoot('chmod', 'o+x', above);
  const sizeOf = async (name: string) => buildah('images', '--format', '{{.Size}}', `localhost/${name}`);
  return {
    settings: Docker.config,
    history: OCIv1.history.map(({ created_by: command = '' }) => command),
    root,
    seconds,
    size: await sizeOf('loopwright'),
    baseSize: await sizeOf('base'),
    remove: async () => {
      await asRoot('rm', '-rf', directory);
    },
  };
}

/** How npm finds its registry here, but that certificates are where the base has them. */
async function registry(secret: string): Promise<string> {
  const { stdout } = await execa('npm', ['config', 'get', 'registry']);
  return `registry=${stdout}\ncafile=/etc/ssl/certs/ca-certificates.crt\nprefer-offline=true\n; ${secret}\n`;
}

/** A copy of what git knows or would take in, with what lies around in a checkout that somebody works in. */
export async function lendCheckout(checkout: string, around: Readonly<Record<string, string>>): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'loopwright-context-'));
  const { stdout } = await execa('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: checkout });
  for (const file of stdout.split('\n').filter((name) => existsSync(join(checkout, name)))) {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    await cp(join(checkout, file), join(copy, file));
  }
  for (const [file, text] of Object.entries(around)) {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    await writeFile(join(copy, file), text);
  }
  return copy;
}
