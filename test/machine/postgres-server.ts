/** A PostgreSQL server for tests: the one of LOOPWRIGHT_TEST_POSTGRES, or a new one from Debian's binaries on a socket in a temporary directory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import pg from 'pg';

export interface PostgresServer {
  /** Makes an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  stop(): Promise<void>;
}

const BINARIES = '/usr/lib/postgresql/15/bin';

export async function startPostgres(): Promise<PostgresServer> {
  const given = process.env.LOOPWRIGHT_TEST_POSTGRES;
  const { url, stop } = given ? { url: given, stop: async () => {} } : await startOwnServer();
  const created: string[] = [];
  return {
    createDatabase: async () => {
      const name = `loopwright_test_${process.pid}_${created.length}`;
      created.push(name);
      await query(url, `create database ${name}`);
      const database = new URL(url);
      database.pathname = `/${name}`;
      return database.href;
    },
    stop: async () => {
      for (const name of created) await query(url, `drop database if exists ${name} with (force)`);
      await stop();
    },
  };
}

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

async function startOwnServer(): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  if (!existsSync(join(BINARIES, 'postgres'))) {
    throw new Error(
      `no PostgreSQL in ${BINARIES}: run "apt-get install -y postgresql-15", or set LOOPWRIGHT_TEST_POSTGRES to a postgres:// URL`,
    );
  }
  const directory = mkdtempSync(join(tmpdir(), 'loopwright-postgres-'));
  const user = await serverUser();
  if (user.uid !== undefined && user.gid !== undefined) chownSync(directory, user.uid, user.gid);
  const files = join(directory, 'files');
  const options = { cwd: directory, ...user };
  await execa(join(BINARIES, 'initdb'), ['-D', files, '-U', 'postgres', '-A', 'trust', '-N', '-E', 'UTF8'], options);
  const settings = ['listen_addresses=', `unix_socket_directories=${directory}`, 'fsync=off'];
  const server = spawn(join(BINARIES, 'postgres'), ['-D', files, ...settings.flatMap((setting) => ['-c', setting])], {
    ...options,
    stdio: 'ignore',
  });
  const exit = once(server, 'exit');
  const url = `postgres://postgres@localhost/postgres?host=${encodeURIComponent(directory)}`;
  await untilItAnswers(url);
  return {
    url,
    stop: async () => {
      server.kill('SIGINT');
      await exit;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function untilItAnswers(url: string): Promise<void> {
  const untilMs = Date.now() + 15_000;
  for (;;) {
    const failure = await query(url, 'select 1').then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure === undefined) return;
    if (Date.now() > untilMs) throw failure;
    await delay(50);
  }
}

/** PostgreSQL refuses to run as root; Debian's package brings a user for it. */
async function serverUser(): Promise<{ readonly uid?: number; readonly gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => execa('id', [flag, 'postgres'])));
  return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
}
