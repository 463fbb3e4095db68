/** A process that a job starts, and what is started in its place where the job is kept in. */

export interface ProcessStart {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly directory: string;
  /** The whole environment: nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface EnclosedStart extends ProcessStart {
  /** A file that the process finds open for reading at descriptor 4. */
  readonly filter: string | undefined;
  /** Looks after the running process, and says why it ended it. */
  readonly watch: (processId: number, kill: () => void) => { end(): Promise<string | undefined> };
}
