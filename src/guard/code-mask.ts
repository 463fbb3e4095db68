/** Source text in which nothing inside strings, templates, regular expressions and comments looks like code. Pure. */

export type Language = 'script' | 'python';

interface Token {
  readonly end: number;
  readonly kind: 'code' | 'comment' | 'text';
}
interface Place {
  readonly language: Language;
  /** The token before. */
  readonly before: string;
  /** In how many templates it stands. */
  readonly depth: number;
}
type Reader = (text: string, at: number, place: Place) => Token | undefined;

/** The text, as long as it was: comments are spaces, and of a string only its quotes are left, even where it spans lines. */
export function maskedCode(text: string, language: Language): string {
  const parts: string[] = [];
  let before = '';
  for (let at = 0; at < text.length; ) {
    const { end, kind } = tokenAt(text, at, { language, before, depth: 0 });
    const token = text.slice(at, end);
    parts.push(MASKS[kind](token));
    if (kind !== 'comment' && token.trim() !== '') before = token;
    at = end;
  }
  return parts.join('');
}

const MASKS: Readonly<Record<Token['kind'], (token: string) => string>> = {
  code: (token) => token,
  comment: (token) => token.replaceAll(/[^\n]/g, ' '),
  text: (token) => `${token[0]}${'x'.repeat(token.length - 2)}${token.at(-1)}`,
};

const QUOTED = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y;
/** After these a slash begins a regular expression; after a value it divides. */
const BEFORE_PATTERN =
  /^(?:|[-(,=:[!&|?{};+*%<>~^]|return|typeof|case|in|of|delete|void|throw|new|await|yield|else|do)$/;

/** In the order in which they are tried. */
const READERS: Readonly<Record<Language, readonly Reader[]>> = {
  script: [
    matching(/\/\/[^\n]*|\/\*[\s\S]*?\*\//y, 'comment'),
    matching(QUOTED, 'text'),
    template,
    (text, at, place) => (BEFORE_PATTERN.test(place.before) ? PATTERN(text, at, place) : undefined),
  ],
  python: [
    matching(/#[^\n]*/y, 'comment'),
    matching(/"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''/y, 'text'),
    matching(QUOTED, 'text'),
  ],
};
const PATTERN = matching(/\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y, 'text');
const WORD = matching(/[\w$]+/y, 'code');

function matching(pattern: RegExp, kind: Token['kind']): Reader {
  return (text, at) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    return found === null ? undefined : { end: at + found[0].length, kind };
  };
}

function template(text: string, at: number, { depth }: Place): Token | undefined {
  const end = text[at] === '`' ? templateEnd(text, at + 1, depth) : undefined;
  return end === undefined ? undefined : { end, kind: 'text' };
}

function tokenAt(text: string, at: number, place: Place): Token {
  for (const read of READERS[place.language]) {
    const token = read(text, at, place);
    if (token !== undefined) return token;
  }
  return WORD(text, at, place) ?? { end: at + 1, kind: 'code' };
}

/** Templates in templates in templates; deeper ones nobody writes. */
const DEEPEST = 20;

/** Behind the closing backtick, if there is one; code inside of `${}` may hold templates of its own. */
function templateEnd(text: string, from: number, depth: number): number | undefined {
  for (let at: number | undefined = from; at !== undefined && at < text.length && depth < DEEPEST; ) {
    if (text[at] === '`') return at + 1;
    if (text.startsWith('${', at)) at = bracesEnd(text, at + 2, depth);
    else at += text[at] === '\\' ? 2 : 1;
  }
  return undefined;
}

function bracesEnd(text: string, from: number, templates: number): number | undefined {
  let depth = 1;
  let before = '{';
  for (let at = from; at < text.length; ) {
    const { end } = tokenAt(text, at, { language: 'script', before, depth: templates + 1 });
    before = text.slice(at, end);
    if (before === '{') depth += 1;
    if (before === '}') depth -= 1;
    if (depth === 0) return end;
    at = end;
  }
  return undefined;
}
