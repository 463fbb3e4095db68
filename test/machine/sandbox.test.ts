import { existsSync, realpathSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSandbox, type Sandbox, type SandboxCommand, treesDirectory } from '../../src/sandbox/sandbox.ts';
import { PROCESSORS } from '../../src/sandbox/turns.ts';
import { listening } from '../listening.ts';

let root: string;
let workspace: string;
let scratch: string;
let sandbox: Sandbox;
const limits = { timeoutMs: 10_000, outputBytes: 100_000 };

function sh(script: string, more: Partial<SandboxCommand> = {}) {
  return sandbox.run({ argv: ['bash', '-c', script], directory: workspace, ...limits, ...more });
}

beforeAll(async () => {
  root = realpathSync(await mkdtemp(join(tmpdir(), 'sandbox-')));
  workspace = join(root, 'workspace');
  scratch = join(root, 'scratch');
  await mkdir(workspace);
  await mkdir(scratch);
  await execa('git', ['init', '-q', workspace]);
  sandbox = await openSandbox({ workspace, readOnly: [], scripted: false, scratch });
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe('the bubblewrap sandbox', () => {
  it('says that it is bubblewrap and runs as an unprivileged user without capabilities', async () => {
    const result = await sh('id -u; grep CapBnd /proc/self/status; unshare -U true');
    expect(sandbox.kind).toBe('bubblewrap');
    expect(result.stdout).toBe('1000\nCapBnd:\t0000000000000000\n');
    expect(result.exitCode).not.toBe(0);
  });

  it('lets a command write in the workspace and nowhere else', async () => {
    const result = await sh(
      `echo kept > kept; echo x > ${root}/out; for place in ${scratch}/out /usr/out /etc/out /dev/out /out ${homedir()}/out; do echo x > $place && echo "wrote $place"; done`,
    );
    expect(await readFile(join(workspace, 'kept'), 'utf8')).toBe('kept\n');
    expect(result.stdout).toBe('');
    expect(result.stderr.match(/Read-only file system|No such file/g)).toHaveLength(6);
    // The workspace's parent is under /tmp, which is the command's own inside.
    expect(existsSync(join(root, 'out'))).toBe(false);
  });

  it('lets others work while commands wait, and counts the time of one from its turn', async () => {
    const startedMs = performance.now();
    const waiting = Array.from({ length: 2 * PROCESSORS }, () => sh('sleep 4'));
    const worked = await Promise.all(
      Array.from({ length: 2 * PROCESSORS }, () => sh('echo worked', { timeoutMs: 2000 })),
    );
    expect(worked.map(({ stdout }) => stdout)).toEqual(worked.map(() => 'worked\n'));
    const longMs = performance.now() - startedMs;
    const ended = await Promise.all(waiting);
    expect(ended.map(({ exitCode }) => exitCode)).toEqual(ended.map(() => 0));
    // One after the other they would wait for as many sleeps as there are turns.
    expect(longMs).toBeLessThan(7000);
  });

  it('does not follow a symbolic link out of the workspace', async () => {
    await writeFile(join(root, 'secret'), 'secret');
    expect((await sh(`ln -sf ${root}/secret link; cat link; echo x > link`)).stdout).toBe('');
    expect(await readFile(join(root, 'secret'), 'utf8')).toBe('secret');
  });

  it('reaches no listener on the host', async () => {
    const server = createServer((_request, response) => response.end('host'));
    const url = await listening(server);
    const outside = await fetch(url);
    const result = await sh(`node -e "fetch('${url}').then(() => console.log('reached'))"`);
    server.close();
    expect(await outside.text()).toBe('host');
    expect(result.stdout).toBe('');
    expect(result.stderr).toContain('ECONNREFUSED');
  });

  it('lets a command serve and call 127.0.0.1 inside', async () => {
    const script = `require('http').createServer((q, r) => r.end('own')).listen(0, '127.0.0.1', async function () {
      console.log(await (await fetch('http://127.0.0.1:' + this.address().port)).text()); process.exit() })`;
    expect((await sandbox.run({ argv: ['node', '-e', script], directory: workspace, ...limits })).stdout).toBe('own\n');
  });

  it('shows neither the home directory nor the processes of the host', async () => {
    const result = await sh(
      `ls -A ${homedir()} 2>/dev/null | grep -v pyenv; ls ${process.cwd()}/package.json; cat /proc/${process.pid}/environ; ls -d /proc/[0-9]* | wc -l`,
    );
    expect(Number(result.stdout.trim())).toBeLessThan(8);
    expect(result.stderr.match(/No such file/g)).toHaveLength(process.pid < 8 ? 1 : 2);
  });

  it('passes nothing of the environment but what the caller names', async () => {
    process.env.SANDBOX_CANARY = 'canary-4711';
    const result = await sh('env | cut -d= -f1 | sort | tr "\\n" " "; cat /proc/*/environ | tr "\\0" "\\n"', {
      env: { NAMED: 'yes' },
    });
    delete process.env.SANDBOX_CANARY;
    expect(result.stdout).toContain('HOME LANG NAMED PATH PWD SHLVL TMPDIR _ ');
    expect(result.stdout).not.toContain('canary-4711');
  });

  it('takes a process that left its session down with the command', async () => {
    const mark = `${60 + Math.floor(Math.random() * 1e6)}.5`;
    const result = await sh(`setsid sleep ${mark} > /dev/null 2>&1 & sleep 0.2; pgrep -f "sleep ${mark}" | wc -l`);
    expect(Number(result.stdout)).toBeGreaterThan(0);
    expect((await execa('pgrep', ['-fx', `sleep ${mark}`], { reject: false })).stdout).toBe('');
  });

  it('kills everything at the deadline, also what left the session', async () => {
    const mark = `${60 + Math.floor(Math.random() * 1e6)}.25`;
    const result = await sh(`setsid sleep ${mark} & sleep ${mark}`, { timeoutMs: 500 });
    expect(result).toMatchObject({ timedOut: true, exitCode: undefined, signal: 'SIGKILL' });
    expect(result.durationMs).toBeLessThan(30_000);
    expect((await execa('pgrep', ['-fx', `sleep ${mark}`], { reject: false })).stdout).toBe('');
  });

  it('keeps only the first bytes of the output and says so', async () => {
    const result = await sh('yes | head -c 5000000; echo end >&2', { outputBytes: 1000 });
    expect(result).toMatchObject({ truncated: true, exitCode: 0, stderr: 'end\n' });
    expect(result.stdout).toHaveLength(1000);
  });

  it('protects the hooks and the configuration of git, also against moving .git away', async () => {
    const result = await sh(
      'echo x > .git/hooks/pre-commit; git config core.fsmonitor /bin/sh; mv .git other; ls -A; git status --short > /dev/null && echo readable',
    );
    expect(result.stdout).toContain('.git\n');
    expect(result.stdout).not.toContain('other');
    expect(result.stdout).toContain('readable');
    expect(existsSync(join(workspace, '.git/hooks/pre-commit'))).toBe(false);
    expect(await readFile(join(workspace, '.git/config'), 'utf8')).not.toContain('fsmonitor');
  });

  it('returns what a command writes to file descriptor 3, apart from its output', async () => {
    const node = `require('fs').writeSync(3, 'from node\\n')`;
    const python = `import os; os.write(3, b'from python')`;
    const result = await sh(`node -e "${node}"; python3 -c "${python}"; echo plain`, { results: true });
    expect(result).toMatchObject({ results: 'from node\nfrom python', stdout: 'plain\n' });
  });

  it('passes on no descriptor that was open here', async () => {
    const probe =
      'ls /proc/self/fd; for fd in 3 4 5 6 7 8 9; do [ -e /proc/self/fd/$fd ] && readlink /proc/self/fd/$fd; done';
    const read = `for (let at = 3; at < 2000; at += 1)
      try { if (require('fs').fstatSync(at).isFile()) console.log(at + ' is a file'); } catch {}
      console.log('looked');`;
    await writeFile(
      join(root, 'open.mjs'),
      `import { openSandbox } from ${JSON.stringify(pathToFileURL(resolve('src/sandbox/sandbox.ts')).href)};
       const sandbox = await openSandbox(${JSON.stringify({ workspace, readOnly: [], scripted: false, scratch })});
       const result = await sandbox.run({ argv: ['bash', '-c', ${JSON.stringify(probe)}], directory: ${JSON.stringify(workspace)}, timeoutMs: 9000, outputBytes: 9000 });
       console.log(result.stdout + result.stderr);
       const judged = await sandbox.run({ argv: [sandbox.node, '-e', ${JSON.stringify(read)}], directory: ${JSON.stringify(workspace)}, timeoutMs: 9000, outputBytes: 9000, results: true, judged: true });
       console.log('read: ' + judged.stdout + judged.stderr);`,
    );
    await writeFile(join(root, 'secret.log'), 'a log of the host');
    const opened = [4, 5, 9, 55, 255, 1023, 1500].map((at) => `${at}<${root}/secret.log`).join(' ');
    const script = `exec ${opened}; exec ${process.execPath} ${root}/open.mjs`;
    const { stdout } = await execa('bash', ['-c', script]);
    expect(stdout.trim()).toBe('0\n1\n2\n3\n\nread: looked');
  });

  it('opens to no process that is judged the memory in which it is judged, also to root', async () => {
    const script = `const fs = require('fs'); for (const name of ['mem', 'maps', 'environ', 'fd/0'])
      try { fs.closeSync(fs.openSync('/proc/self/' + name)); console.log('opened ' + name); } catch { console.log('closed'); }`;
    const { node } = sandbox;
    const result = await sandbox.run({ argv: [node, '-e', script], directory: workspace, ...limits, judged: true });
    expect(result.stdout).toBe('closed\nclosed\nclosed\nclosed\n');
  });

  it('hands over standard input and reports exit codes and missing programs', async () => {
    expect((await sh('cat; exit 7', { stdin: 'typed' })).stdout).toBe('typed');
    expect((await sh('exit 7')).exitCode).toBe(7);
    expect((await sandbox.run({ argv: ['no-such-program'], directory: workspace, ...limits })).exitCode).toBe(127);
  });

  it('binds a tree for writing only for a command that runs in it', async () => {
    const one = join(treesDirectory(scratch), 'one');
    const two = join(treesDirectory(scratch), 'two');
    await mkdir(one);
    await mkdir(two);
    await sh(`echo x > made; echo x > ${two}/made; echo x > ${workspace}/made-by-one`, { directory: one });
    expect([existsSync(join(one, 'made')), existsSync(join(two, 'made'))]).toEqual([true, false]);
    expect(existsSync(join(workspace, 'made-by-one'))).toBe(false);
    await expect(sh('true', { directory: root })).rejects.toThrow(/neither in the workspace/);
  });

  it('limits the temporary directory', async () => {
    const result = await sh('df --output=size -B1M /tmp | tail -1; ulimit -c; ulimit -f');
    expect(result.stdout.split(/\s+/).filter(Boolean)).toEqual(['512', '0', '1048576']);
  });
});

describe('where bubblewrap does not work', () => {
  const failing = { program: '/bin/false' };

  it('refuses to run what a model wrote and says what to do', async () => {
    await expect(openSandbox({ workspace, readOnly: [], scripted: false, scratch, ...failing })).rejects.toThrow(
      'The sandbox needs bubblewrap, and bwrap cannot create a namespace here (exit code 1); install it on the runner (apt-get install bubblewrap) and allow user namespaces, or use the scripted model.',
    );
    const missing = { workspace, readOnly: [], scripted: false, scratch, program: '/nowhere/bwrap' };
    await expect(openSandbox(missing)).rejects.toThrow('/nowhere/bwrap: No such file or directory');
  });

  it('runs the scripted model with a clean environment and a deadline, and calls itself none', async () => {
    const bare = await openSandbox({ workspace, readOnly: [], scripted: true, scratch, ...failing });
    process.env.SANDBOX_CANARY = 'canary-4711';
    const result = await bare.run({
      argv: ['bash', '-c', 'env; echo r >&3'],
      directory: workspace,
      ...limits,
      results: true,
    });
    delete process.env.SANDBOX_CANARY;
    expect(bare.kind).toBe('none');
    expect(result.stdout).not.toContain('canary-4711');
    expect(result.results).toBe('r\n');
    const slow = await bare.run({
      argv: ['bash', '-c', 'sleep 60 & sleep 60'],
      directory: workspace,
      ...limits,
      timeoutMs: 300,
    });
    expect(slow.timedOut).toBe(true);
    expect((await bare.run({ argv: ['no-such-program'], directory: workspace, ...limits })).exitCode).toBe(127);
  });
});
