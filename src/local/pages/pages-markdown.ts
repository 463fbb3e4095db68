/** Renders the Markdown that people and apps write on GitHub into safe HTML: GFM without raw HTML, but with `<details>`. */
import createMarkdownIt, { type Env, type MarkdownIt, type StateCore, type StateInline, type Token } from 'markdown-it';
import { addDetails } from './pages-markdown-details.ts';

export type MarkdownPlace = {
  /** `owner/name`; `#12` and relative links lead there. */
  readonly repository: string;
  /** The branch or commit that relative links of a file lead to. */
  readonly ref?: string;
  /** In comments GitHub keeps line breaks, in files it does not. */
  readonly kind: 'comment' | 'file';
};

/** The HTML of a Markdown text; scripts, event handlers, raw HTML and foreign images cannot get through. */
export function renderMarkdown(text: string, place: MarkdownPlace): string {
  const renderer = place.kind === 'comment' ? commentRenderer : fileRenderer;
  return renderer.render(text, { place });
}

const commentRenderer = createRenderer({ breaks: true });
const fileRenderer = createRenderer({ breaks: false });

function createRenderer({ breaks }: { breaks: boolean }): MarkdownIt {
  const renderer = new createMarkdownIt({ html: false, linkify: true, breaks });
  // Without a scheme, `plan.md` would become a link to the top-level domain of Moldova.
  renderer.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  addDetails(renderer);
  renderer.inline.ruler.before('html_inline', 'hidden_comment', skipInlineComment);
  renderer.inline.ruler.before('html_inline', 'line_break', breakLine);
  renderer.core.ruler.push('task_list', markTasks);
  renderer.core.ruler.push('heading_ids', addHeadingIds);
  renderer.core.ruler.push('references', linkReferences);
  renderer.core.ruler.push('links', adaptLinks);
  renderer.renderer.rules.fence = (tokens, index) => renderFence(renderer, tokens[index]);
  renderer.renderer.rules.image = (tokens, index) => renderImage(renderer, tokens[index]);
  renderer.renderer.rules.table_open = () => '<div class="table-scroll"><table>\n';
  renderer.renderer.rules.table_close = () => '</table></div>\n';
  renderer.renderer.rules.task_box = (tokens, index) =>
    `<input type="checkbox" disabled${tokens[index]?.content === ' ' ? '' : ' checked'} aria-label="task"> `;
  return renderer;
}

function skipInlineComment(state: StateInline): boolean {
  if (!state.src.startsWith('<!--', state.pos)) return false;
  const end = state.src.indexOf('-->', state.pos + 4);
  if (end < 0) return false;
  state.pos = end + 3;
  return true;
}

/** The one way to a second line within a table's cell. */
function breakLine(state: StateInline): boolean {
  const [tag] = /^<br\s*\/?>/i.exec(state.src.slice(state.pos, state.pos + 10)) ?? [];
  if (tag === undefined) return false;
  state.push('hardbreak', 'br', 0);
  state.pos += tag.length;
  return true;
}

function markTasks(state: StateCore): void {
  state.tokens.forEach((token, index) => {
    const item = state.tokens[index - 2];
    const first = token.children?.[0];
    const box = /^\[([ xX])\]\s+/.exec(first?.content ?? '');
    if (token.type !== 'inline' || item?.type !== 'list_item_open' || !first || !box) return;
    first.content = first.content.slice(box[0].length);
    const checkbox = new state.Token('task_box', '', 0);
    checkbox.content = box[1] ?? ' ';
    token.children?.unshift(checkbox);
    item.attrJoin('class', 'task');
  });
}

function addHeadingIds(state: StateCore): void {
  const seen = new Map<string, number>();
  state.tokens.forEach((token, index) => {
    if (token.type !== 'heading_open') return;
    const slug = slugOf(state.tokens[index + 1]?.content ?? '');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    token.attrSet('id', count === 0 ? slug : `${slug}-${count}`);
  });
}

function slugOf(title: string): string {
  const slug = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
  return slug || 'section';
}

function linkReferences(state: StateCore): void {
  const repository = placeOf(state.env)?.repository;
  for (const token of state.tokens) {
    if (token.type !== 'inline' || !token.children) continue;
    let linkDepth = 0;
    token.children = token.children.flatMap((child) => {
      if (child.type === 'link_open') linkDepth += 1;
      if (child.type === 'link_close') linkDepth -= 1;
      return child.type === 'text' && linkDepth === 0 ? splitReferences(state, child, repository) : [child];
    });
  }
}

const REFERENCE = /(?<![\p{L}\p{N}_/@#&`-])(?:#(\d+)\b|@([a-z\d](?:[a-z\d-]{0,37}[a-z\d])?(?:\/[\w-]+)?))/giu;

function splitReferences(state: StateCore, token: Token, repository: string | undefined): Token[] {
  const parts: Token[] = [];
  let position = 0;
  const push = (type: string, tag: string, nesting: -1 | 0 | 1, content = ''): Token => {
    const part = new state.Token(type, tag, nesting);
    part.content = content;
    parts.push(part);
    return part;
  };
  for (const match of token.content.matchAll(REFERENCE)) {
    push('text', '', 0, token.content.slice(position, match.index));
    position = match.index + match[0].length;
    const [opening, closing, tag] = match[1]
      ? ['link_open', 'link_close', 'a']
      : ['strong_open', 'strong_close', 'strong'];
    const open = push(opening ?? '', tag ?? '', 1);
    if (match[1]) open.attrSet('href', `/${repository}/issues/${match[1]}`);
    else open.attrSet('class', 'mention');
    push('text', '', 0, match[0]);
    push(closing ?? '', tag ?? '', -1);
  }
  push('text', '', 0, token.content.slice(position));
  return parts;
}

function adaptLinks(state: StateCore): void {
  const place = placeOf(state.env);
  for (const child of state.tokens.flatMap((token) => token.children ?? [])) {
    const href = child.type === 'link_open' ? String(child.attrGet('href') ?? '') : '';
    if (/^[a-z]+:/i.test(href)) child.attrSet('rel', 'nofollow noreferrer');
    else if (place && /^[^/#?]/.test(href)) child.attrSet('href', relativeLink(place, href));
  }
}

function relativeLink({ repository, ref }: MarkdownPlace, href: string): string {
  return `/${repository}/blob/${ref ?? 'HEAD'}/${href.replace(/^\.\//, '')}`;
}

function placeOf(env: Env): MarkdownPlace | undefined {
  // Written by renderMarkdown only; read back without a cast.
  const place: unknown = env.place;
  return isPlace(place) ? place : undefined;
}

function isPlace(value: unknown): value is MarkdownPlace {
  return typeof value === 'object' && value !== null && 'repository' in value && 'kind' in value;
}

function renderFence(renderer: MarkdownIt, token: Token | undefined): string {
  const language = /^\S*/.exec(token?.info.trim() ?? '')?.[0] ?? '';
  const source = renderer.utils.escapeHtml(token?.content ?? '');
  // The browser replaces the content by a drawing; without JavaScript the source stays readable.
  if (language === 'mermaid') return `<pre class="mermaid">${source}</pre>\n`;
  const lines = language === 'diff' ? colourDiff(source) : source;
  const name = renderer.utils.escapeHtml(language);
  return `<pre><code${name ? ` class="language-${name}"` : ''}>${lines}</code></pre>\n`;
}

function colourDiff(escaped: string): string {
  return escaped.replace(
    /^([+-]).*$/gm,
    (line, sign) => `<span class="${sign === '+' ? 'added' : 'removed'}">${line}</span>`,
  );
}

function renderImage(renderer: MarkdownIt, token: Token | undefined): string {
  // The content security policy shows no foreign image: a link with the alternative text is honest about it.
  const { escapeHtml } = renderer.utils;
  const label = escapeHtml(token?.content || 'image');
  return `<a class="image" href="${escapeHtml(String(token?.attrGet('src') ?? ''))}" rel="nofollow noreferrer">${label}</a>`;
}
