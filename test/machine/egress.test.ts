/** A command's way out of the sandbox, by real programs that look for a proxy as they do everywhere. */
import { realpathSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { programText } from '../../src/inside/program-text.ts';
import { openEgress } from '../../src/sandbox/egress.ts';
import { openSandbox, type Sandbox, treesDirectory } from '../../src/sandbox/sandbox.ts';
import { listening } from '../listening.ts';

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

/** A host that says what it was asked for. */
async function host(): Promise<string> {
  const server = createServer(({ method, url, headers }, answer) => {
    answer.end(`${method} ${url} for ${headers.host} ${'proxy-connection' in headers}`);
  });
  const url = await listening(server);
  onTestFinished(() => void server.close());
  return new URL(url).host;
}

async function reached(script: string, hosts: readonly string[]) {
  const egress = await openEgress(new Set(hosts), programText('egress.mjs'));
  onTestFinished(() => egress.close());
  const command = { argv: ['bash', '-c', script], directory: tree, timeoutMs: 20_000, outputBytes: 100_000 };
  return { ...(await sandbox.run({ ...command, egress })), refused: egress.refused() };
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
