/** What is approved is what stands in the documents: the packet cuts nothing and lets nothing be read otherwise. */
import fc from 'fast-check';
import { parseHTML } from 'linkedom';
import createMarkdownIt, { type Token } from 'markdown-it';
import { expect, test } from 'vitest';
import type { Specification } from '../../src/documents/documents.ts';
import { oneLine } from '../../src/documents/markdown.ts';
import { specificationDocument } from '../../src/documents/specification-document.ts';
import { cleanedAnswer } from '../../src/guard/model-text.ts';
import { outgoing } from '../../src/guard/outgoing.ts';
import { renderMarkdown } from '../../src/local/pages/pages-markdown.ts';
import { packetComment } from '../../src/render/packet.ts';
import { questionsComment } from '../../src/render/questions.ts';
import { analysis, diagrams, plan, requirement, specification } from '../drafting/authored.ts';
import { DIGEST, MODEL, startedLoop, waitingLoop } from './loops.ts';

type Requirements = Specification['requirements'];
interface Read {
  readonly id: string;
  readonly kind: string;
  readonly statement: string;
  readonly criteria: readonly string[];
  readonly rows: readonly string[];
}

// GitHub strikes out between one or two tildes, and this parser between any.
const parser = createMarkdownIt({ html: true }).disable('strikethrough');
/** What people read of one line. */
const shown = (text: string): string => parser.renderInline(text.replace(/[ \t]*\n\s*/g, ' ').trim()).trim();

/** The requirements as a reader of the rendered packet finds them: a paragraph, its criteria, its acceptance rows. */
function readRequirements(markdown: string): readonly Read[] {
  const found: { id: string; kind: string; statement: string; lists: string[][] }[] = [];
  for (const token of topLevel(parser.parse(markdown, {}))) {
    const [, id, kind, statement] =
      /^<strong>(R-\d+)<\/strong> \((\w+)\): ([\s\S]*)$/.exec(token.paragraph ?? '') ?? [];
    if (id !== undefined && kind !== undefined && statement !== undefined)
      found.push({ id, kind, statement, lists: [] });
    if (token.items !== undefined) found.at(-1)?.lists.push([...token.items]);
  }
  return found.map(({ lists: [criteria = [], rows = []], ...rest }) => ({ ...rest, criteria, rows }));
}

/** Paragraphs and lists of the outermost level, rendered. */
function topLevel(
  tokens: readonly Token[],
): readonly { readonly paragraph?: string; readonly items?: readonly string[] }[] {
  const blocks: { paragraph?: string; items?: string[] }[] = [];
  let items: string[] | undefined;
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'bullet_list_open' && token.level === 0) {
      items = [];
      blocks.push({ items });
    }
    if (token.type === 'bullet_list_close' && token.level === 0) items = undefined;
    if (token.type !== 'inline') continue;
    if (items !== undefined) items.push(parser.renderInline(token.content).trim());
    else if (tokens[index - 1]?.type === 'paragraph_open' && token.level === 1)
      blocks.push({ paragraph: parser.renderInline(token.content).trim() });
  }
  return blocks;
}

function packetOf(requirements: Requirements, acceptance = plan.acceptance): string {
  const texts = {
    'requirements.json': requirements,
    'acceptance.json': acceptance,
    'plan.json': plan,
    'analysis.json': analysis,
    'diagrams.json': diagrams,
  };
  const documents = Object.entries(texts).map(([file, value]) => ({
    path: `.loopwright/12/${file}`,
    text: JSON.stringify(value),
  }));
  return packetComment(waitingLoop({ tasks: plan.tasks }), { digest: DIGEST, documents }, MODEL);
}

function expected(requirements: Requirements, acceptance = plan.acceptance): readonly Read[] {
  return requirements.map(({ id, kind, statement, criteria }) => ({
    id,
    kind,
    statement: shown(statement),
    criteria: criteria.map(shown),
    rows: acceptance.filter((row) => row.requirement === id).map((row) => shown(`${row.id}: ${row.title}`)),
  }));
}

test('a code span at any place of a long criterion stays whole', () => {
  const criterion = `${'With many words before it, '.repeat(8)}\`tool '*.*' 'a|b'\` prints \`'*.*'\` and then ${'more '.repeat(20)}\`'*'\`.`;
  const requirements = [
    { id: 'R-1', kind: 'change' as const, statement: criterion, criteria: [criterion], metric: null },
  ];
  expect(packetOf(requirements)).toContain(`- ${criterion}`);
  expect(readRequirements(packetOf(requirements))).toEqual(expected(requirements));
});

const PIECES =
  `\`'*.*'\`|\`|\`\`|\`\`\`|~~~|*|**|_|# |- |+ |1. |1) |> |    |---|===|[ ] |[x](y)|[x]: y|[^1]: z|\\|\\\\|\\||a|b |R-2|**R-9** (keep): no|Proved by:|
|

|<br>|<details>|<!-- x -->|&lt;|&#124;|&|A-9: z|\`GET /items\`|200|“é”|!`.split('|');
const said = fc
  .array(fc.constantFrom(...PIECES, '|', ' | ', '\n', '\n\n', ' '), { minLength: 1, maxLength: 12 })
  .map((pieces) => pieces.join(''))
  .map((text) => `${text} and more words`);
const rows = fc.array(
  fc.record({ statement: said, criteria: fc.array(said, { minLength: 1, maxLength: 3 }), title: said }),
  {
    minLength: 1,
    maxLength: 3,
  },
);

/** As the model adapter lets them in. */
function entered(parts: readonly { statement: string; criteria: string[]; title: string }[]) {
  const requirements = parts.map(({ statement, criteria }, index) => ({
    ...{ id: `R-${index + 1}`, kind: 'change' as const, metric: null },
    statement: String(cleanedAnswer(statement)),
    criteria: criteria.map((text) => String(cleanedAnswer(text))),
  }));
  const acceptance = parts.map(({ title }, index) => ({
    ...{ id: `A-${index + 1}`, requirement: `R-${index + 1}`, kind: 'change' as const, steps: [] },
    title: String(cleanedAnswer(title)),
  }));
  return { requirements, acceptance };
}

test('whatever the words are made of, the packet reads back to the documents', () => {
  fc.assert(
    fc.property(rows, (parts) => {
      const { requirements, acceptance } = entered(parts);
      const packet = packetOf(requirements, acceptance);
      expect(readRequirements(packet)).toEqual(expected(requirements, acceptance));
      expect(readRequirements(outgoing(packet, { allowedHosts: ['github.com'], mention: ['alice'] }))).toEqual(
        expected(requirements, acceptance),
      );
    }),
    { numRuns: 500 },
  );
});

/** What is read where a line holds nothing but letters: the page that people approve on. */
function lettersOf(html: string): string {
  const { document } = parseHTML(`<!doctype html><html><body>${html}</body></html>`);
  return document.body.textContent ?? '';
}

const LETTERS = [
  '&lt;',
  '&gt;',
  '&amp;',
  '&#39;',
  '&#x40;',
  '&commat;',
  '&',
  ';',
  '#',
  'amp;',
  '<b>',
  '</b>',
  '<',
  '>',
  '"',
  "'",
  'value=',
  'a',
  ' ',
];
const words = fc
  .array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 10 })
  .map((pieces) => `it shows x${pieces.join('')}x and more words`);

test('what is said with entities and tags is read letter by letter, by people and by models', () => {
  fc.assert(
    fc.property(words, (criterion) => {
      const { requirements } = entered([{ statement: criterion, criteria: [criterion], title: criterion }]);
      const packet = packetOf(requirements);
      for (const posted of [packet, outgoing(packet, { allowedHosts: ['github.com'], mention: ['alice'] })]) {
        const seen = lettersOf(renderMarkdown(posted, { repository: 'acme/shop', kind: 'comment' }));
        expect(seen.replaceAll('\u200B', '').split(criterion)).toHaveLength(3);
      }
      expect(requirements[0]?.statement.replaceAll('\\', '')).toBe(criterion);
    }),
    { numRuns: 500 },
  );
});

test('spec.md says the same words as the packet', () => {
  const text = specificationDocument(specification, requirement);
  for (const { statement, criteria } of specification.requirements)
    for (const words of [statement, ...criteria.map((criterion) => `- ${criterion}`)]) {
      expect(text).toContain(words);
      expect(packetOf(specification.requirements)).toContain(words);
    }
});

test('the number that a metric is held to stands in the packet as in spec.md', () => {
  const line = 'Metric: `p95_ms <= 300 ms`';
  expect(specificationDocument(specification, requirement)).toContain(line);
  expect(packetOf(specification.requirements)).toContain(line);
});

test('a question and its options are asked whole', () => {
  const long = `${'What shall happen '.repeat(19)}with \`'*.*'\` and \`'?'\`?`;
  const question = {
    number: 1,
    question: long,
    why: long,
    options: [{ key: 'a', text: long }],
    safeDefault: `x ${long}`,
    assumed: false,
  };
  const text = questionsComment(startedLoop({ questions: [question] }));
  expect(text.split(long)).toHaveLength(5);
});

test('what is cut is never cut inside a code span', () => {
  expect(oneLine("say `tool '*.*'` now", 14)).toBe('say…');
  expect(oneLine('say ``a ` b`` now', 12)).toBe('say…');
  expect(oneLine('say `a` and `b c`', 14)).toBe('say `a` and…');
  expect(oneLine('one ` tick only', 8)).toBe('one ` t…');
  expect(oneLine('`short`', 14)).toBe('`short`');
});
