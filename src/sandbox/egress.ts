/** A way out of the sandbox: a proxy outside of it, at a socket that only those commands are shown that may use it, which leads to named hosts and nowhere else. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestOver,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Duplex, pipeline } from 'node:stream';

export interface Egress {
  /** Arguments of bubblewrap that show the command its way out. */
  readonly binds: readonly string[];
  /** What stands before the command, which has the descriptors up to that one. The signal would open the debugger of what holds them. */
  readonly argv: (lastDescriptor: number) => readonly string[];
  /** Hosts with ports that were asked for and are not allowed, each once. */
  refused(): readonly string[];
  /** Those that are allowed and could not be reached, each once. */
  unreached(): readonly string[];
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
  const unreached = new Set<string>();
  const gate: Gate = {
    isAllowed(host) {
      if (hosts.has(host)) return true;
      if (refused.size < MOST_REFUSED) refused.add(host.slice(0, 300));
      return false;
    },
    misses: (host) => void unreached.add(host),
  };
  const tunnels = new Set<Duplex>();
  const server = createServer((asked, answer) => pass(asked, answer, gate));
  server.on('connect', (asked: IncomingMessage, client: Duplex, first: Buffer) => {
    tunnels.add(client.once('close', () => tunnels.delete(client)));
    tunnel(asked, { client, first }, gate);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(join(folder, SOCKET), resolve);
  });
  return {
    binds: ['--ro-bind', folder, PLACE],
    argv: (last) => [
      ...['node', '--disable-sigusr1', join(PLACE, PROGRAM)],
      ...[join(PLACE, SOCKET), directFor(hosts), String(last)],
    ],
    refused: () => [...refused],
    unreached: () => [...unreached],
    async close() {
      await closed(server, tunnels);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What is within the sandbox is reached as ever, but where the same name is meant outside. */
function directFor(hosts: ReadonlySet<string>): string {
  const outside = [...hosts].map((host) => host.slice(0, host.lastIndexOf(':')));
  return ['localhost', '127.0.0.1', '::1'].filter((name) => !outside.includes(name)).join(',');
}

/** Who may pass, and who was let and did not come through. */
interface Gate {
  readonly isAllowed: (host: string) => boolean;
  readonly misses: (host: string) => void;
}

interface Tunnel {
  readonly client: Duplex;
  /** What came with the request. */
  readonly first: Buffer;
}

/** `CONNECT host:port`, as for HTTPS: what passes is encrypted between the command and the host. */
function tunnel({ url = '' }: IncomingMessage, { client, first }: Tunnel, { isAllowed, misses }: Gate): void {
  client.on('error', () => undefined);
  const place = placeOf(`https://${url}`);
  if (place === undefined || !isAllowed(place.host)) {
    client.end(`HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n`);
    return;
  }
  let isThrough = false;
  const upstream = connect(place.port, place.name, () => {
    isThrough = true;
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    upstream.write(first);
    upstream.pipe(client).pipe(upstream);
  });
  upstream.on('error', () => {
    if (!isThrough) misses(place.host);
    client.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n');
  });
  client.on('close', () => upstream.destroy());
  upstream.on('close', () => client.destroy());
}

/** A request for a whole address, as for HTTP without encryption. */
function pass(asked: IncomingMessage, answer: ServerResponse, { isAllowed, misses }: Gate): void {
  const { url = '', method, headers } = asked;
  const place = url.startsWith('http:') ? placeOf(url) : undefined;
  if (place === undefined || !isAllowed(place.host)) {
    answer.writeHead(403, { 'content-type': 'text/plain' }).end('The sandbox lets nobody go there.\n');
    asked.resume();
    return;
  }
  const { pathname, search, host } = new URL(url);
  const onward = requestOver({
    ...{ hostname: place.name, port: place.port, path: pathname + search, method },
    headers: { ...passing(headers), host },
  });
  onward.on('response', (got) => {
    const { statusCode = 0 } = got;
    if (statusCode < 200 || statusCode > 599) answer.destroy();
    else pipeline(got, answer.writeHead(statusCode, passing(got.headers)), () => undefined);
  });
  onward.on('error', () => {
    if (answer.headersSent) return void answer.destroy();
    misses(place.host);
    answer.writeHead(502).end();
  });
  answer.on('close', () => onward.destroy());
  pipeline(asked, onward, () => undefined);
}

/** What holds for one connection only, or for what comes after a body: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1 */
const OF_A_CONNECTION: ReadonlySet<string> = new Set(
  'connection keep-alive proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(' '),
);

function passing(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_A_CONNECTION.has(name)));
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
  const { hostname, port: given, protocol, username, password } = new URL(address);
  if (username !== '' || password !== '') return undefined;
  const name = hostname.replace(/^\[|\]$/g, '');
  const port = given === '' ? (PORTS[protocol] ?? 0) : Number(given);
  return { name, port, host: `${name}:${port}` };
}

/** Of an address: `name:port`, as {@link openEgress} knows hosts; undefined where it is none. */
export function hostOf(address: string): string | undefined {
  return placeOf(address)?.host;
}

async function closed(server: Server, tunnels: ReadonlySet<Duplex>): Promise<void> {
  const ended = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  for (const client of tunnels) client.destroy();
  await ended;
}
