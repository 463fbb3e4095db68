/**
 * A sender who means ill, a process of its own: `hostile-sender.ts <port> <seconds> <connections> [<kinds>]` sends bodies of every bad kind over so many connections
 * at the same time, each opened anew when it is over, and prints how many of each kind it sent. Some know the secret: as one would who has captured webhooks.
 */
import { createHmac } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { BODY, PATH, SECRET } from '../bench/webhook.ts';

const [port = '', seconds = '0', connections = '0', named = ''] = process.argv.slice(2);
const endMs = Date.now() + Number(seconds) * 1000;
const MEGABYTE = 1024 * 1024;
const BLOCK = Buffer.alloc(64 * 1024, '{"a":');
const isOver = (socket: Socket): boolean => socket.destroyed || Date.now() > endMs;

function head(headers: readonly string[], signature = '0'.repeat(64)): string {
  const said = [
    `x-github-delivery: bad-${Math.random().toString(36).slice(2)}`,
    `x-hub-signature-256: sha256=${signature}`,
  ];
  const fixed = ['host: app', 'content-type: application/json', 'x-github-event: issue_comment', ...said];
  return `${[`POST ${PATH} HTTP/1.1`, ...fixed, ...headers].join('\r\n')}\r\n\r\n`;
}

function signed(socket: Socket, body: string): void {
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  socket.write(head([`content-length: ${Buffer.byteLength(body)}`], signature));
  socket.write(body);
}

/** Sends blocks as fast as they are taken, up to so many bytes. */
async function flood(socket: Socket, bytes: number, framed: boolean): Promise<void> {
  for (let sent = 0; sent < bytes && !isOver(socket); sent += BLOCK.length) {
    if (framed) socket.write(`${BLOCK.length.toString(16)}\r\n`);
    while (!isOver(socket) && socket.writableLength > 1e6) await sleep(20);
    socket.write(BLOCK);
    if (framed) socket.write('\r\n');
  }
}

async function drip(socket: Socket, piece: string, everyMs: number): Promise<void> {
  while (!isOver(socket)) {
    socket.write(piece);
    await sleep(everyMs);
  }
}

const KINDS: Readonly<Record<string, (socket: Socket) => Promise<void> | void>> = {
  'signed, and no object': (socket) =>
    signed(socket, ['5', '"x"', 'null', '[]', '[[{}]]'][Math.floor(Math.random() * 5)] ?? ''),
  'signed, and no JSON': (socket) => signed(socket, `{"a":${'['.repeat(50_000)}`),
  'signed, nested deeply': (socket) =>
    signed(socket, `{"action":"created","issue":${'['.repeat(200_000)}${']'.repeat(200_000)}}`),
  'signed, with a huge text': (socket) =>
    signed(socket, JSON.stringify({ action: 'created', text: 'x'.repeat(4 * MEGABYTE) })),
  unsigned: (socket) => void socket.write(Buffer.concat([Buffer.from(head([`content-length: ${BODY.length}`])), BODY])),
  'unsigned, and as large as is allowed': (socket) => {
    socket.write(head([`content-length: ${25 * MEGABYTE}`]));
    return flood(socket, 25 * MEGABYTE, false);
  },
  'unsigned, and endless': (socket) => {
    socket.write(head(['transfer-encoding: chunked']));
    return flood(socket, 520 * MEGABYTE, true);
  },
  'said to be huge': (socket) => {
    socket.write(head([`content-length: ${520 * MEGABYTE}`]));
    return flood(socket, 520 * MEGABYTE, false);
  },
  slow: (socket) => {
    socket.write(head([`content-length: ${MEGABYTE}`]));
    return drip(socket, 'x', 100);
  },
  'in pieces of a byte': (socket) => {
    socket.write(head(['transfer-encoding: chunked']));
    return drip(socket, '1\r\nx\r\n'.repeat(5000), 50);
  },
  'slow with its head': (socket) => {
    socket.write(`POST ${PATH} HTTP/1.1\r\n`);
    return drip(socket, 'x-more: y\r\n', 300);
  },
  cut: async (socket) => {
    socket.write(head([`content-length: ${MEGABYTE}`]));
    socket.write(BLOCK);
    await sleep(100);
    socket.destroy();
  },
  'no HTTP': (socket) => void socket.write('\0\x16\x03\x01 hello\r\n\r\n'),
  'of another path': (socket) =>
    void socket.write(`POST ${PATH}/../x?%zz HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n{}`),
};

const sent: Record<string, number> = {};

/** The kinds in turn; one in ten connections is for what costs most: more would try this machine's network, its disk, and the parser of HTTP, which makes an object of each byte. */
async function connection(index: number): Promise<void> {
  const isLarge = (kind: string): boolean => /large|endless|huge|nested|byte/.test(kind);
  const kinds = Object.keys(KINDS).filter(
    (kind) => kind.includes(named) && (named !== '' || isLarge(kind) === (index % 10 === 0)),
  );
  for (let turn = index; Date.now() < endMs; turn += 1) {
    const kind = kinds[turn % kinds.length] ?? '';
    const socket = connect(Number(port), '127.0.0.1')
      .on('error', () => undefined)
      .resume();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await KINDS[kind]?.(socket);
    sent[kind] = (sent[kind] ?? 0) + 1;
    await Promise.race([closed, sleep(1000)]);
    socket.destroy();
    await sleep(50);
  }
}

await Promise.all(Array.from({ length: Number(connections) }, (_, index) => connection(index)));
process.stdout.write(JSON.stringify(sent));
