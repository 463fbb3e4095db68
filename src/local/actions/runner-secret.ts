/** What the embedded GitHub and its runners share, in a file for their owner alone. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where it is kept, below the data directory. */
export const RUNNER_SECRET = 'runner-secret';

/** Reads it; makes it (mode 0600) where there is none. */
export function runnerSecret(dataDirectory: string): string {
  mkdirSync(dataDirectory, { recursive: true });
  const file = join(dataDirectory, RUNNER_SECRET);
  if (!existsSync(file)) {
    writeFileSync(`${file}.new`, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  return readFileSync(file, 'utf8').trim();
}
