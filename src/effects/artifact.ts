/** Opens the zip file that a run delivered: its report and raw outputs, and nothing else. Pure. */
import { strFromU8, unzipSync } from 'fflate';
import { ArtifactError } from '../errors.ts';

export interface ArtifactFiles {
  /** The JSON value of `report.json`; undefined when it is missing or no JSON. */
  readonly report: unknown;
  /** Raw outputs by the digest that their name states; nothing shows yet that it is theirs. */
  readonly raw: ReadonlyMap<string, Uint8Array>;
}

export const MAX_ZIP_BYTES = 8_000_000;
/** Limits on what is unpacked: the report and raw outputs. Transcripts are for people, so they are not unpacked and do not count. */
const MAX_READ_BYTES = 16_000_000;
const MAX_READ_ENTRIES = 500;
const REPORT = 'report.json';
const RAW = /^raw\/(?<hex>[0-9a-f]{64})$/;

/** @throws {ArtifactError} when it is no zip file, or holds more than is read. */
export function unpack(zip: Uint8Array): ArtifactFiles {
  const files = unzip(zip);
  return {
    report: jsonOf(files[REPORT]),
    raw: new Map(
      Object.entries(files).flatMap(([name, bytes]) => {
        const hex = RAW.exec(name)?.groups?.hex;
        return hex === undefined ? [] : [[`sha256:${hex}`, bytes] as const];
      }),
    ),
  };
}

function unzip(zip: Uint8Array): Readonly<Record<string, Uint8Array>> {
  let entries = 0;
  let bytes = 0;
  try {
    return unzipSync(zip, {
      filter({ name, originalSize }) {
        if (name !== REPORT && !RAW.test(name)) return false;
        entries += 1;
        bytes += originalSize;
        if (entries <= MAX_READ_ENTRIES && bytes <= MAX_READ_BYTES) return true;
        throw new ArtifactError(
          `The report and raw outputs of the artifact unpack to at least ${bytes} bytes in ${entries} ${entries === 1 ? 'file' : 'files'}; at most ${MAX_READ_BYTES} bytes in ${MAX_READ_ENTRIES} files are read. Nothing of it was taken over.`,
        );
      },
    });
  } catch (error) {
    if (error instanceof ArtifactError) throw error;
    throw new ArtifactError('The artifact is not a readable zip file. Nothing of it was taken over.', { cause: error });
  }
}

function jsonOf(bytes: Uint8Array | undefined): unknown {
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(strFromU8(bytes));
  } catch {
    return undefined;
  }
}
