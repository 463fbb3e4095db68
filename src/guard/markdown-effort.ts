/** Bounds what a Markdown parser does for brackets: for each that opens it looks for the one that closes, also where none does. */
import type { MarkdownIt, StateInline } from 'markdown-it';

/** Passed along by the parser as its `env`: how many characters between brackets were read, each as often as it was. */
type Effort = Readonly<Record<string, unknown>>;

/** A text of 65 kB whose paragraphs each begin and end their links needs some ten thousand. */
const MOST_SPENT = 400_000;

/** Whether the brackets of a text cost more than any honest text's; from there on they were read as text, so nothing can be said about its links. */
export function isTangled(effort: Effort): boolean {
  return spentOn(effort) > MOST_SPENT;
}

function spentOn({ spent }: Effort): number {
  return typeof spent === 'number' ? spent : 0;
}

/** Bounds a parser. Give it an object as `env` for each text, and ask `isTangled` of that. */
export function bounded(created: MarkdownIt): MarkdownIt {
  created.inline.ruler.before('link', 'bounded', spendOnLabel);
  return created;
}

function spendOnLabel(state: StateInline, silent: boolean): boolean {
  const bracket = state.src[state.pos] === '!' ? state.pos + 1 : state.pos;
  if (state.src[bracket] !== '[') return false;
  if (!isTangled(state.env)) {
    state.env.spent = spentOn(state.env) + labelLength(state, bracket);
    return false;
  }
  if (!silent) state.pending += state.src.slice(state.pos, bracket + 1);
  state.pos = bracket + 1;
  return true;
}

const [OPENS, CLOSES] = [0x5b, 0x5d];

/** As far as the bracket that closes, or the end. */
function labelLength({ src, posMax }: StateInline, bracket: number): number {
  let depth = 0;
  for (let at = bracket; at < posMax; at += 1) {
    const code = src.charCodeAt(at);
    if (code === OPENS) depth += 1;
    if (code === CLOSES) depth -= 1;
    if (depth === 0) return at - bracket;
  }
  return posMax - bracket;
}
