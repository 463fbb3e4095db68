/** A control group by systemd, where it gives one: the kernel's own limits on all processes together. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Limits } from './limits.ts';

export interface Scope {
  /** The command line in front of a command. */
  readonly argv: readonly string[];
  /** What `systemd-run` needs of the environment to find the user's systemd. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface ScopePlace {
  /** Where `systemd-run` is looked for. */
  readonly path: string;
  /** Exists where systemd is what the machine was started with; see sd_booted(3). */
  readonly booted?: string;
  readonly user?: number | undefined;
}

/** Tries the scope once; undefined where there is none. Source: https://www.freedesktop.org/software/systemd/man/latest/systemd-run.html */
export async function openScope(
  { memoryBytes, processes }: Limits,
  { path, booted = '/run/systemd/system', user = process.getuid?.() }: ScopePlace,
): Promise<Scope | undefined> {
  if (!existsSync(booted) || user === undefined) return undefined;
  const properties = [`MemoryMax=${memoryBytes}`, 'MemorySwapMax=0', `TasksMax=${processes}`];
  const argv = [
    ...['systemd-run', ...(user === 0 ? [] : ['--user']), '--scope', '--quiet', '--collect'],
    ...properties.flatMap((property) => ['-p', property]),
    '--',
  ];
  const environment: Scope['environment'] = user === 0 ? {} : { XDG_RUNTIME_DIR: `/run/user/${user}` };
  const works = await new Promise<boolean>((resolve) => {
    const [program = '', ...rest] = [...argv, 'true'];
    const env = { PATH: path, ...environment };
    execFile(program, rest, { timeout: 5000, env }, (error) => resolve(error === null));
  });
  return works ? { argv, environment } : undefined;
}
