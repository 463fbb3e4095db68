import { readdirSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sleepNock, wakeNock } from './nock.ts';

const ROOT = import.meta.dirname;

test('the sockets of the process are its own before nock is woken and after it sleeps', () => {
  const { connect } = Socket.prototype;
  expect(connect.toString()).not.toContain('intercept');
  wakeNock();
  expect(Socket.prototype.connect).not.toBe(connect);
  sleepNock();
  expect(Socket.prototype.connect).toBe(connect);
});

test('no other file imports nock, which would be awake for all files of its process', () => {
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const importing = files.filter((path) => /from 'nock'/.test(readFileSync(join(ROOT, path), 'utf8')));
  expect(importing.filter((path) => path !== 'nock.test.ts')).toEqual(['nock.ts']);
});
