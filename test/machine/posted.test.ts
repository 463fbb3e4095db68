/** What we post, rendered as GitHub renders it, whatever people, models, jobs and other Apps said. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stripInvisible } from '../../src/guard/invisible.ts';
import { cleanedAnswer, cleanedReport } from '../../src/guard/model-text.ts';
import { outgoing } from '../../src/guard/outgoing.ts';
import { findSecrets } from '../../src/guard/secrets.ts';
import { evidenceRow, verifyReport } from '../../src/loop/brief.ts';
import { defect } from '../../src/loop/defect.ts';
import { pullBody } from '../../src/render/board.ts';
import { evidenceDocument } from '../../src/render/evidence.ts';
import { packetComment } from '../../src/render/packet.ts';
import { problemReport } from '../../src/render/problem.ts';
import { questionsComment } from '../../src/render/questions.ts';
import { analysis, diagrams, plan, specification } from '../drafting/authored.ts';
import { DIGEST, MODEL, startedLoop, stoppedLoop, VERIFIED, waitingLoop } from '../render/loops.ts';
import { type GfmNode, gfmOf, linesOf, nodesOf } from './gfm.ts';

const CANARY = 'kanarie-7f3a9c51e2b84d06';
const RULES = { allowedHosts: ['github.com'], canaries: [CANARY], mention: ['alice'] };
const TOKEN = '0123456789abcdefABCDEF0123456789abcd';
/** Stands at the end of a text of ours. */
const END = 'This is the end of what Loopwright says.';

const WORDS = [
  '@mallory',
  '@acme/team',
  '/lgtm',
  '/approve',
  'Fixes #1',
  'closes ',
  '#2',
  'GH-3',
  'words',
  'é',
  '1. ',
  '- ',
];
const LINKS = [
  '![',
  '[',
  ']',
  '](',
  ')',
  '(https://evil.test/x)',
  'https://evil.test/x',
  'www.evil.test',
  'a@b.test',
  '[1]: ',
  '[^1]: ',
];
const TAGS = [
  '<',
  '>',
  '<img src=x>',
  '<a href="https://evil.test">',
  '</a>',
  '<!--',
  '-->',
  '<details>',
  '<details open>',
  '<summary>',
];
const MORE_TAGS = [
  '</summary>',
  '</details>',
  '<table>',
  '<code>',
  '<br>',
  '<td>',
  '<?',
  '<!X',
  '<b',
  ' x="',
  '<https://evil.test>',
  '<script>',
];
const MARKS = [
  '`',
  '``',
  '```',
  '~~~',
  '~',
  '~~',
  '*',
  '**',
  '_',
  '$$',
  '$',
  '\\',
  '> ',
  '# ',
  '| a | b |\n|---|---|\n| ',
  ' |',
  '    ',
  '---',
  '===',
];
const BREAKS = ['\n', '\n\n', ' ', '\t', '\r\n'];
const ENTITIES = [
  '&#64;',
  '&commat;',
  '&#47;',
  '&sol;',
  '&#35;',
  '&num;',
  '&lt;',
  '&#60;',
  '&amp;',
  '&nbsp;',
  '&#8203;',
  '&ZeroWidthSpace;',
  '&#x202e;',
];
const UNSEEN = ['\u200B', '\u{E0041}', '\u202E', '\u00AD', '\u2060'];
const SECRETS = [
  CANARY,
  'kanarie&#45;7f3a9c51e2b84d06',
  `ghp_${TOKEN}`,
  `gh&#112;_${TOKEN}`,
  `ghp\\_${TOKEN}`,
  'kanarie-7f3a9c',
];
const DIAGRAMS = [
  '```mermaid\n',
  'click A "//evil.test"',
  'A@{ img: "//evil.test/p.png" }',
  '%%{init: {}}%%',
  'flowchart LR\n',
  '\n```\n',
];
const PIECES = [WORDS, LINKS, TAGS, MORE_TAGS, MARKS, BREAKS, BREAKS, ENTITIES, UNSEEN, SECRETS, DIAGRAMS];
const hostile = fc
  .array(fc.oneof(...PIECES.map((pieces) => fc.constantFrom(...pieces))), { maxLength: 16 })
  .map((pieces) => pieces.join(''));

/** What stands in one element as one text: GitHub looks for mentions there. Code is out of it. */
function textRuns(node: GfmNode): readonly string[] {
  const runs: string[] = [''];
  for (const child of node.children) {
    if (child.type === 'text') runs.push((runs.pop() ?? '') + child.literal);
    else if (child.type === 'softbreak' || child.type === 'linebreak') runs.push(`${runs.pop() ?? ''}\n`);
    else runs.push(...textRuns(child), '');
  }
  return isHtml(node) ? [node.literal.replaceAll(/<[^<>]*>/g, '\n'), ...runs] : runs;
}

function isHtml({ type }: GfmNode): boolean {
  return type === 'html_block' || type === 'html_inline';
}

/** What people read of one block, code too. */
function readText(node: GfmNode): string {
  if (['text', 'code', 'code_block'].includes(node.type)) return node.literal;
  if (node.type === 'html_block') return node.literal.replaceAll(/<[^<>]*>/g, '');
  return node.children
    .map(readText)
    .join(['document', 'root', 'list', 'table_row', 'table'].includes(node.type) ? '\n' : '');
}

const OURS = /<br ?\/?>|<details(?: open)?>|<\/?summary>|<\/details>/g;
const MENTION = /(?<![\w`])@(?!alice\b)[a-z0-9]/i;
const CLOSING = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:#|GH-)\d/i;
/** Where the filter itself breaks a word. */
const BREAK = /(?<=@|\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+[[(*_]*)\u200B/gi;

/** Every promise about a text that leaves; the message of a broken one is its name. */
function expectHarmless(posted: string): void {
  const tree = gfmOf(posted);
  const nodes = nodesOf(tree);
  const ofType = (...types: readonly string[]) => nodes.filter(({ type }) => types.includes(type));
  expect(ofType('image'), 'images').toEqual([]);
  const html = ofType('html_block', 'html_inline').map(({ literal }) => literal);
  expect(html.join('\n').replaceAll(OURS, ''), 'foreign tags').not.toMatch(/<[a-z/!?]/i);
  const folds = html.join('').match(/<\/?details/g) ?? [];
  expect(folds.filter((tag) => tag === '<details').length * 2, 'open folds').toBe(folds.length);
  for (const { attributes } of ofType('link'))
    expect(new URL(attributes.destination ?? '', 'https://github.com/a/b/').host, 'links').toBe('github.com');
  for (const text of textRuns(tree)) {
    expect(text, 'mentions').not.toMatch(MENTION);
    expect(text, 'closing keywords').not.toMatch(CLOSING);
  }
  expect(findSecrets(readText(tree), [CANARY]), 'secrets').toEqual([]);
  expect(stripInvisible(posted.replaceAll(BREAK, '')).removed, 'invisible characters').toEqual([]);
  const code = new Set(ofType('code_block').flatMap(linesOf));
  const lines = posted.split('\n').filter((_, index) => !code.has(index + 1));
  expect(
    lines.filter((line) => /^(?:[ \t]*(?:[>*+-]|\d+[.)])[ \t]+)*[ \t]*\/[a-z][a-z-]*(?:\s|$)/i.test(line)),
    'commands',
  ).toEqual([]);
  const drawn = ofType('code_block').filter(({ attributes }) => /^mermaid\b/i.test(attributes.info ?? ''));
  expect(drawn.map(({ literal }) => literal).join('\n'), 'diagrams').not.toMatch(/click|img|%%\{|\/\/evil/);
}

test('whatever a text is made of, nothing foreign is left of it', () => {
  fc.assert(
    fc.property(hostile, (text) => expectHarmless(outgoing(text, RULES))),
    { numRuns: 1500 },
  );
});

const DOCUMENTS = { 'plan.json': plan, 'analysis.json': analysis, 'diagrams.json': diagrams };

/** Our texts with foreign words at each place where there are some; each through the door that they come in by. */
const TEXTS: Readonly<Record<string, (said: string) => string>> = {
  packet(said) {
    const [first] = specification.requirements;
    const requirements = cleanedAnswer([
      { ...first, statement: `${said} and more words`, criteria: [`${said} and more`] },
    ]);
    const acceptance = plan.acceptance.map((row) => ({ ...row, title: `${said} and more` }));
    const texts = { ...DOCUMENTS, 'requirements.json': requirements, 'acceptance.json': cleanedAnswer(acceptance) };
    const documents = Object.entries(texts).map(([file, value]) => ({
      path: `.loopwright/12/${file}`,
      text: JSON.stringify(value),
    }));
    const hidden = [{ what: 'HTML comments', count: 1, said }];
    return packetComment(waitingLoop({ tasks: plan.tasks }), { digest: DIGEST, documents, hidden }, MODEL);
  },
  'problem report'(said) {
    const found = [defect({ rule: 'frozen-test', message: `${said} \n${said}`, suggestion: said, file: 'src/a.js' })];
    return problemReport({
      ...stoppedLoop(),
      note: 'It stopped.',
      feedback: [...verifyReport.shape.defects.parse(cleanedReport(found))],
    });
  },
  'pull request'(said) {
    const [row] = VERIFIED.evidence;
    const evidence = [evidenceRow.parse(cleanedReport({ ...row, test: `a::${said}`, proven: false, reason: said }))];
    return pullBody(startedLoop(), MODEL, { report: { ...VERIFIED, evidence } });
  },
  evidence(said) {
    const acceptance = verifyReport.shape.acceptance.parse(
      cleanedReport([{ id: 'A-1', requirement: 'R-1', passed: false, detail: `${said}\n${said}` }]),
    );
    return evidenceDocument({ ...VERIFIED, acceptance });
  },
  questions(said) {
    const words = String(cleanedAnswer(`${said} and more`));
    const options = [{ key: 'a', text: words }];
    const question = { number: 1, question: words, why: words, options, safeDefault: words, assumed: false };
    return questionsComment(startedLoop({ questions: [question] }));
  },
};

test.each(Object.entries(TEXTS))('the %s says all that it says, and nothing foreign', (_, textOf) => {
  fc.assert(
    fc.property(hostile, (said) => {
      const posted = outgoing(`${textOf(said)}\n\n${END}`, RULES);
      expectHarmless(posted);
      const last = nodesOf(gfmOf(posted))
        .filter(({ type }) => type === 'document')[0]
        ?.children.at(-1);
      // A text that fights the filter leaves as one code block, and is all there.
      expect(['paragraph', 'code_block'], 'our last block').toContain(last?.type);
      expect(last && readText(last).trimEnd().endsWith(END), 'our last words').toBe(true);
    }),
    { numRuns: 200 },
  );
});
