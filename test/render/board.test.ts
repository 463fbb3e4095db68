import { describe, expect, it } from 'vitest';
import { newLoop } from '../../src/loop/loop.ts';
import { issueBoard, pullBody, pullTitle } from '../../src/render/board.ts';
import { buildingLoop, MODEL, RED, startedLoop, stoppedLoop, VERIFIED, waitingLoop } from './loops.ts';

describe('the board', () => {
  it('reads calmly on the issue while there is no pull request', () => {
    expect(issueBoard(startedLoop(), MODEL)).toMatchInlineSnapshot(`
      "**Reading the issue and the repository.**

      | phase | state | gates |
      |---|---|---|
      | DISCOVER | ▶ at work | needs \`goal_metrics\` ≥ 1, \`open_questions\` ≤ 0 |
      | DEFINE |  |  |
      | PLAN |  |  |
      | ARCH_REVIEW |  |  |
      | BUILD |  |  |
      | SEED_DATA |  |  |
      | VERIFY |  |  |
      | SHIP |  |  |
      | REFLECT |  |  |

      So far: 7 model calls, 41,200 tokens, 0.31 of 3 USD; review round 1 of 5.

      To steer, comment \`/pause\`, \`/resume\`, \`/stop\` or \`/context <text>\`; \`/help\` lists everything."
    `);
  });

  it('ends as a link on the issue once there is a pull request', () => {
    expect(issueBoard(waitingLoop(), MODEL)).toMatchInlineSnapshot(`
      "**The loop is under way.**

      Everything else is on the pull request: #13"
    `);
  });

  it('shows the gates with their values on the pull request', () => {
    expect(pullBody(buildingLoop(), MODEL)).toMatchInlineSnapshot(`
      "**Building in GitHub Actions: tests first, then the code.**

      The last try failed. BUILD: test_failures 1 (needs <= 0). open items only: expected 1 item, got 2.

      | phase | state | gates |
      |---|---|---|
      | DISCOVER | ✓ done | ✓ \`goal_metrics\` 2 ≥ 1; ✓ \`open_questions\` 0 ≤ 0 |
      | DEFINE | ✓ done | ✓ \`spec_confidence\` 0.952 ≥ 0.9 |
      | PLAN | ✓ done | ✓ \`arch_uncertainty\` 0.25 ≤ 0.8; ✓ \`uncovered_requirements\` 0 ≤ 0; ✓ \`diagram_errors\` 0 ≤ 0 |
      | ARCH_REVIEW | ✓ done | approved by alice for \`0123456789ab\` |
      | BUILD | ▶ at work, try 2 | needs \`build_errors\` ≤ 0, \`health_failures\` ≤ 0, \`test_failures\` ≤ 0, \`suite_failures\` ≤ 0, \`security_findings\` ≤ 0, \`review_revisions\` ≤ 2 |
      | SEED_DATA |  |  |
      | VERIFY |  |  |
      | SHIP |  |  |
      | REFLECT |  |  |

      So far: 7 model calls, 41,200 tokens, 0.31 of 3 USD; review round 1 of 5, iteration 2 of 3.

      To steer, comment \`/pause\`, \`/resume\`, \`/stop\` or \`/context <text>\`; \`/help\` lists everything.

      For #12. Made by Loopwright, an automated loop; it never merges. The documents are under \`.loopwright/\` on this branch."
    `);
  });

  it('tells what the reviewers let pass with a remark', () => {
    const remark = { ...RED, rule: 'security-review', severity: 'minor' as const, message: 'The name is logged.' };
    expect(pullBody(buildingLoop(), MODEL, { remarks: [remark] })).toContain(
      '### Remarks of the reviewers\n\nThey did not send the change back for these.\n\n- minor, security-review (R-1, `src/items.js:4`): The name is logged.',
    );
  });

  it('tells that the builder tried to change a frozen test, apart from what the reviewers say', () => {
    const remark = { ...RED, rule: 'frozen-test', file: 'test/a.test.js', message: 'It was put back.' };
    const body = pullBody(buildingLoop(), MODEL, { remarks: [remark] });
    expect(body).toContain(
      '### Frozen tests that the builder tried to change\n\nThey were judged as they were frozen.\n\n- `test/a.test.js`: It was put back.',
    );
    expect(body).not.toContain('Remarks of the reviewers');
  });

  it.each([issueBoard, pullBody])('says in its first line that the model is scripted', (render) => {
    const [first] = render(startedLoop(), { name: 'demo', scripted: true }).split('\n');
    expect(first).toContain('Scripted model.');
  });

  it.each([issueBoard, pullBody])('says before anything else that there was no sandbox', (render) => {
    const [first] = render(startedLoop({ built: { reports: {}, sandbox: 'none' } }), MODEL).split('\n');
    expect(first).toContain('Sandbox: none.');
  });

  it('says what changes, and shows what proves each requirement before the phases, once VERIFY has reported', () => {
    const body = pullBody(buildingLoop(), MODEL, { report: VERIFIED });
    expect(body.indexOf('| R-1 | change |')).toBeGreaterThan(
      body.indexOf('### What changes\n\n- Filter the list (R-1)'),
    );
    expect(body).toContain('### What changes\n\n- Filter the list (R-1)');
    expect(body.indexOf('| R-1 | change |')).toBeLessThan(body.indexOf('| DISCOVER |'));
    expect(body).toContain('**not proven**: no mutation turned it red');
  });

  it('names the files that change besides those that people approved by name', () => {
    const unplanned = { tests: ['test/search.test.js'], seed: ['data/entries.json', 'scripts/seed.js'] };
    expect(pullBody(buildingLoop(), MODEL, { report: VERIFIED, unplanned })).toContain(
      'Besides the files that the plan names: tests `test/search.test.js`; seed data `data/entries.json`, `scripts/seed.js`.',
    );
    expect(pullBody(buildingLoop(), MODEL, { report: VERIFIED })).not.toContain('Besides');
  });

  it('says which try it is, and why the one before failed', () => {
    const body = pullBody(buildingLoop(), MODEL);
    expect(body).toContain('| BUILD | ▶\u00A0at\u00A0work, try\u00A02 |');
    expect(body).toContain('The last try failed. BUILD: test_failures 1 (needs <= 0).');
  });

  it('counts a try that was cut short as none, as the iterations do', () => {
    const loop = buildingLoop();
    const cut = loop.entries
      .filter(({ phase }) => phase === 'BUILD')
      .map((entry) => ({ ...entry, entry: entry.entry + 1 }));
    const entries = [...loop.entries, ...cut.map((entry) => ({ ...entry, outcome: 'cancelled' as const }))];
    const body = pullBody({ ...loop, entries }, MODEL);
    expect(body).toContain('| BUILD | ▶\u00A0at\u00A0work, try\u00A02 |');
    expect(body).toContain('iteration 2 of 3');
  });

  it('says in one sentence what the failed try found, a builder that could not work before all else', () => {
    const message = 'The builder did not finish T-1 (Filter): the model made no usable tool call in 3 turns in a row.';
    const feedback = [{ ...RED, rule: 'builder', message }, RED];
    const sentence = `The last try failed. BUILD: test_failures 1 (needs <= 0). ${message}`;
    expect(pullBody(buildingLoop({ feedback }), MODEL)).toContain(sentence);
    const long = { ...RED, message: 'expected 1 item, got 2.\n    at deep inside\n    at deeper' };
    expect(pullBody(buildingLoop({ feedback: [long] }), MODEL)).toContain('(needs <= 0). expected 1 item, got 2.\n');
  });

  it('never shows an unknown price as a number', () => {
    const loop = startedLoop();
    const { price: _, ...started } = loop.started;
    expect(pullBody({ ...loop, started }, MODEL)).toContain('7 model calls, 41,200 tokens, unknown price');
  });

  it('says why a loop stopped', () => {
    expect(pullBody(stoppedLoop(), MODEL)).toContain('**Stopped, needs a person. The approved plan did not lead to');
  });

  it('offers what can be said in each state, and nothing that only a live loop understands after the end', () => {
    const last = (loop: Parameters<typeof pullBody>[0]) => pullBody(loop, MODEL).split('\n\n').at(-2);
    expect(last(buildingLoop())).toContain('To steer, comment `/pause`');
    expect(last(stoppedLoop())).toBe(
      'To go on, comment `/rerun`, after `/context <text>` or `/budget +<usd>` if it needs that; `/help` lists everything.',
    );
    const succeeded = { ...buildingLoop(), status: 'succeeded' as const, phase: 'REFLECT' as const, note: '' };
    expect(pullBody(succeeded, MODEL)).not.toContain('/pause');
    expect(last(succeeded)).toBe(
      'While this pull request is open, a review "Request changes", with a summary or comments on lines, or `/reject <what>` sends it back to be built again; `/help` lists everything.',
    );
  });

  it('says on an issue without a loop how one starts', () => {
    const idle = newLoop({ installationId: 1, repositoryId: 2, owner: 'acme', repo: 'shop', issue: 12, n: 1 });
    expect(issueBoard(idle, MODEL)).toContain('with the label `loop`');
  });

  it('does not call a phase done that the loop passed by without passing it', () => {
    const skipped = buildingLoop({ entries: buildingLoop().entries.filter(({ phase }) => phase !== 'DEFINE') });
    expect(pullBody(skipped, MODEL)).toContain('| DEFINE | ✗\u00A0not passed |');
  });

  it('shows what REFLECT learned', () => {
    expect(pullBody(startedLoop({ lessons: ['Name the limits early.', 'Ask for the locale.'] }), MODEL)).toContain(
      'Learned:\n\n- Name the limits early.\n- Ask for the locale.',
    );
  });

  it('lists proposals with the commands that decide on them', () => {
    const proposals = [
      {
        type: 'skill' as const,
        target: 'writing-plans',
        change: 'Say more.',
        evidence: 'entry 3',
        decision: 'open' as const,
      },
    ];
    expect(pullBody(startedLoop({ proposals }), MODEL)).toContain(
      '| 1 | skill `writing-plans` | Say more. | entry 3 | open |',
    );
  });

  it('titles the pull request with the goal and its issue', () => {
    expect(pullTitle(startedLoop())).toBe('Filter items by state (#12)');
  });

  it('never uses a word that closes the issue on merge', () => {
    expect(pullBody(startedLoop(), MODEL)).not.toMatch(/\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):? #/i);
  });
});
