/** Loads tree-sitter and its grammars from a folder: WebAssembly, the same files on every platform. */
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import type * as TreeSitter from '@vscode/tree-sitter-wasm';
import { javascript, tsx, typescript } from './javascript.ts';
import type { Language } from './language.ts';
import { python } from './python.ts';

export const LANGUAGES: readonly Language[] = [javascript, typescript, tsx, python];

/** The program that loads the grammars, beside them, and its own part in WebAssembly. */
const PROGRAM = 'tree-sitter.js';

/** All that lies in the folder of the parsers. */
export const PARSER_NAMES: readonly string[] = [
  PROGRAM,
  'tree-sitter.wasm',
  ...LANGUAGES.map(({ grammar }) => grammar),
];

/** The language that a path is written in; undefined where no table knows it. */
export function languageOf(path: string): Language | undefined {
  return LANGUAGES.find(({ files }) => files.test(path));
}

export interface Parsers {
  /** The tree of a text; the caller gives it back by `delete()`. */
  readonly parse: (language: Language, text: string) => TreeSitter.Tree;
}

/** The parsers' files by name, packed by Brotli, in Base64: only the build of the job has them, because it is one file and nothing is installed beside it. */
declare const PARSER_FILES: Readonly<Record<string, string>> | undefined;

/** The folder of the parsers that Loopwright was installed with; a job has its own, which are unpacked into the empty folder `place` first. */
export async function parsersFolder(place: string): Promise<string> {
  if (typeof PARSER_FILES === 'undefined') return installedParsers();
  // Whatever lies around it, the program is CommonJS.
  await writeFile(join(place, 'package.json'), '{}');
  for (const [name, packed] of Object.entries(PARSER_FILES))
    await writeFile(join(place, name), brotliDecompressSync(Buffer.from(packed, 'base64')));
  return place;
}

/** The folder of the parsers in the package that is installed. */
export function installedParsers(): string {
  return dirname(fileURLToPath(import.meta.resolve('@vscode/tree-sitter-wasm')));
}

let own: Promise<Parsers> | undefined;

/** Those of the installed package, loaded once. */
export function ownParsers(): Promise<Parsers> {
  own ??= loadParsers(installedParsers());
  return own;
}

/** Loads every language's parser from the folder. @throws {Error} where a file is not there: nobody reads code without its parser. */
export async function loadParsers(directory: string): Promise<Parsers> {
  // The package is CommonJS, and lies in a job where nothing is installed.
  const program: typeof TreeSitter = createRequire(join(directory, PROGRAM))(`./${PROGRAM}`);
  await program.Parser.init();
  const parser = new program.Parser();
  const grammars = new Map<string, TreeSitter.Language>();
  for (const { grammar } of LANGUAGES) grammars.set(grammar, await program.Language.load(join(directory, grammar)));
  const parse = (grammar: string, text: string) => {
    parser.setLanguage(grammars.get(grammar) ?? null);
    const tree = parser.parse(text);
    if (tree === null) throw new Error(`tree-sitter gave no tree for a text of ${text.length} characters`);
    return tree;
  };
  return {
    parse({ grammar, otherGrammar }, text) {
      const tree = parse(grammar, text);
      if (otherGrammar === undefined || !tree.rootNode.hasError) return tree;
      const other = parse(otherGrammar, text);
      const [right, left] = other.rootNode.hasError ? [tree, other] : [other, tree];
      left.delete();
      return right;
    },
  };
}
