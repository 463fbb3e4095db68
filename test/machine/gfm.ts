/** Markdown as GitHub reads it: the tree that its own parser (Debian's cmark-gfm) makes of a text. */
import { execFileSync } from 'node:child_process';

const EXTENSIONS = ['table', 'strikethrough', 'autolink', 'tagfilter', 'tasklist'];

export interface GfmNode {
  /** As in CommonMark's DTD: paragraph, text, code, link, image, html_inline, … */
  readonly type: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Its own text; of an element, nothing. */
  readonly literal: string;
  readonly children: readonly GfmNode[];
}

export function gfmOf(markdown: string): GfmNode {
  const options = ['--unsafe', '--sourcepos', '-t', 'xml', ...EXTENSIONS.flatMap((name) => ['-e', name])];
  return treeOf(execFileSync('cmark-gfm', options, { input: markdown, encoding: 'utf8', maxBuffer: 64_000_000 }));
}

/** All nodes, each before those in it. */
export function nodesOf(node: GfmNode): readonly GfmNode[] {
  return [node, ...node.children.flatMap(nodesOf)];
}

/** Lines of the source that a node stands on, from 1; none where the parser does not say. */
export function linesOf({ attributes }: GfmNode): readonly number[] {
  const [, from, to] = /^(\d+):\d+-(\d+):/.exec(attributes.sourcepos ?? '') ?? [];
  return from === undefined || to === undefined
    ? []
    : Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => Number(from) + index);
}

interface Open {
  readonly type: string;
  readonly attributes: Record<string, string>;
  literal: string;
  readonly children: GfmNode[];
}

function treeOf(xml: string): GfmNode {
  const root: Open = { type: 'root', attributes: {}, literal: '', children: [] };
  const open = [root];
  for (const [, slash, type = '', rest = '', empty, text = ''] of xml.matchAll(
    /<(\/?)([a-z_]+)((?:\s[^<>]*?)?)(\/?)>([^<]*)/g,
  )) {
    const top = open.at(-1) ?? root;
    if (slash === '/') open.pop();
    else {
      const node: Open = { type, attributes: attributesOf(rest), literal: '', children: [] };
      top.children.push(node);
      if (empty !== '/') open.push(node);
      if (rest.includes('xml:space')) node.literal = decoded(text);
    }
  }
  return root;
}

function attributesOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([\w:]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, decoded(value)]),
  );
}

function decoded(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
