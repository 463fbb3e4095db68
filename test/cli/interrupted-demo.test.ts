import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { processesOf, type Running, started } from './terminal.ts';

/** Two starts of everything; a few seconds each on a quiet machine. */
const TIMEOUT_MS = 120_000;

let directory: string;
let demo: Running;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'loopwright-interrupted-'));
});
afterAll(async () => {
  await demo.end('SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

test('Ctrl-C ends every process of the demo, and says where everything is kept', { timeout: TIMEOUT_MS }, async () => {
  demo = started(['demo', '--keep', directory]);
  await demo.until('/answer 1a 2a');
  expect(processesOf(directory)).not.toEqual([]);
  expect(await demo.end('SIGINT')).toBe(130);
  expect(demo.printed()).toContain(`Interrupted. ${directory} keeps everything; the same command goes on.`);
  expect(processesOf(directory)).toEqual([]);
});

test('the same command goes on with the same issue and what was done', { timeout: TIMEOUT_MS }, async () => {
  demo = started(['demo', '--keep', directory, '--minutes', '5']);
  await demo.until('✓ DISCOVER');
  expect(demo.printed()).toContain('issue #1 “Let visitors search the guestbook”: is here from before');
  expect(await demo.end('SIGTERM')).toBe(130);
});
