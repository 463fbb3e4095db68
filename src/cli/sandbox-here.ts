/** Whether this machine could run what a real model writes; asked before anything is paid for. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SandboxError } from '../errors.ts';
import { openSandbox } from '../sandbox/sandbox.ts';
import type { ModelEnvironment } from '../settings/env.ts';

/** @throws {SandboxError} with the sentence with which every BUILD would be refused here. The scripted model needs no sandbox. */
export async function assertSandbox({ baseUrl }: ModelEnvironment): Promise<void> {
  if (baseUrl !== undefined) await openHere();
}

async function openHere(): Promise<void> {
  const workspace = await mkdtemp(join(tmpdir(), 'loopwright-sandbox-'));
  try {
    await openSandbox({ workspace, scratch: join(workspace, 'scratch'), readOnly: [], scripted: false });
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
}

/** The same sentence, for those who go on without BUILD. */
export async function sandboxProblem(model: ModelEnvironment): Promise<string | undefined> {
  return model.baseUrl === undefined ? undefined : sandboxProblemHere();
}

/** The same, whatever the model is. */
export async function sandboxProblemHere(): Promise<string | undefined> {
  try {
    await openHere();
    return undefined;
  } catch (error) {
    if (error instanceof SandboxError) return error.message;
    throw error;
  }
}
