/** What a data directory of local mode remembers between starts: its addresses, its repositories, its people. */
import { randomBytes, randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { LoopError } from '../errors.ts';

const portsFile = z.object({ app: z.int(), github: z.int() });
export type KeptPorts = Readonly<z.infer<typeof portsFile>>;

const servedFile = z.object({
  imports: z.array(z.object({ path: z.string(), fullName: z.string() })).readonly(),
  users: z.array(z.object({ login: z.string(), role: z.string(), token: z.string() })).readonly(),
});
export type Served = Readonly<z.infer<typeof servedFile>>;

/**
 * The same addresses for the same data, so that a restart finds runs, webhooks and links where they were; `port` 0 keeps or takes any.
 * @throws {LoopError} when the embedded GitHub's port is in use, or is not for this person.
 */
export async function keptPorts(directory: string, port: number): Promise<KeptPorts> {
  const kept = await read(join(directory, 'ports.json'), portsFile);
  const github = port === 0 ? (kept?.github ?? (await freePort())) : port;
  await assertFree(github);
  const app = kept !== undefined && (await isFree(kept.app)) ? kept.app : await freePort();
  await write(join(directory, 'ports.json'), { app, github });
  return { app, github };
}

/** The embedded GitHub's port at the last start. */
export async function keptGitHubPort(directory: string): Promise<number | undefined> {
  return (await read(join(directory, 'ports.json'), portsFile))?.github;
}

/** What the last start served, so that starting again needs no options. */
export function keptServed(directory: string): Promise<Served | undefined> {
  return read(join(directory, 'served.json'), servedFile);
}

const accessFile = z.object({ key: z.string() });

/** The secret of the printed address: the same for the same data, so that a browser that was let in stays so. */
export async function keptKey(directory: string): Promise<string> {
  return (await read(join(directory, 'access.json'), accessFile))?.key ?? randomBytes(24).toString('base64url');
}

/** Writes who may act, for the embedded GitHub alone to read; returns the file. */
export async function keepAccess(
  directory: string,
  access: { readonly key: string; readonly users: Served['users'] },
): Promise<string> {
  const file = join(directory, 'access.json');
  await write(file, access);
  return file;
}

/** Only for the person's own eyes: it has the tokens of local people. */
export async function keepServed(directory: string, served: Served): Promise<void> {
  await write(join(directory, 'served.json'), served);
}

async function read<Schema extends z.ZodType>(file: string, schema: Schema): Promise<z.infer<Schema> | undefined> {
  return existsSync(file) ? schema.parse(JSON.parse(await readFile(file, 'utf8'))) : undefined;
}

/** Written beside and renamed, so that a kill leaves the old file or the new one. */
async function write(file: string, content: object): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(content), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Below those that systems give to outgoing connections: a port from there that is free now may be somebody's a moment later, and at the next start. */
const PORTS = { from: 20_000, to: 32_000 };
const PORT_TRIES = 100;

async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORT_TRIES; tries += 1) {
    const port = randomInt(PORTS.from, PORTS.to);
    if (await isFree(port)) return port;
  }
  throw new LoopError(`Of ${PORT_TRIES} ports on 127.0.0.1 none can be opened; name one with \`start --port N\`.`);
}

/** @throws {LoopError} with what to do about it. */
async function assertFree(port: number): Promise<void> {
  const cause = await portTaken(port).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  );
  if (cause === undefined) return;
  const remedy =
    cause.code === 'EADDRINUSE'
      ? 'is in use, perhaps by a Loopwright that runs already; stop that one, or choose another port with `start --port N`'
      : `cannot be opened (${cause.code ?? cause.message}); choose another port with \`start --port N\`, above 1023 where you are no administrator`;
  throw new LoopError(`Port ${port} on 127.0.0.1 ${remedy}.`, { cause });
}

async function isFree(port: number): Promise<boolean> {
  return portTaken(port).then(
    () => true,
    () => false,
  );
}

/** Listens for a moment and returns the port. */
function portTaken(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(port, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no free port')),
      );
    });
  });
}
