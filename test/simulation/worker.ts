/** A thread that simulates one seed after another, as it is asked. */
import { parentPort } from 'node:worker_threads';
import { z } from 'zod';
import { simulate } from './simulate.ts';

const order = z.strictObject({ seed: z.int(), all: z.boolean() });

parentPort?.on('message', async (message: unknown) => {
  const { seed, all } = order.parse(message);
  parentPort?.postMessage(await simulate(seed, { all }));
});
