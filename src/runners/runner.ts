/** What a test runner is here: one file each, which says where its tests are and how they are run. Pure. */
import type { Commands } from '../loop/brief.ts';

/** What a repository says of how its tests are run. */
export interface RunnerCommands {
  readonly runner: Commands['runner'];
  /** For the runner `junit` only. */
  readonly junit?: Commands['junit'];
  /** Of the whole suite; a told runner takes its options. Absent where nobody named one. */
  readonly test?: string | undefined;
  /** The folder that tests are run in, by its path from the root; absent, at the root. */
  readonly directory?: Commands['directory'];
}

export interface Runner {
  /** What says that a repository uses it; undefined where nothing does. */
  readonly detect: (repository: RepositoryFacts) => string | undefined;
  /** `sealed`: outcomes are taken where they arise, out of reach of the code under test; `told`: as the repository's own tool tells them. */
  readonly trust: 'sealed' | 'told';
  /** Where tests live. */
  readonly testPaths: readonly RegExp[];
  /** What lies there or elsewhere only for tests, and holds none; everything else is the product. */
  readonly support: readonly RegExp[];
  /** Files of its own that decide how tests run, beside those that hold for every runner. */
  readonly settings: readonly RegExp[];
  /** Programs of `src/inside` that lie beside each other while tests run; the first one is started. */
  readonly programs: readonly [string, ...string[]];
  /** How the first program is started. */
  readonly argv: (start: Start) => readonly string[];
  /** What the program is told beside the files; `node` is the ordinary Node, which tests start other processes with. */
  readonly told: (node: string, commands: RunnerCommands) => Readonly<Record<string, string>>;
  /**
   * One start takes many files, each with a key and lines of its own: each in a process `apart` from the others, or as its own tool parts them, or
   * all `together` in one process, where one that ends it, or leaves something behind, is in the way of others.
   */
  readonly takesMany: 'apart' | 'together';
  /** Whether some tests of a file can be run without the others, and are `believed` then, or only `tried`, to see what they come to. */
  readonly choosesTests: 'believed' | 'tried' | 'never';
}

/** What a repository is known by before anything of it runs. */
export interface RepositoryFacts {
  readonly files: readonly string[];
  /** Texts of its manifests by path. */
  readonly manifests: ReadonlyMap<string, string>;
  /** Texts of some of its Python tests by path; the same file name serves two runners. */
  readonly tests?: ReadonlyMap<string, string>;
}

export interface Start {
  /** Path of the Node that runs Loopwright. */
  readonly node: string;
  /** Path of the first program. */
  readonly script: string;
  /** What one test may take. */
  readonly testMs: number;
}
