/** The way from enclosed steps to the embedded GitHub: a socket in a folder, behind which is what GitHub has and nothing of `/_local`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import type { Answering } from '../faults/faulty.ts';

export interface Outlet {
  /** Path of the socket, alone in its folder; made when it is first asked for. */
  readonly path: () => Promise<string>;
  readonly close: () => Promise<void>;
}

/** `answer` is the server as it shows itself to steps. */
export function createOutlet(answer: Answering): Outlet {
  let opened: Promise<Opened> | undefined;
  return {
    path: async () => {
      opened ??= open(answer);
      return (await opened).path;
    },
    close: async () => (await opened)?.close(),
  };
}

interface Opened {
  readonly path: string;
  readonly close: () => Promise<void>;
}

/** In the system's temporary directory: a socket's name has at most 107 characters. */
async function open(fetch: Answering): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), 'loopwright-outlet-'));
  const path = join(folder, 'socket');
  const server = createAdaptorServer({ fetch });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  const close = async () => {
    await new Promise((resolve) => {
      server.close(resolve);
      if ('closeAllConnections' in server) server.closeAllConnections();
    });
    await rm(folder, { recursive: true, force: true });
  };
  return { path, close };
}
