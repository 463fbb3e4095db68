/** A base for the image, of this machine's own files: no registry of images is asked for. It has what the Dockerfile needs of any base: Node 24, npm, git, a shell. */
import { chmod, cp, mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';

const PROGRAMS = ['sh', 'env', 'git', 'tar', 'gzip', 'mkdir', 'mv', 'rm', 'ls', 'find'] as const;
/** What git starts to speak HTTP. */
const GIT_PROGRAMS = ['git', 'git-remote-http', 'git-remote-https'] as const;
/** As in Debian, where these are links. */
const MERGED = ['bin', 'lib', 'lib64', 'sbin'] as const;

/** Lays the root of the base into an empty directory. */
export async function layBase(root: string): Promise<void> {
  for (const name of MERGED) {
    await mkdir(join(root, 'usr', name), { recursive: true });
    await symlink(`usr/${name}`, join(root, name));
  }
  const core = (await execa('git', ['--exec-path'])).stdout;
  for (const name of PROGRAMS) await layProgram(root, await placeOf(name), join('/usr/bin', name));
  for (const name of GIT_PROGRAMS) await layProgram(root, join(core, name), join(core, name));
  await layProgram(root, process.execPath, '/usr/local/bin/node');
  for (const library of await cLibraries()) await lay(root, library, inUsr(library));
  await layNpm(root);
  await mkdir(join(root, 'tmp'));
  await chmod(join(root, 'tmp'), 0o1777);
  for (const name of ['dev', 'proc']) await mkdir(join(root, name));
  await mkdir(join(root, 'root'), { mode: 0o700 });
  await mkdir(join(root, 'etc', 'ssl', 'certs'), { recursive: true });
  await writeFile(join(root, 'etc', 'passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
  await cp('/etc/ssl/certs/ca-certificates.crt', join(root, 'etc', 'ssl', 'certs', 'ca-certificates.crt'));
}

async function placeOf(program: string): Promise<string> {
  return (await execa('which', [program])).stdout;
}

/** The program with the libraries that it is linked to; a link to another program becomes one. */
async function layProgram(root: string, from: string, to: string): Promise<void> {
  await lay(root, await realpath(from), to);
  const { stdout } = await execa('ldd', [from], { reject: false });
  for (const [, library = ''] of stdout.matchAll(/(\/\S+) \(0x/g))
    await lay(root, await realpath(library), inUsr(library));
}

/** All of the C library: packages of npm bring programs of their own that are linked to other parts of it. */
async function cLibraries(): Promise<readonly string[]> {
  const { stdout } = await execa('dpkg', ['-L', 'libc6']);
  return stdout.split('\n').filter((path) => /\/lib[^/]*\.so\.\d+$/.test(path));
}

function inUsr(library: string): string {
  return library.startsWith('/usr/') ? library : join('/usr', library);
}

async function lay(root: string, from: string, to: string): Promise<void> {
  await mkdir(join(root, dirname(to)), { recursive: true });
  await cp(from, join(root, to), { force: true });
}

async function layNpm(root: string): Promise<void> {
  const command = await realpath(await placeOf('npm'));
  const modules = join(root, 'usr', 'local', 'lib', 'node_modules');
  await cp(dirname(dirname(command)), join(modules, 'npm'), { recursive: true, verbatimSymlinks: true });
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr', 'local', 'bin', 'npm'));
}
