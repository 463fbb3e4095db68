import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { diagramProblems, MAX_NODES } from '../../src/context/mermaid-check.ts';

const nodes = (count: number): string =>
  `flowchart TD\n${Array.from({ length: count }, (_, index) => `  n${index}`).join('\n')}\n`;

describe('diagramProblems', () => {
  it.each([
    ['flowchart', 'flowchart TD\n  A["click here"] --> B["src/a.js (new)"]'],
    ['flowchart', 'graph LR\n  A --> B'],
    ['sequenceDiagram', 'sequenceDiagram\n  participant a\n  a->>b: GET /items\n  alt none\n    b-->>a: 404\n  end'],
    ['flowchart', '%% a comment\n\nflowchart TD\r\n  A --> B\r\n'],
    ['flowchart', nodes(MAX_NODES)],
  ] as const)('accepts a %s that parses: %j', async (type, text) => {
    expect(await diagramProblems(text, type)).toEqual([]);
  });

  it.each([
    ['an arrow without an end', 'flowchart TD\n A --> B\n B -->', 3],
    ['the same below comments and blank lines', 'flowchart TD\n %% c1\n\n %% c2\n A --> B\n B -->\n', 6],
    ['a bracket that never closes', '\n\n%% x\nflowchart TD\n A --> B\n B[x --> C\n', 6],
    ['front matter', '---\ntitle: x\n---\nflowchart TD\n A-->B', 1],
    ['a directive', '%%{init: {"theme":"dark"}}%%\nflowchart TD\n A-->B', 1],
    ['a click', 'flowchart TD\n A-->B\n click A href "x"', 3],
    ['a click behind a tab', 'flowchart TD\n A-->B\n\n\tCLICK A href "x"', 4],
    ['a click behind a semicolon', 'flowchart TD; A-->B; click A href "x"', 1],
    ['an image', 'flowchart TD\n A-->B\n A@{ img: "//evil.test/p.png" }', 3],
    ['HTML', 'flowchart TD\n A["<img src=x>"]', 2],
    ['a code fence', 'flowchart TD\n A-->B\n```\nafter', 3],
    ['an unknown type', '%% c\nflowchrt TD\n A-->B', 2],
    ['another type than expected', 'sequenceDiagram\n a->>b: hi', 1],
    ['nothing but comments', '%% later', 1],
    ['too many nodes', nodes(MAX_NODES + 1), 1],
  ])('refuses %s and names its line', async (_, text, line) => {
    expect((await diagramProblems(text, 'flowchart')).map((problem) => problem.line)).toEqual([line]);
  });

  it('leaves no browser globals behind, because the model client refuses to hold a key in a browser', async () => {
    await diagramProblems('flowchart TD\n A --> B', 'flowchart');
    expect('window' in globalThis || 'document' in globalThis).toBe(false);
    expect(() => new OpenAI({ apiKey: 'none' })).not.toThrow();
  });
});
