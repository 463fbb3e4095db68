/** A way out of the sandbox: a proxy outside of it, at a socket that only those commands are shown that may use it, which leads to named hosts and nowhere else. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import {
  createServer,
  type IncomingMessage,
  request as requestOver,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';

export interface Egress {
  /** Arguments of bubblewrap that show the command its way out. */
  readonly binds: readonly string[];
  /** What stands before the command, which has the descriptors up to that one. The signal would open the debugger of what holds them. */
  readonly argv: (lastDescriptor: number) => readonly string[];
  /** Hosts with ports that were asked for and are not allowed, each once. */
  refused(): readonly string[];
  close(): Promise<void>;
}

/** Where a command finds its way out. */
const PLACE = '/run/egress';
const SOCKET = 'socket';
const PROGRAM = 'egress.mjs';

/** What is told of those that were refused. */
const MOST_REFUSED = 20;

/** Opens the proxy; `hosts` are `name:port`, in small letters, and `program` is the text of `inside/egress.mjs`. */
export async function openEgress(hosts: ReadonlySet<string>, program: string): Promise<Egress> {
  // A socket's path has at most 108 characters, so it lies where temporary files do.
  const folder = await mkdtemp(join(tmpdir(), 'egress-'));
  await writeFile(join(folder, PROGRAM), program);
  const refused = new Set<string>();
  const isAllowed = (host: string): boolean => {
    if (hosts.has(host)) return true;
    if (refused.size < MOST_REFUSED) refused.add(host.slice(0, 300));
    return false;
  };
  const server = createServer((asked, answer) => pass(asked, answer, isAllowed));
  server.on('connect', (asked: IncomingMessage, client: Duplex, first: Buffer) =>
    tunnel(asked, { client, first }, isAllowed),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(join(folder, SOCKET), resolve);
  });
  return {
    binds: ['--ro-bind', folder, PLACE],
    argv: (last) => ['node', '--disable-sigusr1', join(PLACE, PROGRAM), join(PLACE, SOCKET), String(last)],
    refused: () => [...refused],
    async close() {
      await closed(server);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Tunnel {
  readonly client: Duplex;
  /** What came with the request. */
  readonly first: Buffer;
}

/** `CONNECT host:port`, as for HTTPS: what passes is encrypted between the command and the host. */
function tunnel({ url = '' }: IncomingMessage, { client, first }: Tunnel, isAllowed: (host: string) => boolean): void {
  client.on('error', () => undefined);
  const place = placeOf(`https://${url}`);
  if (place === undefined || !isAllowed(place.host)) {
    client.end(`HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n`);
    return;
  }
  const upstream = connect(place.port, place.name, () => {
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    upstream.write(first);
    upstream.pipe(client).pipe(upstream);
  });
  upstream.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n'));
  client.on('close', () => upstream.destroy());
  upstream.on('close', () => client.destroy());
}

/** A request for a whole address, as for HTTP without encryption. */
function pass(asked: IncomingMessage, answer: ServerResponse, isAllowed: (host: string) => boolean): void {
  const { url = '', method, headers } = asked;
  const place = placeOf(url);
  if (place === undefined || !url.startsWith('http:') || !isAllowed(place.host)) {
    answer.writeHead(403, { 'content-type': 'text/plain' }).end('The sandbox lets nobody go there.\n');
    asked.resume();
    return;
  }
  const { 'proxy-authorization': _secret, 'proxy-connection': _kept, ...others } = headers;
  const onward = requestOver(url, { method, headers: { ...others, host: new URL(url).host } }, (got) => {
    answer.writeHead(got.statusCode ?? 502, got.headers);
    got.pipe(answer);
    got.on('error', () => answer.destroy());
  });
  onward.on('error', () => {
    if (answer.headersSent) answer.destroy();
    else answer.writeHead(502).end();
  });
  answer.on('close', () => onward.destroy());
  asked.pipe(onward);
}

interface Place {
  readonly name: string;
  readonly port: number;
  /** `name:port`. */
  readonly host: string;
}

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

function placeOf(address: string): Place | undefined {
  if (!URL.canParse(address)) return undefined;
  const { hostname, port: given, protocol } = new URL(address);
  const name = hostname.replace(/^\[|\]$/g, '');
  const port = given === '' ? (PORTS[protocol] ?? 0) : Number(given);
  return { name, port, host: `${name}:${port}` };
}

/** Of an address: `name:port`, as {@link openEgress} knows hosts; undefined where it is none. */
export function hostOf(address: string): string | undefined {
  return placeOf(address)?.host;
}

async function closed(server: Server): Promise<void> {
  const ended = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await ended;
}
