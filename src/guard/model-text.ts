/**
 * The door for what a model or a job says: cleaned once, where it enters, so that what is stored, digested, approved, prompted and posted is the
 * same text. What people could not see goes, and so do images and every tag but `<br>`.
 */
import { inlined } from '../documents/markdown.ts';
import { withoutHtmlComments } from './hidden-html.ts';
import { stripInvisible } from './invisible.ts';
import { normalized, type ParsedMarkdown, parseMarkdown } from './markdown.ts';
import { regionsOf } from './markdown-regions.ts';
import { asCodeBlock, tameImages, tameMermaid, tameTicks } from './outgoing-rules.ts';
import { secretNamesIn } from './rendered-text.ts';

/**
 * What a string is: `line` is Markdown that stands in one line, `prose` may have many; `literal` stands for itself (a path, a quotation, a diagram); `value` is compared with what a program
 * does, so control characters count and are shown escaped; `code` is a file, which the scan judges.
 */
type Kind = 'line' | 'prose' | 'failure' | 'literal' | 'value' | 'code';

/** By the key that a string stands under, at any depth; below any other key than these it is what its parent is. */
const ANSWER_KINDS: Readonly<Record<string, Kind>> = {
  steps: 'value',
  content: 'code',
  ...kinds('literal', ['files', 'file', 'path', 'paths', 'quote', 'command', 'tests', 'tag']),
  ...kinds('prose', ['objective', 'summary', 'approach', 'detail', 'text']),
  ...kinds('literal', ['component', 'sequence', 'dataFlow', 'deployment']),
};

/** Output of tools stands in a code block under its first line; whole files are judged elsewhere. */
const REPORT_KINDS: Readonly<Record<string, Kind>> = {
  ...kinds('literal', ['message', 'suggestion', 'rule', 'file', 'id', 'test', 'name']),
  ...kinds('prose', ['reason', 'detail', 'source']),
  failure: 'failure',
  ...kinds('code', ['changes', 'tests', 'seed']),
};

/** Longest texts that a report may hold; what cleaning adds must not break its schema. */
const LONGEST: Readonly<Record<string, number>> = { message: 4000, suggestion: 2000 };

/** A model's answer, parsed from JSON and not yet checked, with its texts cleaned. Cleaning twice gives the same as cleaning once. */
export function cleanedAnswer(value: unknown): unknown {
  return mapped(value, { kinds: ANSWER_KINDS, kind: 'line' });
}

/** A job's report, parsed from JSON and not yet checked, with the words in it cleaned; the files in it stay as they are. */
export function cleanedReport(value: unknown): unknown {
  return mapped(value, { kinds: REPORT_KINDS, kind: 'literal' });
}

/** What looks like a secret in an answer, and where: `a GitHub token in requirements.0.statement`. Files are left to the scan. */
export function secretInAnswer(value: unknown, canaries: readonly string[]): string | undefined {
  return secretAt(value, [], canaries);
}

/** Markdown without anything that is not shown: no invisible characters, comments, images, and no tags but `<br>`. Code stays as it is. */
export function cleanedMarkdown(markdown: string): string {
  let text = markdown;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const next = cleanedOnce(text);
    if (next === undefined) break;
    if (next === text) return text;
    text = next;
  }
  return asCodeBlock(stripInvisible(text).text);
}

/** Text that stands in a line of ours: what would begin a block of its own, as a fence does, begins none there. */
export function cleanedLine(text: string): string {
  const cleaned = cleanedMarkdown(`${LEAD}${inlined(text)}`);
  return cleaned.startsWith(LEAD) ? cleaned.slice(LEAD.length).trim() : cleaned.replaceAll(/[<`]/g, "'");
}

const LEAD = 'x ';

/** Each pass only takes away or escapes, so two or three settle; more means that the text fights the filter. */
const MAX_PASSES = 6;

/** Undefined where the text is too tangled to be read. */
function cleanedOnce(markdown: string): string | undefined {
  const { text: shown } = withoutHtmlComments(stripInvisible(normalized(markdown)).text);
  const parsed = withoutHtmlBlocks(parseMarkdown(shown));
  if (parsed.isTangled) return undefined;
  let result = '';
  let position = 0;
  for (const { type, start, end } of regionsOf(parsed)) {
    if (start < position) continue;
    const source = parsed.text.slice(start, end);
    const kept = type === 'code block' ? tameMermaid(source) : source;
    result += cleanedProse(parsed.text.slice(position, start)) + (type === 'comment' ? '' : kept);
    position = end;
  }
  return result + cleanedProse(parsed.text.slice(position)) + missingFence(parsed);
}

function cleanedProse(prose: string): string {
  return tameTicks(lettersKept(tameImages(prose)));
}

/** A fence that stays open would take what we write below it for code. */
function missingFence({ tokens, lines, text }: ParsedMarkdown): string {
  const last = tokens.at(-1);
  if (last?.type !== 'fence' || last.level > 0 || last.map?.[1] !== lines.length) return '';
  const closed =
    last.map[1] - last.map[0] > 1 &&
    lines
      .findLast((line) => line.trim() !== '')
      ?.trim()
      .startsWith(last.markup);
  return closed ? '' : `${text.endsWith('\n') ? '' : '\n'}${last.markup}`;
}

/** In an HTML block a backslash escapes nothing, so none may begin; it does where `<br>` stands alone in its line. */
function withoutHtmlBlocks(parsed: ParsedMarkdown): ParsedMarkdown {
  const begins = new Set(parsed.tokens.flatMap(({ type, map }) => (type === 'html_block' && map ? [map[0]] : [])));
  if (begins.size === 0) return parsed;
  return parseMarkdown(
    parsed.lines.map((line, index) => (begins.has(index) ? line.replace('<', '\\<') : line)).join('\n'),
  );
}

const TAG = String.raw`<(?=[A-Za-z/!?])(?!br ?\/?>)(?!https?:\/\/[^\s<>]{1,2000}>)`;
const ENTITY = String.raw`&(?=#\d+;|#x[\da-f]+;|[a-z][a-z\d]*;)`;
const READ_OTHERWISE = new RegExp(String.raw`\\[\s\S]|${TAG}|${ENTITY}`, 'gi');

/**
 * Tags and entities read as what they are: in `Array<string>` nothing is lost, and `&lt;` is shown as these four letters, which the tests will
 * be made of. Escaped, so that what is shown is told from what was said.
 */
function lettersKept(prose: string): string {
  return prose.replace(READ_OTHERWISE, (found) => (found.startsWith('\\') ? found : `\\${found}`));
}

interface Mapping {
  readonly kinds: Readonly<Record<string, Kind>>;
  readonly kind: Kind;
  /** Characters that the text may have; any number when undefined. */
  readonly longest?: number | undefined;
}

function mapped(value: unknown, how: Mapping): unknown {
  if (typeof value === 'string') return cleanedText(value, how);
  if (Array.isArray(value)) return value.map((member) => mapped(member, how));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, mapped(member, below(how, key, value))]),
  );
}

function below({ kinds: known, kind }: Mapping, key: string, parent: object): Mapping {
  // OpenAPI is YAML, and no Markdown.
  const isYaml = key === 'text' && Reflect.get(parent, 'format') === 'openapi';
  const own = isYaml ? 'literal' : Object.hasOwn(known, key) ? (known[key] ?? kind) : kind;
  return { kinds: known, kind: FIXED.has(kind) ? kind : own, longest: LONGEST[key] };
}

/** Whatever stands below these is the same; `failure` is prose, and its message the only one that is. */
const FIXED: ReadonlySet<Kind> = new Set(['failure', 'value', 'code']);

function cleanedText(text: string, { kind, longest }: Mapping): string {
  if (kind === 'code') return text;
  const cleaned = CLEANERS[kind](text);
  const visible = cleaned.trim() === '' && text.trim() !== '' ? NOTHING : cleaned;
  return longest === undefined ? visible : visible.slice(0, longest);
}

const CLEANERS: Readonly<Record<Exclude<Kind, 'code'>, (text: string) => string>> = {
  line: cleanedLine,
  prose: cleanedMarkdown,
  failure: cleanedMarkdown,
  literal: (text) => stripInvisible(text).text,
  value: (text) => stripInvisible(text, true).text,
};

/** So that a sentence with nothing to see in it is told as that, and breaks no schema. */
const NOTHING = '(nothing that can be seen)';

function secretAt(value: unknown, path: readonly string[], canaries: readonly string[]): string | undefined {
  if (typeof value === 'string') return secretInText(value, path, canaries);
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const found = ANSWER_KINDS[key] === 'code' ? undefined : secretAt(member, [...path, key], canaries);
    if (found !== undefined) return found;
  }
  return undefined;
}

function secretInText(text: string, path: readonly string[], canaries: readonly string[]): string | undefined {
  const [name] = secretNamesIn(text, canaries);
  return name === undefined ? undefined : `a ${name} in ${path.join('.')}`;
}

function kinds(kind: Kind, keys: readonly string[]): Readonly<Record<string, Kind>> {
  return Object.fromEntries(keys.map((key) => [key, kind]));
}
