/** A command's way out of the sandbox, by real programs that look for a proxy as they do everywhere. */
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createNetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { programText } from '../../src/inside/program-text.ts';
import { egressTo } from '../../src/jobs/run-job.ts';
import { openEgress } from '../../src/sandbox/egress.ts';
import { openSandbox, type Sandbox, treesDirectory } from '../../src/sandbox/sandbox.ts';
import { runTests } from '../../src/test-runs/test-run.ts';
import { freePort, listening } from '../listening.ts';

let root: string;
let sandbox: Sandbox;
let tree: string;
beforeAll(async () => {
  root = realpathSync(await mkdtemp(join(tmpdir(), 'egress-test-')));
  const [workspace, scratch] = [join(root, 'workspace'), join(root, 'scratch')];
  await Promise.all([mkdir(workspace), mkdir(scratch)]);
  sandbox = await openSandbox({ workspace, readOnly: [], scripted: false, scratch });
  tree = await mkdtemp(join(treesDirectory(scratch), 'tree-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** A host that says what it was asked for. What 127.0.0.1 has is within the sandbox, so it is at another address of this machine. */
async function host(): Promise<string> {
  const server = createServer(({ method, url, headers }, answer) => {
    answer.end(`${method} ${url} for ${headers.host} ${'proxy-connection' in headers}`);
  });
  await once(server.listen(0, '127.0.0.2'), 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the host listens on no port');
  return `127.0.0.2:${address.port}`;
}

async function reached(script: string, hosts: readonly string[]) {
  const egress = await openEgress(new Set(hosts), programText('egress.mjs'));
  onTestFinished(() => egress.close());
  const command = { argv: ['bash', '-c', script], directory: tree, timeoutMs: 20_000, outputBytes: 100_000 };
  const result = await sandbox.run({ ...command, egress });
  return { ...result, refused: egress.refused(), unreached: egress.unreached() };
}

const ASKER = `
import http.client, os, sys, urllib.error, urllib.parse, urllib.request
url, how = sys.argv[1:]
host = urllib.parse.urlsplit(url).netloc
try:
    if how == "tunnel":
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(os.environ["https_proxy"]).netloc, timeout=5)
        connection.set_tunnel(host)
        connection.request("GET", urllib.parse.urlsplit(url).path)
        print(connection.getresponse().read().decode())
    else:
        proxies = [urllib.request.ProxyHandler({})] if how == "direct" else []
        print(urllib.request.build_opener(*proxies).open(url, timeout=5).read().decode())
except urllib.error.HTTPError as error:
    print(error.code)
except OSError as error:
    print(str(error))
`;
const ASK = (url: string, how: 'plain' | 'tunnel' | 'direct') => `python3 -c '${ASKER}' ${url} ${how}`;

test('leads to a named host, by plain requests and by tunnels', async () => {
  const there = await host();
  const asks = [ASK(`http://${there}/plain?a=1`, 'plain'), ASK(`http://${there}/tunnel`, 'tunnel')];
  const { stdout, refused } = await reached(asks.join('\n'), [there]);
  expect(stdout).toBe(`GET /plain?a=1 for ${there} false\nGET /tunnel for ${there} false\n`);
  expect(refused).toEqual([]);
});

test('leads nowhere else, and names where it was asked to lead', async () => {
  const [there, elsewhere] = [await host(), await host()];
  const { stdout, refused } = await reached(
    [
      ASK(`http://${elsewhere}/`, 'plain'),
      ASK(`http://${elsewhere}/`, 'tunnel'),
      ASK('http://169.254.169.254/latest/meta-data', 'plain'),
      // Whoever goes by no proxy finds no network at all.
      ASK(`http://${elsewhere}/`, 'direct'),
    ].join('\n'),
    [there],
  );
  expect(stdout.trim().split('\n')).toEqual([
    '403',
    'Tunnel connection failed: 403 Forbidden',
    '403',
    expect.stringMatching(/Connection refused|unreachable/),
  ]);
  expect(refused).toEqual([elsewhere, '169.254.169.254:80']);
});

test.each(['plain', 'tunnel'] as const)(
  'says which host is not there that it may lead to, for a %s request',
  async (how) => {
    const gone = `127.0.0.1:${await freePort()}`;
    const there = await host();
    const asks = [ASK(`http://${there}/`, how), ASK(`http://${gone}/`, how)];
    const { stdout, refused, unreached } = await reached(asks.join('\n'), [there, gone]);
    expect(stdout).toContain('502');
    expect([refused, unreached]).toEqual([[], [gone]]);
  },
);

/** What is sent to the proxy as it stands, and the beginning of its answer. */
const RAW = (text: string) => `python3 -c '
import os, socket, urllib.parse
proxy = urllib.parse.urlsplit(os.environ["http_proxy"])
with socket.create_connection((proxy.hostname, proxy.port), 5) as sent:
    sent.sendall(${JSON.stringify(text)}.encode())
    print(sent.recv(30))
'`;

test('is not ended by what cannot be understood, from either side', async () => {
  const strange = createNetServer(
    (socket) => void socket.end('HTTP/1.1 099 X\r\nTrailer: a\r\nContent-Length: 0\r\n\r\n'),
  );
  const trailing = createNetServer(
    (socket) => void socket.end('HTTP/1.1 200 OK\r\nTrailer: a\r\nContent-Length: 0\r\n\r\n'),
  );
  const hosts: string[] = [];
  for (const server of [strange, trailing]) {
    hosts.push(new URL(await listening(server)).host);
    onTestFinished(() => void server.close());
  }
  const there = await host();
  const asks = [
    `GET http://%zz@${there}/ HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET http://u:%zz@${there}/ HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET http://${there}/%zz HTTP/1.1\r\nHost: x\r\nTrailer: a\r\n\r\n`,
    ...hosts.map((one) => `GET http://${one}/ HTTP/1.1\r\nHost: x\r\n\r\n`),
    `CONNECT %zz@${there} HTTP/1.1\r\nHost: x\r\n\r\n`,
    'CONNECT :0 HTTP/1.1\r\nHost: x\r\n\r\n',
  ];
  const { stdout } = await reached([...asks.map(RAW), ASK(`http://${there}/after`, 'plain')].join('\n'), [
    there,
    ...hosts,
  ]);
  expect(stdout).toContain(`GET /after for ${there} false`);
  expect(stdout.match(/403 Forbidden/g)).toHaveLength(4);
});

test('is closed though a host does not end', async () => {
  const silent = createNetServer({ allowHalfOpen: true }, (socket) => void socket.resume());
  const there = new URL(await listening(silent)).host;
  onTestFinished(() => void silent.close());
  const egress = await openEgress(new Set([there]), programText('egress.mjs'));
  const command = { argv: ['bash', '-c', RAW(`CONNECT ${there} HTTP/1.1\r\nHost: x\r\n\r\n`)], directory: tree };
  const { stdout } = await sandbox.run({ ...command, timeoutMs: 20_000, outputBytes: 1000, egress });
  expect(stdout).toContain('200 Connection');
  await egress.close();
});

describe('a sandbox whose repository names hosts', () => {
  const files = (there: string) => ({
    'test/reach.test.mjs': `
      import assert from 'node:assert';
      import { createServer } from 'node:http';
import { createServer as createNetServer } from 'node:net';
      import test from 'node:test';
      test('reaches', async () => assert.match(await (await fetch('http://${there}/node')).text(), /^GET/));
      test('reaches itself', async () => {
        const own = createServer((_, answer) => answer.end('own')).listen(0, '127.0.0.1');
        await new Promise((resolve) => own.on('listening', resolve));
        assert.equal(await (await fetch('http://127.0.0.1:' + own.address().port)).text(), 'own');
        own.close();
      });
      test('is refused', () => assert.rejects(fetch('http://elsewhere.test/')));
    `,
    'tests/test_reach.py': `
import unittest, urllib.request
class Reach(unittest.TestCase):
    def test_reaches(self):
        self.assertIn(b"GET", urllib.request.urlopen("http://${there}/python", timeout=5).read())
`,
  });

  test('lets sealed tests reach them, and names what else they wanted', async () => {
    const there = await host();
    const told: string[] = [];
    const egress = await egressTo([there], (line) => told.push(line));
    const [workspace, scratch] = [join(root, 'workspace'), join(root, 'scratch-with-hosts')];
    await mkdir(scratch);
    const reaching = await openSandbox({ workspace, readOnly: [], scripted: false, scratch, egress });
    const directory = await mkdtemp(join(treesDirectory(scratch), 'tree-'));
    for (const [path, text] of Object.entries(files(there))) {
      await mkdir(join(directory, path, '..'), { recursive: true });
      await writeFile(join(directory, path), text);
    }
    const outcomes = async (runner: 'node-test' | 'unittest', path: string) => {
      const commands = { runner, test: 'npm test' };
      const limits = { timeoutMs: 30_000, outputBytes: 100_000 };
      const run = await runTests({ sandbox: reaching, directory, commands, files: [path], expected: [], ...limits });
      return { problem: run.problem, results: [...run.results.values()].map(({ outcome }) => outcome) };
    };
    expect(await outcomes('node-test', 'test/reach.test.mjs')).toEqual({
      problem: undefined,
      results: ['pass', 'pass', 'pass'],
    });
    expect(await outcomes('unittest', 'tests/test_reach.py')).toEqual({ problem: undefined, results: ['pass'] });
    await egress?.close();
    expect(told).toEqual([
      `sandbox: Commands reach ${there} and nothing else.`,
      'sandbox: elsewhere.test:80 was asked for and not reached; `commands.hosts: [elsewhere.test:80]` would allow it.',
    ]);
  });
});

test('ends as its command does, and is not there for others', async () => {
  const there = await host();
  expect(await reached('exit 7', [there])).toMatchObject({ exitCode: 7 });
  expect(await reached('kill -9 $$', [there])).toMatchObject({ exitCode: 137 });
  const egress = await openEgress(new Set([there]), programText('egress.mjs'));
  onTestFinished(() => egress.close());
  const look = { argv: ['ls', '/run/egress'], directory: tree, timeoutMs: 20_000, outputBytes: 1000 };
  expect(await sandbox.run({ ...look, egress })).toMatchObject({ stdout: 'egress.mjs\nsocket\n' });
  expect(await sandbox.run(look)).toMatchObject({ stdout: '', exitCode: 2 });
});
