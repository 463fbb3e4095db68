/** Splits a shell command into its simple commands, well enough to see what is started; not a shell. */

/** One simple command. `pipedFrom` and `pipedText` are the programs and words before it in the same pipeline. */
export interface CommandLine {
  /** Base name of what is started, without `env`, `exec`, assignments and the like before it. */
  readonly program: string;
  readonly arguments: readonly string[];
  /** Targets of output redirections. */
  readonly redirects: readonly string[];
  readonly pipedFrom: readonly string[];
  readonly pipedText: readonly string[];
}

type Token = { readonly type: 'word' | 'operator'; readonly text: string };

const TOKEN =
  /(?<space>[ \t]+|\\\n)|(?<comment>(?<=^|[\s;&|(])#[^\n]*)|(?<operator>\|\||&&|;;|&>>?|>>|>\||[|&;()<>\n])|(?<word>(?:'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|[^\s|&;()<>'"\\])+)|(?<other>[\s\S])/y;
const WRAPPERS: ReadonlySet<string> = new Set([
  'env',
  'exec',
  'command',
  'nohup',
  'time',
  'nice',
  'then',
  'do',
  'else',
]);
const KEYWORDS: ReadonlySet<string> = new Set([...WRAPPERS, 'if', 'while', 'until', '!', '{', '}', 'builtin', 'xargs']);
const INTERPRETERS: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'eval']);
const DEEPEST = 4;

/** The simple commands of a shell text, those inside `sh -c '…'` and `eval` included. */
export function commandLinesOf(command: string, depth = 0): readonly CommandLine[] {
  const lines: CommandLine[] = [];
  let piped: readonly CommandLine[] = [];
  for (const { tokens, pipes } of segmentsOf(tokensOf(command))) {
    const line = lineOf(tokens, piped);
    if (line !== undefined) lines.push(line, ...(depth < DEEPEST ? nestedIn(line, depth) : []));
    piped = pipes && line !== undefined ? [...piped, line] : [];
  }
  return lines;
}

function tokensOf(command: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const { groups } of command.matchAll(new RegExp(TOKEN.source, 'gy'))) {
    if (groups?.operator !== undefined) tokens.push({ type: 'operator', text: groups.operator });
    const word = groups?.word ?? groups?.other;
    if (word !== undefined) tokens.push({ type: 'word', text: unquote(word) });
  }
  return tokens;
}

function unquote(word: string): string {
  return word.replace(/'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|\\([\s\S])/g, (_, single, double, escaped) => {
    return single ?? escaped ?? String(double).replace(/\\(["\\$`])/g, '$1');
  });
}

function segmentsOf(
  tokens: readonly Token[],
): readonly { readonly tokens: readonly Token[]; readonly pipes: boolean }[] {
  const segments: { tokens: Token[]; pipes: boolean }[] = [{ tokens: [], pipes: false }];
  for (const token of tokens) {
    const current = segments.at(-1);
    if (current === undefined) continue;
    if (token.type === 'word' || /^(&?>[>|]?|<)$/.test(token.text) || token.text === '&>>') current.tokens.push(token);
    else {
      current.pipes = token.text === '|';
      segments.push({ tokens: [], pipes: false });
    }
  }
  return segments;
}

function lineOf(tokens: readonly Token[], piped: readonly CommandLine[]): CommandLine | undefined {
  const words: string[] = [];
  const redirects: string[] = [];
  tokens.forEach((token, index) => {
    const before = tokens[index - 1];
    if (token.type === 'operator') return;
    if (before?.type === 'operator') redirects.push(token.text);
    else words.push(token.text);
  });
  while (words[0] !== undefined && (KEYWORDS.has(words[0]) || /^\w+=|^-/.test(words[0]))) words.shift();
  const [first, ...others] = words;
  if (first === undefined && redirects.length === 0) return undefined;
  return {
    program: (first ?? '').slice((first ?? '').lastIndexOf('/') + 1),
    arguments: others,
    redirects,
    pipedFrom: piped.map(({ program }) => program),
    pipedText: piped.flatMap((line) => line.arguments),
  };
}

function nestedIn(line: CommandLine, depth: number): readonly CommandLine[] {
  if (!INTERPRETERS.has(line.program)) return [];
  const flag = line.arguments.findIndex((word) => /^-[a-z]*c$/.test(word));
  const text = line.program === 'eval' ? line.arguments.join(' ') : line.arguments[flag + 1];
  return text === undefined || (flag < 0 && line.program !== 'eval') ? [] : commandLinesOf(text, depth + 1);
}
