/** What the jobs of a run leave behind in its directory: artifacts, summaries and logs. */
import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkflowArtifact } from './workflow-types.ts';

/** Where jobs leave what is for the run, wherever they are performed. */
export interface RunFiles {
  readonly artifactNames: () => Promise<readonly string[]>;
  /** The zip file, by the artifact's name. */
  readonly artifact: (name: string) => Promise<Uint8Array | undefined>;
  /** @throws {Error} where the run has one of that name. */
  readonly addArtifact: (name: string, zip: Uint8Array) => Promise<void>;
  /** Markdown, after what the job summed up before. */
  readonly addSummary: (jobId: string, text: string) => Promise<void>;
}

export interface KeptRunFiles extends RunFiles {
  readonly addLog: (jobKey: string, text: string) => Promise<void>;
}

/** https://github.com/actions/toolkit/tree/main/packages/artifact refuses what no file may be called everywhere. */
export function isArtifactName(name: string): boolean {
  return /^[^"':<>|*?\r\n\\/]+$/.test(name) && !/^\.+$/.test(name);
}

export const TAKEN = 'Conflict: an artifact with this name already exists on the workflow run';

/** In the directory of the run, which has none yet. */
export function keepRunFiles(directory: string, onArtifact: (artifact: WorkflowArtifact) => void): KeptRunFiles {
  const artifacts = new Map<string, string>();
  const folder = async (name: string): Promise<string> => {
    const path = join(directory, name);
    await mkdir(path, { recursive: true });
    return path;
  };
  return {
    artifactNames: async () => [...artifacts.keys()],
    artifact: async (name) => {
      const file = artifacts.get(name);
      return file === undefined ? undefined : readFile(file);
    },
    async addArtifact(name, zip) {
      if (artifacts.has(name)) throw new Error(`${TAKEN}: ${name}`);
      const file = join(await folder('artifacts'), `${name}.zip`);
      artifacts.set(name, file);
      await writeFile(file, zip);
      const digest = `sha256:${createHash('sha256').update(zip).digest('hex')}`;
      onArtifact({ name, file, sizeBytes: zip.byteLength, digest });
    },
    addSummary: async (jobId, text) => appendFile(join(await folder('summaries'), `${jobId}.md`), text),
    addLog: async (jobKey, text) => writeFile(join(await folder('logs'), `${jobKey}.log`), text),
  };
}
