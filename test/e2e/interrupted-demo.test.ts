import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { processesOf, type Running, started } from '../cli/terminal.ts';
import { layDatabase } from '../prepared.ts';

/** Two starts of everything; a few seconds each on a quiet machine. */
const TIMEOUT_MS = 600_000;

let directory: string;
let demo: Running;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'loopwright-interrupted-'));
  await layDatabase(join(directory, 'database'));
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

test('interrupted with --json, the last line has every key, with what the loop had done', {
  timeout: TIMEOUT_MS,
}, async () => {
  const served = join(directory, 'served.json');
  await rm(served);
  demo = started(['demo', '--json', '--keep', directory, '--minutes', '5']);
  // It says nothing before its end: this file is there when everything runs, and soon after the loop is read.
  await vi.waitFor(() => expect(existsSync(served)).toBe(true), { timeout: TIMEOUT_MS, interval: 50 });
  await new Promise((resolve) => setTimeout(resolve, 5000));
  expect(await demo.end('SIGINT')).toBe(130);
  const last = z.looseObject({}).parse(JSON.parse(demo.printed().trim().split('\n').at(-1) ?? ''));
  expect(last).toMatchObject({
    status: 'failed',
    loop: 'acme/guestbook#1',
    costUsd: 0,
    reason: null,
    error: `Interrupted. ${directory} keeps everything; the same command goes on.`,
  });
  for (const key of ['pull', 'sandbox', 'evidence', 'tokens', 'durationMs']) expect(last).toHaveProperty(key);
});

test('the same command goes on with the same issue and what was done', { timeout: TIMEOUT_MS }, async () => {
  demo = started(['demo', '--keep', directory, '--minutes', '5']);
  await demo.until('✓ DISCOVER');
  expect(demo.printed()).toContain('issue #1 “Let visitors search the guestbook”: is here from before');
  expect(await demo.end('SIGTERM')).toBe(130);
});
