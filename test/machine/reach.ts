/** Who reaches whom: somebody who answers where nobody would otherwise, and calls from one network to others. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { z } from 'zod';
import type { Namespaces } from './namespaces.ts';

/** What an answerer says to each: something else on the way, as a proxy that takes every call, does not. */
export const SAID = `here is port 443 ${randomUUID()}`;
const ANSWERS = `require('node:net').createServer((call) => call.on('error', () => undefined).end('${SAID}')).listen(443, '0.0.0.0', () => console.log('listening'));`;
const CALLS = `const [wanted, ...hosts] = process.argv.slice(1);
const call = (host) => new Promise((resolve) => {
  const socket = require('node:net').connect(443, host, () => wanted === '' && resolve([host]));
  socket.on('data', (said) => String(said).includes(wanted) && resolve([host]));
  socket.setTimeout(5000, () => socket.destroy()).on('error', () => undefined).on('close', () => resolve([]));
});
Promise.all(hosts.map(call)).then((reached) => process.exit(console.log(JSON.stringify(reached.flat()))));`;

/** Answers whoever calls port 443 of the party, until it is disposed of; that throws where it had ended before, and nobody answered any more. */
export async function answering(spaces: Namespaces, party: string): Promise<AsyncDisposable> {
  const [program, ...argv] = spaces.within(party, [process.execPath, '-e', ANSWERS]);
  const child = spawn(program, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const isOver = ended.then(() => Promise.reject(new Error(`nobody answers in the network of ${party}`)));
  isOver.catch(() => undefined);
  await Promise.race([once(createInterface({ input: child.stdout }), 'line'), isOver]);
  return {
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) await isOver;
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Which of the hosts take a call on port 443 from the party's network; undefined is the test's own, where it is only believed of whom says what is `wanted`. */
export async function reachedFrom(
  spaces: Namespaces,
  party: string | undefined,
  hosts: readonly string[],
  wanted = '',
): Promise<readonly string[]> {
  const asks = [process.execPath, '-e', CALLS, wanted, ...hosts];
  const [program = '', ...argv] = party === undefined ? asks : spaces.within(party, asks);
  return z.array(z.string()).parse(JSON.parse((await execa(program, argv)).stdout));
}

/** By name, as those know it who may, and by each address, which whoever is joined to it reaches without one. */
export function placesOf(spaces: Namespaces, party: string): readonly [string, ...string[]] {
  return [`${party}.test`, ...spaces.addressesOf(party)];
}
