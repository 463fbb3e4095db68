/** `actions/download-artifact`: unpacks an artifact of the same run. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { unzipSync } from 'fflate';
import type { Frame, StepResult } from './frame.ts';
import { insideJob } from './inside.ts';

/** Unpacks the artifact `name` into `path`. @throws Error when the run has none of that name, saying which it has. */
export async function downloadArtifact(inputs: Readonly<Record<string, string>>, frame: Frame): Promise<StepResult> {
  const { run, job } = frame;
  const unknown = Object.keys(inputs).filter((input) => !['name', 'path'].includes(input));
  const name = inputs.name ?? '';
  if (unknown.length > 0 || name === '') {
    throw new Error('actions/download-artifact: the local runner needs `name`, knows `path`, and nothing else.');
  }
  const zip = await run.files.artifact(name);
  if (zip === undefined) {
    const known = (await run.files.artifactNames()).join(', ') || 'none';
    throw new Error(`Unable to download artifact(s): Artifact not found for name: ${name}. This run has: ${known}.`);
  }
  const directory = resolve(job.workspace, inputs.path ?? '.');
  const entries = Object.entries(unzipSync(zip));
  for (const [entry, content] of entries) {
    const target = resolve(directory, entry);
    if (relative(directory, target).startsWith('..'))
      throw new Error(`The artifact ${name} leaves its folder: ${entry}`);
    await mkdir(dirname(await insideJob(job, target)), { recursive: true });
    await writeFile(target, content);
  }
  job.log.write(`Artifact ${name}: ${entries.length} files unpacked`);
  return { outputs: { 'download-path': directory } };
}
