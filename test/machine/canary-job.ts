/**
 * A job on a runner, on which secrets lie about: `canary-job.ts DIRECTORY` plants a canary for each try, runs the same probe as the job itself and in its sandbox, and prints
 * what each found as JSON. In a network of its own, whose addresses are those of others.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createServer as createSocket } from 'node:net';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { openSandbox } from '../../src/sandbox/sandbox.ts';

const [root = ''] = process.argv.slice(2);
const home = join(root, 'home');
const SIZE = 12;
const canary = (name: string): string => `canary-${name.replaceAll(/\W+/g, '-')}-${randomBytes(SIZE).toString('hex')}`;

interface Try {
  readonly name: string;
  /** Lays it where the probe finds it; what is to be taken away is given back. */
  readonly plant: (value: string) => Promise<(() => void) | undefined> | (() => void) | undefined;
  /** A program of bash that prints what it finds; `$NODE` is a Node. */
  readonly probe: string;
}

const file = (name: string, path: string): Try => ({
  name,
  plant: (value) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `token=${value}\n`);
    return () => rmSync(path, { force: true });
  },
  probe: `cat '${path}'`,
});

const variable = (name: string): Try => ({
  name: `the variable ${name}`,
  plant: (value) => {
    process.env[name] = value;
    return undefined;
  },
  probe: `echo "$${name}"`,
});

/** What answers at an address that is not the sandbox's own. */
const web = (name: string, address: string, port: number, path = '/'): Try => ({
  name,
  plant: async (value) => {
    const server = createHttp((_, response) => response.end(value));
    await new Promise<void>((resolve) => server.listen(port, address, resolve));
    return () => void server.close();
  },
  probe: `"$NODE" -e 'fetch("http://${address.includes(':') ? `[${address}]` : address}:${port}${path}").then((answer) => answer.text()).then(console.log)'`,
});

const socket = (name: string, path: string): Try => ({
  name,
  plant: async (value) => {
    const server = createSocket((connection) => connection.end(value));
    await new Promise<void>((resolve) => server.listen(path, resolve));
    return () => void server.close();
  },
  probe: `"$NODE" -e 'require("net").connect(${JSON.stringify(path)}).on("data", (data) => console.log(String(data)))'`,
});

const TRIES: readonly Try[] = [
  variable('GITHUB_TOKEN'),
  variable('ACTIONS_ID_TOKEN_REQUEST_TOKEN'),
  variable('ACTIONS_RUNTIME_TOKEN'),
  variable('LLM_API_KEY'),
  variable('PRIVATE_KEY'),
  variable('NODE_AUTH_TOKEN'),
  {
    name: 'the environment of every process',
    plant: (value) => {
      const child = spawn('sleep', ['300'], { env: { SECRET: value }, stdio: 'ignore' });
      return () => child.kill('SIGKILL');
    },
    probe: 'cat /proc/*/environ 2>/dev/null | tr "\\0" "\\n" | grep -a SECRET',
  },
  {
    name: 'the command line of every process',
    plant: (value) => {
      const child = spawn('bash', ['-c', 'read', value], { stdio: ['pipe', 'ignore', 'ignore'] });
      return () => child.kill('SIGKILL');
    },
    probe: 'cat /proc/*/cmdline 2>/dev/null | tr "\\0" "\\n" | grep -a ^canary',
  },
  {
    name: 'a descriptor that the job has open',
    plant: (value) => {
      const path = join(root, 'opened');
      writeFileSync(path, value);
      openSync(path, 'r');
      return undefined;
    },
    probe: 'find /proc/[0-9]*/fd -lname "*/opened" -exec cat {} + 2>/dev/null',
  },
  ...['.npmrc', '.netrc', '.git-credentials', '.ssh/id_ed25519', '.config/gh/hosts.yml'].map((name) =>
    file(`~/${name}`, join(home, name)),
  ),
  ...['.docker/config.json', '.aws/credentials', '.bash_history'].map((name) => file(`~/${name}`, join(home, name))),
  file('the credentials of the runner', join(root, 'runner', '.credentials_rsaparams')),
  file('the log of the runner', join(root, 'runner', '_diag', 'Worker.log')),
  file('the script of the step', join(root, 'temp', 'step.sh')),
  file('the brief of the job', join(root, 'temp', 'loopwright', 'brief.json')),
  file('the brief of another run', join(root, 'work', 'other', 'brief.json')),
  file('what another run works on', join(root, 'work', 'other', 'workspace', '.env')),
  file('the temporary directory', `/tmp/loopwright-canary-${process.pid}`),
  file('the temporary directory that stays', `/var/tmp/loopwright-canary-${process.pid}`),
  file('shared memory', `/dev/shm/loopwright-canary-${process.pid}`),
  file('the folder of services', `/run/loopwright-canary-${process.pid}`),
  socket('a socket as that of docker', join(root, 'docker.sock')),
  socket('a socket without a file', `\0loopwright-canary-${process.pid}`),
  {
    ...socket('the socket of an agent for keys', join(root, 'agent.sock')),
    probe: `"$NODE" -e 'require("net").connect(process.env.SSH_AUTH_SOCK ?? ${JSON.stringify(join(root, 'agent.sock'))}).on("data", (data) => console.log(String(data)))'`,
  },
  web('a server of this machine', '127.0.0.1', 4801),
  web('a server of this machine, by IPv6', '::1', 4802),
  web('GitHub', '10.77.0.1', 80, '/api/v3/user'),
  web("the App's brief of another run", '10.77.0.2', 80, '/briefs/brief-1.json'),
  web('the model', '10.77.0.3', 80, '/v1/models'),
  web('the metadata of the cloud', '169.254.169.254', 80, '/latest/meta-data/iam'),
  web('the credentials of a container', '169.254.170.2', 80, '/v2/credentials'),
];

/** What a command is given: found inside, too, so that the probes are ones there. */
const given = file('what the command works on', join(root, 'workspace', 'given'));
const GIVEN: readonly Try[] = [
  given,
  {
    ...given,
    name: `${given.name}, by Node`,
    probe: `"$NODE" -e 'console.log(require("fs").readFileSync(${JSON.stringify(join(root, 'workspace', 'given by Node'))}, "utf8"))'`,
    plant: file('', join(root, 'workspace', 'given by Node')).plant,
  },
];

for (const folder of ['workspace', 'scratch', 'home']) mkdirSync(join(root, folder), { recursive: true });
process.env.HOME = home;
process.env.SSH_AUTH_SOCK = join(root, 'agent.sock');
const planted = [...TRIES, ...GIVEN].map((one) => ({ ...one, value: canary(one.name) }));
const taken: (() => void)[] = [];
try {
  for (const { plant, value } of planted) taken.push((await plant(value)) ?? (() => undefined));
  const sandbox = await openSandbox({
    ...{ workspace: join(root, 'workspace'), scratch: join(root, 'scratch'), readOnly: [], scripted: false },
  });
  const found: { name: string; isGiven: boolean; outside: boolean; inside: boolean }[] = [];
  for (const { name, probe, value } of planted) {
    const outside = await execa('timeout', ['--kill-after=1', '20', 'bash', '-c', probe], {
      env: { NODE: process.execPath },
      reject: false,
      timeout: 30_000,
    });
    const inside = await sandbox.run({
      ...{ argv: ['bash', '-c', probe], directory: join(root, 'workspace'), env: { NODE: sandbox.node } },
      ...{ timeoutMs: 30_000, outputBytes: 1_000_000 },
    });
    const holds = (text: string) => text.includes(value);
    const isGiven = GIVEN.some((that) => that.name === name);
    found.push({ name, isGiven, outside: holds(outside.stdout), inside: holds(inside.stdout + inside.stderr) });
  }
  process.stdout.write(`${JSON.stringify({ kind: sandbox.kind, found })}\n`);
} finally {
  for (const take of taken) take();
}
process.exit(0);
