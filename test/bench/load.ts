/**
 * The load generator, a process of its own: `load.ts <port> <prefix> <count> <perSecond>` posts webhooks over 16 connections, as fast as they are
 * answered, or at a steady rate where `perSecond` is not 0, and prints how long each took.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { requestOf } from './webhook.ts';

const [port = '', prefix = '', count = '0', perSecond = '0'] = process.argv.slice(2);
const CONNECTIONS = 16;

/** One answer has no body that matters, so it is whole when its head and its few bytes are there. */
function answered(socket: Socket): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = '';
    const onData = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end === -1) return;
      const [, length] = /content-length: (\d+)/i.exec(text) ?? [];
      const whole = length === undefined ? text.endsWith('0\r\n\r\n') : text.length >= end + 4 + Number(length);
      if (!whole) return;
      socket.off('data', onData).off('error', reject);
      resolve(Number(text.slice(9, 12)));
    };
    socket.on('data', onData).once('error', reject);
  });
}

const durations: number[] = [];
let failed = 0;
async function post(socket: Socket, index: number): Promise<void> {
  const answer = answered(socket);
  const startedMs = performance.now();
  socket.write(requestOf(`${prefix}-${index}`));
  if ((await answer) !== 200) failed += 1;
  durations.push(performance.now() - startedMs);
}

const sockets = await Promise.all(
  Array.from({ length: CONNECTIONS }, async () => {
    const socket = connect(Number(port), '127.0.0.1').setNoDelay();
    await new Promise((resolve) => socket.once('connect', resolve));
    return socket;
  }),
);
let next = 0;
const startedMs = performance.now();
await Promise.all(
  sockets.map(async (socket) => {
    while (next < Number(count)) {
      const index = next;
      next += 1;
      const dueMs = Number(perSecond) === 0 ? 0 : startedMs + (index * 1000) / Number(perSecond);
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await delay(waitMs);
      await post(socket, index);
    }
  }),
);
const seconds = (performance.now() - startedMs) / 1000;
for (const socket of sockets) socket.destroy();
process.stdout.write(JSON.stringify({ seconds, failed, durations }));
