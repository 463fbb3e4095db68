/** The file of variables that is written: for its owner alone, over nothing that is there, and as Node, shells and compose read it. */
import { access, constants, type FileHandle, lstat, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LoopError, UsageError } from '../errors.ts';
import type { RegisteredApp } from './convert.ts';
import type { RegistrationRequest } from './request.ts';

/** @throws {UsageError} before anything is begun, where it could not be written in the end. */
export async function assertFree(option: string, path: string): Promise<void> {
  if (await isThere(path))
    throw new UsageError(
      `${option}: the file is there already, and may hold the key of an App; move it away, or name another one`,
    );
  try {
    await access(dirname(path), constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new UsageError(
      `${option}: nothing can be written in ${dirname(path)}${codeOf(cause)}; name a file in a folder where you may write`,
      { cause },
    );
  }
}

/** A link that leads nowhere is there too. */
async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** A file that is ours and empty. */
export interface Reserved {
  readonly path: string;
  /** @throws {LoopError} */
  readonly write: (text: string) => Promise<void>;
  readonly remove: () => Promise<void>;
}

const MOST = 100;

/** Makes the file, because what GitHub gives once is to have its place before it is asked for. Where one of that name has come meanwhile, `.1` or more is added. @throws {LoopError} */
export async function reserve(path: string): Promise<Reserved> {
  for (let number = 0; number < MOST; number += 1) {
    const name = number === 0 ? path : `${path}.${number}`;
    const handle = await made(name);
    if (handle !== undefined) return reservedAs(name, handle);
  }
  throw new LoopError(`${path} and ${MOST - 1} files beside it are there already; move them away, and try again.`);
}

/** Undefined where something is there. */
async function made(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (cause) {
    if (codeOf(cause) === ' (EEXIST)') return undefined;
    throw unwritten(path, cause);
  }
}

function reservedAs(path: string, handle: FileHandle): Reserved {
  const remove = async (): Promise<void> => {
    await handle.close();
    await rm(path, { force: true });
  };
  return {
    path,
    remove,
    async write(text) {
      try {
        await handle.writeFile(text);
        await handle.sync();
      } catch (cause) {
        await remove();
        throw unwritten(path, cause);
      }
      await handle.close();
    },
  };
}

function unwritten(path: string, cause: unknown): LoopError {
  return new LoopError(`${path} cannot be written${codeOf(cause)}; mend that, and try again.`, { cause });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
}

/**
 * One file, and not the key in another: it is there as a whole or not at all, and names no path that another place or a container has not. A line for each
 * value, line breaks of the key as `\n`: Node and compose make line breaks of them in double quotes, shells leave them, and the App takes both.
 */
export function envTextOf(request: RegistrationRequest, app: RegisteredApp, at: Date): string {
  const { webUrl, apiUrl, publicUrl } = request;
  const lines: readonly string[] = [
    `# The App ${app.slug} on ${webUrl}, registered on ${at.toISOString().slice(0, 10)}. Whoever reads this can act as it: keep it out of git.`,
    `APP_ID=${app.id}`,
    `APP_SLUG=${app.slug}`,
    `PUBLIC_URL=${publicUrl}`,
    ...(webUrl === 'https://github.com' ? [] : [`GITHUB_API_URL=${apiUrl}`]),
    `WEBHOOK_SECRET=${app.webhook_secret}`,
    `PRIVATE_KEY="${app.pem.replaceAll('\n', '\\n')}"`,
    '# The model that it shall ask: take the marks away, and write yours.',
    '# LLM_BASE_URL=https://api.openai.com/v1',
    '# LLM_MODEL=',
    '# LLM_API_KEY=',
  ];
  return `${lines.join('\n')}\n`;
}
