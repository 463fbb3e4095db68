import { pino } from 'pino';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type Engine, openEngine } from '../../src/adapters/database/database.ts';
import { MIGRATIONS } from '../../src/adapters/database/migrations.ts';
import { databaseObstacle } from '../../src/adapters/database/readiness.ts';
import { MEMORY } from '../prepared.ts';

const log = pino({ level: 'silent' });
let engine: Engine;
beforeEach(async () => {
  engine = await openEngine({ url: MEMORY, log });
  onTestFinished(() => engine.close());
});

const newest = Math.max(...MIGRATIONS.map(({ number }) => number));

test('a database that was opened can be worked with', async () => {
  expect(await databaseObstacle(engine, { log })).toBeUndefined();
});

test('one without a migration of this version cannot', async () => {
  await engine.db
    .deleteFrom('schema_migrations')
    .where('number', '>=', newest - 1)
    .execute();
  expect(await databaseObstacle(engine, { log })).toBe(
    `The database lacks migration ${newest - 1}, ${newest}; start this process again, which makes it.`,
  );
});

test('one that a newer version has changed still serves the old processes', async () => {
  await engine.db
    .insertInto('schema_migrations')
    .values({ number: newest + 1, name: 'of tomorrow' })
    .execute();
  expect(await databaseObstacle(engine, { log })).toBeUndefined();
});

test('one that is closed says so without a name of anything, and logs what it was', async () => {
  const warn = vi.spyOn(log, 'warn');
  await engine.close();
  expect(await databaseObstacle(engine, { log })).toMatch(
    /^The database cannot be asked \(\w+\); the log says more\.$/,
  );
  expect(warn).toHaveBeenCalledExactlyOnceWith({ err: expect.any(Error) }, 'readyz: the database cannot be asked');
});

test('one that does not answer is waited for so long and no longer', async () => {
  const locked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const transaction = engine.transaction(async () => {
    held.resolve();
    await locked.promise;
  });
  await held.promise;
  expect(await databaseObstacle(engine, { log, patienceMs: 50 })).toBe('The database has not answered within 0.05 s.');
  locked.resolve();
  await transaction;
  expect(await databaseObstacle(engine, { log })).toBeUndefined();
});
