/** Compiles the product in a tree, where the repository has a command for it. */
import type { Sandbox } from '../sandbox/sandbox.ts';
import { suiteCommand } from '../test-runs/test-run.ts';

export interface Building {
  readonly sandbox: Sandbox;
  readonly build: string | null;
  readonly timeoutMs: number;
  readonly outputBytes: number;
}

const SAID = 1000;

/** Undefined where it is built, or nothing is to be; else what the command said last. */
export async function built(
  { sandbox, build, timeoutMs, outputBytes }: Building,
  directory: string,
): Promise<string | undefined> {
  if (build === null) return undefined;
  const { exitCode, timedOut, stdout, stderr } = await suiteCommand({
    ...{ sandbox, directory, command: build, timeoutMs, outputBytes },
  });
  if (exitCode === 0) return undefined;
  const how = timedOut ? 'did not end in time' : 'failed';
  return `${JSON.stringify(build)} ${how}: ${`${stdout}\n${stderr}`.trim().slice(-SAID).toWellFormed()}`;
}
