/** What is said of a database that is only looked at. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lookAtDatabase } from '../../src/adapters/database/database-look.ts';
import { lockDirectory } from '../../src/adapters/database/directory-lock.ts';
import { POSTGRES_MAJOR } from '../../src/adapters/database/pglite.ts';
import { listening } from '../listening.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'loopwright-look-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

function made(name: string, major: string): string {
  const place = join(directory, name);
  mkdirSync(join(place, 'postgres'), { recursive: true });
  writeFileSync(join(place, 'postgres', 'PG_VERSION'), `${major}\n`);
  return place;
}

test('one that is not there yet is to be made, and the look does not make it', async () => {
  const place = join(directory, 'not', 'there');
  expect(await lookAtDatabase(place, 100)).toEqual({ type: 'new', directory: place, isWritable: true });
  expect(existsSync(join(directory, 'not'))).toBe(false);
});

test('one that nobody uses can be written, and is let go again', async () => {
  const place = made('free', POSTGRES_MAJOR);
  const free = { type: 'directory', directory: place, isWritable: true };
  expect(await lookAtDatabase(place, 100)).toEqual(free);
  expect(await lookAtDatabase(place, 100)).toEqual(free);
  lockDirectory(place)();
  expect(readdirSync(join(place, 'postgres'))).toEqual(['PG_VERSION']);
});

test('one that a process has is in use', async () => {
  const place = made('used', POSTGRES_MAJOR);
  const unlock = lockDirectory(place);
  expect(await lookAtDatabase(place, 100)).toEqual({ type: 'in use', directory: place });
  unlock();
});

test('one that another Postgres made is told with both versions', async () => {
  const place = made('old', '15');
  const told = { type: 'other version', directory: place, major: '15', needed: POSTGRES_MAJOR };
  expect(await lookAtDatabase(place, 100)).toEqual(told);
});

test.each(['', 'mysql://db/loops', 'memory:'])('"%s" is no address of a database that lasts', async (url) => {
  expect(await lookAtDatabase(url, 100)).toEqual({ type: 'no address' });
});

test('a server that says nothing is unknown, after the time that it was given', async () => {
  const silent: Server = createServer();
  const { host } = new URL(await listening(silent));
  const found = await lookAtDatabase(`postgres://loop:wachtwoord@${host}/loops`, 200);
  silent.close();
  expect(found).toMatchObject({ type: 'unreachable', isCertain: false });
  expect(JSON.stringify(found)).not.toContain('wachtwoord');
});
