/** `actions/upload-artifact`: finds the files, zips them for the run and reports the digest. */
import { createHash } from 'node:crypto';
import { zipSync } from 'fflate';
import { isArtifactName, TAKEN } from '../actions/workflow-run-files.ts';
import { findArtifactFiles } from './artifact-files.ts';
import type { Frame, StepResult } from './frame.ts';
import { readInside } from './inside.ts';

/**
 * Uploads what the lines of `path` match; hidden files only with `include-hidden-files: true`, as on GitHub.
 * @throws Error for a bad or taken name, and for nothing found when `if-no-files-found` is `error`.
 */
export async function uploadArtifact(inputs: Readonly<Record<string, string>>, frame: Frame): Promise<StepResult> {
  const name = await checkedName(inputs.name ?? 'artifact', frame);
  const paths = inputs.path ?? '';
  if (paths.trim() === '') throw new Error('Input required and not supplied: path');
  const found = await findArtifactFiles({
    patterns: paths.split('\n'),
    workspace: frame.job.workspace,
    hidden: inputs['include-hidden-files'] === 'true',
  });
  for (const link of found.links) {
    const message = `A symbolic link is not uploaded: ${link}`;
    frame.job.log.annotate({ level: 'warning', message, path: undefined, line: undefined });
  }
  if (found.files.size === 0) return nothingFound(paths.trim(), inputs['if-no-files-found'] ?? 'warn', frame);
  return { outputs: { 'artifact-digest': await store(name, found.files, frame) } };
}

async function checkedName(name: string, { run }: Frame): Promise<string> {
  if (!isArtifactName(name))
    throw new Error(`The artifact name is not valid: ${name}. It must not be empty nor contain " : < > | * ? \\ /`);
  if ((await run.files.artifactNames()).includes(name)) throw new Error(`${TAKEN}: ${name}`);
  return name;
}

function nothingFound(path: string, behaviour: string, frame: Frame): StepResult {
  const message = `No files were found with the provided path: ${path}. No artifacts will be uploaded.`;
  if (behaviour === 'error') throw new Error(message);
  if (behaviour === 'ignore') frame.job.log.write(message);
  else frame.job.log.annotate({ level: 'warning', message, path: undefined, line: undefined });
  return { outputs: {} };
}

async function store(name: string, files: ReadonlyMap<string, string>, frame: Frame): Promise<string> {
  const { run, job } = frame;
  const entries: Record<string, Uint8Array> = {};
  for (const [entry, path] of files) {
    entries[entry] = await readInside(job, path);
  }
  const zip = zipSync(entries);
  const digest = createHash('sha256').update(zip).digest('hex');
  await run.files.addArtifact(name, zip);
  job.log.write(`Artifact ${name}: ${files.size} files, ${zip.byteLength} bytes, SHA256 digest ${digest}`);
  return digest;
}
