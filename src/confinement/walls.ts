/** What keeps a command in on this machine, in sentences: for the log of a job and for the evidence. */
import { FILE_BYTES, type Limits, sizeText } from './limits.ts';

/** One sentence per limit. */
export function limitsTold(limits: Limits): readonly string[] {
  return [
    `The processes of a command use at most ${sizeText(limits.memoryBytes)} of memory together.`,
    `A command has at most ${limits.processes} processes and threads.`,
    `Commands add at most ${sizeText(limits.diskBytes)} and ${limits.files} files to a working copy; a file has at most ${sizeText(FILE_BYTES)}.`,
  ];
}

/** What this machine does not set, each with what stands in for it; empty where everything holds. */
export function missingWalls({
  filtered,
  scoped,
  architecture = process.arch,
}: {
  readonly filtered: boolean;
  readonly scoped: boolean;
  readonly architecture?: string;
}): readonly string[] {
  return [
    ...(filtered
      ? []
      : [
          `System calls are not filtered, because their numbers on ${architecture} are not known here; set-id files are found after each command.`,
        ]),
    ...(scoped
      ? []
      : [
          'No control group limits memory and processes, because systemd gives none here; they are looked at five times a second instead.',
        ]),
  ];
}
