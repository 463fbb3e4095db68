import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packetComment } from '../../src/render/packet.ts';
import { analysis, diagrams, plan, requirement, specification } from '../drafting/authored.ts';
import { DIGEST, MODEL, waitingLoop } from './loops.ts';

function documents(change: Record<string, string> = {}): { path: string; text: string }[] {
  const texts = {
    'requirement.json': JSON.stringify(requirement),
    'requirements.json': JSON.stringify(specification.requirements),
    'acceptance.json': JSON.stringify(plan.acceptance),
    'plan.json': JSON.stringify(plan),
    'analysis.json': JSON.stringify(analysis),
    'diagrams.json': JSON.stringify(diagrams),
    ...change,
  };
  return Object.entries(texts).map(([file, text]) => ({ path: `.loopwright/12/${file}`, text }));
}

describe('the packet comment', () => {
  it('shows what the critic found too little to send the plan back for', () => {
    const finding = {
      severity: 'medium',
      cause: 'plan',
      where: 'T-1',
      finding: 'The order is a guess.',
      action: 'Say it.',
    };
    const texts = documents({ 'analysis.json': JSON.stringify({ ...analysis, findings: [finding] }) });
    expect(packetComment(waitingLoop({ tasks: plan.tasks }), { digest: DIGEST, documents: texts }, MODEL)).toContain(
      '### Findings of the critic\n\n| severity | where | finding | action |\n|---|---|---|---|\n| medium | T-1 | The order is a guess. | Say it. |',
    );
  });

  const loop = waitingLoop({ tasks: plan.tasks });
  const commentOf = (texts = documents()): string => packetComment(loop, { digest: DIGEST, documents: texts }, MODEL);

  it('shows the tests that approving takes out before anything else, and whole', () => {
    const supersededTests = Array.from({ length: 10 }, (_, index) => ({
      file: 'test/items.test.js',
      name: `by name | ${index}`,
      requirement: 'R-1',
      why: `It asserts the order by name. ${'x'.repeat(370)}`,
    }));
    const text = commentOf(documents({ 'plan.json': JSON.stringify({ ...plan, supersededTests }) }));
    expect(text.indexOf('### Tests that will be replaced')).toBeLessThan(text.indexOf('### Requirements'));
    for (const { why } of supersededTests) expect(text).toContain(why);
    expect(text).toContain('by name \\| 9');
  });

  it('says that approving lets packages in where a task names a lock file, and nothing of them elsewhere', () => {
    const [task] = plan.tasks;
    if (task === undefined) throw new Error('the plan has no task');
    const files = [...task.files, 'package.json', 'web/Package-Lock.json', 'requirements.txt'];
    const adding = waitingLoop({ tasks: [{ ...task, files }] });
    const text = packetComment(adding, { digest: DIGEST, documents: documents() }, MODEL);
    expect(text).toContain('**Approving lets `web/Package-Lock.json`, `requirements.txt` change**');
    expect(text.indexOf('### New packages')).toBeLessThan(text.indexOf('### Approach'));
    expect(commentOf()).not.toContain('### New packages');
  });

  it('says how it is done, as plain lines whatever the plan wrote, and what nobody confirmed, the riskiest first', () => {
    const approach = 'One function filters.\n\n- The route reads the state.\n### Price\n1. 0 USD';
    const question = { number: 1, why: 'It matters', options: [], assumed: true };
    const asked = {
      ...loop,
      questions: [
        { ...question, question: 'Which order?', safeDefault: 'By name' },
        { ...question, question: 'Which states?', safeDefault: null },
      ],
    };
    const texts = documents({ 'plan.json': JSON.stringify({ ...plan, approach }) });
    const text = packetComment(asked, { digest: DIGEST, documents: texts }, MODEL);
    expect(text.slice(text.indexOf('### Approach'), text.indexOf('### Requirements'))).toBe(
      `### Approach

- One function filters.
- The route reads the state.
- \\### Price
- 0 USD

### Assumptions

- Which states? Open: nothing may safely be assumed.
- Which order? By name (safe default; nobody answered)
- The list stays small enough for memory.

`,
    );
  });

  it('reads in one go from request to diagrams', () => {
    expect(commentOf()).toMatchInlineSnapshot(`
      "@alice, please read this packet. Then comment \`/approve\`, or press **Approve** on the check \`loopwright / plan\`; or say \`/reject <what to change>\` (\`/reject plan: …\` keeps the specification).

      **What approving does:** it accepts exactly this packet (digest \`0123456789ab\`). Then tests and code are made in this repository's Actions, in at most 3 iterations and 3 USD. Nothing is merged.

      ### Approach

      The route reads the state and filters the list that it already has.

      ### Assumptions

      - The list stays small enough for memory.

      ### Requirements

      **R-1** (change): When the state is given, \`GET /items?state=open\` lists only open items.

      - With one open and one done item, \`GET /items?state=open\` answers \`200\` with exactly 1 item.

      Proved by:

      - A-1: Open items only

      **R-2** (keep): Without a state, \`GET /items\` lists every item.

      - With 2 items, \`GET /items\` answers \`200\` with exactly 2 items.

      Proved by:

      - A-2: All items

      **R-3** (metric): The filtered list answers within its bound.

      - The 95th percentile of 200 requests to \`GET /items?state=open\` is at most 300 ms.

      Metric: \`p95_ms <= 300 ms\`

      Proved by:

      - A-3: Within 300 ms

      ### Tasks

      | task | what | for | files |
      |---|---|---|---|
      | T-1 | Filter the list | R-1, R-2 | \`src/items.js\` |
      | T-2 | Read the state from the query | R-1, R-3 | \`src/server.js\` |

      ### Price

      | building and judging | p50 | p90 |
      |---|---|---|
      | model calls | 20 | 132 |
      | tokens read | 120,000 | 792,000 |
      | tokens written | 18,000 | 118,800 |
      | price | 0.87 USD | 5.74 USD |
      | minutes on runners | 10 | 30 |

      A rule of thumb from the number of tasks and the limits: half of the loops should need less than p50, nine of ten less than p90. The loop stops for a person at 3 USD.

      ### Doubts

      The one doubt of the critic is settled; see \`doubts.md\`.

      ### Diagrams

      <details open><summary>Components</summary>

      \`\`\`mermaid
      flowchart TD
        server["src/server.js"] --> items["src/items.js"]
      \`\`\`

      </details>

      <details open><summary>Sequence</summary>

      \`\`\`mermaid
      sequenceDiagram
        participant user
        user->>server: GET /items
        server-->>user: 200
      \`\`\`

      </details>

      <details open><summary>Data flow</summary>

      \`\`\`mermaid
      flowchart LR
        query -->|state| filter --> answer
      \`\`\`

      </details>

      <details open><summary>Deployment</summary>

      \`\`\`mermaid
      flowchart LR
        browser --> process["node src/server.js"]
      \`\`\`

      </details>

      All documents are in \`.loopwright/12/\` on the branch \`loopwright/12\`."
    `);
  });

  it('can be read in three minutes', () => {
    const words = commentOf()
      .replaceAll(/```mermaid[\s\S]*?```/g, '')
      .split(/\s+/).length;
    expect(words).toBeLessThan(600);
  });

  it('promises no limit in USD where no price is known', () => {
    const { price: _, ...started } = loop.started;
    const text = packetComment({ ...loop, started }, { digest: DIGEST, documents: documents() }, MODEL);
    expect(text).toContain(
      'in at most 3 iterations whose runs take at most 60 minutes each; the limit of 3 USD cannot act, because no price is known (`LLM_PRICE`). Nothing is merged.',
    );
    expect(text).toContain(
      'nine of ten less than p90. The limit of 3 USD cannot act, because no price is known (`LLM_PRICE`); iterations and minutes bound the loop.',
    );
    expect(text).not.toContain('iterations and 3 USD');
    expect(text).not.toContain('stops for a person at 3 USD');
  });

  it('says that a requirement is proved by nothing', () => {
    expect(commentOf(documents({ 'acceptance.json': '[]' }))).toContain('**nothing**');
  });

  it('shows the doubts that stay open', () => {
    const open = analysis.doubts.map((doubt) => ({ ...doubt, resolution: null }));
    const text = commentOf(documents({ 'analysis.json': JSON.stringify({ ...analysis, doubts: open }) }));
    expect(text).toContain('| performance | The list fits memory. | It may grow. | **open** |');
  });

  it('states the price within the limits as they are when it is published, not when the plan was written', () => {
    const { limits } = loop.started;
    const raised = { ...loop, started: { ...loop.started, limits: { ...limits, usd: 5 } } };
    const packet = { digest: DIGEST, documents: documents() };
    expect(packetComment(raised, packet, MODEL)).toContain('The loop stops for a person at 5 USD.');
  });

  it('is made from the data: no word of the documents beside it changes it', () => {
    const told = commentOf();
    const lines = [
      '# Plan',
      '## Budget',
      '## Claims under attack',
      '## Components',
      '| a |',
      '|---|',
      '| **open** |',
      '0 USD',
    ];
    const text = fc.array(fc.constantFrom(...lines), { maxLength: 12 }).map((parts) => parts.join('\n'));
    const files = ['plan.md', 'analysis.md', 'doubts.md', 'diagrams.md', 'acceptance.md', 'requirement.md', 'spec.md'];
    fc.assert(
      fc.property(fc.record(Object.fromEntries(files.map((file) => [file, text]))), (reworded) => {
        expect(commentOf(documents(reworded))).toBe(told);
      }),
    );
  });

  it('tells people not to approve what is incomplete', () => {
    for (const file of ['requirement.json', 'requirements.json', 'plan.json', 'analysis.json', 'diagrams.json']) {
      const incomplete = documents().filter(({ path }) => !path.endsWith(`/${file}`));
      expect(commentOf(incomplete)).toContain(`${file} is missing; do not approve.`);
    }
  });

  it('leaves out whole parts rather than exceed a comment, and names them', () => {
    const huge = { ...diagrams, deployment: `flowchart LR\n${'  a --> b\n'.repeat(7_000)}` };
    const text = commentOf(documents({ 'diagrams.json': JSON.stringify(huge) }));
    expect(text.length).toBeLessThan(60_000);
    expect(text).toContain('Too long for one comment, so read on the branch: the diagram “Deployment”.');
    expect(text.match(/```mermaid/g)).toHaveLength(3);
  });
});
