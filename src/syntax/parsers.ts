/** Loads tree-sitter and its grammars from a folder: WebAssembly, the same files on every platform. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as TreeSitter from '@vscode/tree-sitter-wasm';
import { javascript, tsx, typescript } from './javascript.ts';
import type { Language } from './language.ts';
import { python } from './python.ts';

export const LANGUAGES: readonly Language[] = [javascript, typescript, tsx, python];

/** The program that loads the grammars, beside them. */
export const PROGRAM = 'tree-sitter.js';

/** The language that a path is written in; undefined where no table knows it. */
export function languageOf(path: string): Language | undefined {
  return LANGUAGES.find(({ files }) => files.test(path));
}

export interface Parsers {
  /** The tree of a text; the caller gives it back by `delete()`. */
  readonly parse: (language: Language, text: string) => TreeSitter.Tree;
}

/** The folder of the parsers that Loopwright was installed with. */
export function installedParsers(): string {
  return dirname(fileURLToPath(import.meta.resolve('@vscode/tree-sitter-wasm')));
}

/** Loads every language's parser from the folder. @throws {Error} where a file is not there: nobody reads code without its parser. */
export async function loadParsers(directory: string): Promise<Parsers> {
  // The package is CommonJS, and lies in a job where nothing is installed.
  const program: typeof TreeSitter = createRequire(join(directory, PROGRAM))(`./${PROGRAM}`);
  await program.Parser.init();
  const parser = new program.Parser();
  const grammars = new Map<Language, TreeSitter.Language>();
  for (const language of LANGUAGES)
    grammars.set(language, await program.Language.load(join(directory, language.grammar)));
  return {
    parse(language, text) {
      parser.setLanguage(grammars.get(language) ?? null);
      const tree = parser.parse(text);
      if (tree === null) throw new Error(`tree-sitter gave no tree for a text of ${text.length} characters`);
      return tree;
    },
  };
}
