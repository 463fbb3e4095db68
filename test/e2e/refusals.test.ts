/** What is refused before a loop starts: each row has the exact sentence, and setting things right is enough. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { FAULT_ROWS, type FaultyModel, startFaultyModel, TIMEOUT_MS } from './faulty-model.ts';
import { shown } from './stopped.ts';
import { startWorld, type World } from './world.ts';

/** For what the App says of itself; no measurement. */
const PATIENCE = { timeout: 300_000, interval: 50 };
const CONFIG = '.github/loopwright.yml';
const COMMANDS =
  'commands:\n  test: node --test\n  start: node src/server.js\n  health: /health\n  runner: node-test\n';
const RIGHT = `version: 1\n${COMMANDS}`;
const GOAL =
  'kind: feature\nobjective: Let visitors search the guestbook\nmetrics:\n  - { name: p95_ms, operator: "<=", value: 100 }';
const NO_METRIC =
  'The goal has no quantitative acceptance metric ("metrics"), so nothing could prove that it is reached; add for example `metrics: [{name: uat_pass_rate, operator: ">=", value: 0.95}]` and set the label again.';

let world: World;
let model: FaultyModel;
beforeAll(async () => {
  model = await startFaultyModel();
  // Without the repository's own checks: each correction of the configuration would start them.
  const prepare = (path: string) => rm(join(path, '.github', 'workflows', 'ci.yml'));
  world = await startWorld({ modelUrl: model.url, modelSilenceMs: TIMEOUT_MS, prepare });
});
afterAll(async () => {
  await world.close();
  await model.close();
});

interface Row {
  readonly case: string;
  /** The whole comment. */
  readonly sentence: string;
  readonly labelBy?: string;
  readonly goal?: string;
  /** The configuration on the default branch; null where there is none. */
  readonly config?: string | null;
}

const ROWS: readonly Row[] = [
  {
    case: 'a label by a stranger, who may triage',
    labelBy: 'tess',
    sentence:
      '@tess, only a person with write permission can start a loop and yours is triage, so the label was removed; ask one of them to set it.',
  },
  {
    case: 'a goal without a metric',
    goal: 'kind: feature\nobjective: Make the guestbook nicer',
    sentence: NO_METRIC,
  },
  {
    case: 'a goal with an empty list of metrics',
    goal: 'kind: feature\nobjective: Make the guestbook nicer\nmetrics: []',
    sentence: NO_METRIC,
  },
  {
    case: 'malformed YAML in the goal',
    goal: 'kind: feature\nobjective: "Let visitors search\nmetrics: []',
    sentence:
      'The goal block is not valid YAML at line 4, column 1 of the block: Missing closing "quote. Correct it and set the label again.',
  },
  {
    case: 'a goal that refers to an anchor which is not there',
    goal: 'kind: feature\nobjective: *wish\nmetrics: []',
    sentence:
      'The goal block is not valid YAML at line 2, column 12 of the block: Unresolved alias (the anchor must be set before the alias): wish. Correct it and set the label again.',
  },
  {
    case: 'an unknown key in the goal',
    goal: `${GOAL}\nspeed: 3`,
    sentence: 'The goal has an unknown key "speed"; remove it and set the label again.',
  },
  {
    case: 'a value that the goal may not have',
    goal: `${GOAL}\nlimits: { iterations: 9 }`,
    sentence: 'The goal\'s "limits.iterations" is 9, and must be at most 5; correct it and set the label again.',
  },
  {
    case: 'no configuration',
    config: null,
    sentence:
      '.github/loopwright.yml is missing on the default branch; `loopwright init` writes it into a checkout. Then set the label again.',
  },
  {
    case: 'malformed YAML in the configuration',
    config: 'version: 1\ncommands: [test\n',
    sentence:
      'config .github/loopwright.yml, line 3, column 1: Flow sequence in block collection must be sufficiently indented and end with a ]. Correct the YAML. Then set the label again.',
  },
  {
    case: 'a configuration that refers to an anchor which is not there',
    config: 'version: 1\ncommands: *mine\n',
    sentence:
      'config .github/loopwright.yml, line 2, column 11: Unresolved alias (the anchor must be set before the alias): mine. Correct the YAML. Then set the label again.',
  },
  {
    case: 'an unknown key in the configuration',
    config: `version: 1\n${COMMANDS}  format: npx prettier\n`,
    sentence:
      'config .github/loopwright.yml, line 7, column 3: "commands.format" is not a known key; remove it. Then set the label again.',
  },
  {
    case: 'a value that the configuration may not have',
    config: `version: 1\n${COMMANDS}promotion: always\n`,
    sentence:
      'config .github/loopwright.yml, line 7, column 12: "promotion" is "always", and must be auto or person; correct it. Then set the label again.',
  },
];

describe('a label that is refused', () => {
  it.each(ROWS)('$case: one issue comment, and nothing half-done', async (row) => {
    if (row.config !== undefined) await writeConfig(row.config);
    const issue = await world.labelled({
      ...(row.goal === undefined ? {} : { body: fenced(row.goal) }),
      ...(row.labelBy === undefined ? {} : { labelBy: row.labelBy }),
    });
    await vi.waitFor(
      async () => expect((await world.comments(issue)).map(({ body }) => body)).toEqual([row.sentence]),
      PATIENCE,
    );
    await vi.waitFor(async () => expect(await labelsOf(issue)).toEqual([]), PATIENCE);
    expect(await world.loop(issue)).toMatchObject({ status: 'idle', entry: 0, entries: [] });
    await expectNothingMade(issue);
    expect(model.calls(issue)).toBe(0);

    if (row.config !== undefined) await writeConfig(RIGHT);
    if (row.goal !== undefined) await world.as('maria', 'PATCH', `/issues/${issue}`, { body: fenced(GOAL) });
    await world.as('maria', 'POST', `/issues/${issue}/labels`, { labels: ['loop'] });
    await world.until(issue, ({ waitingFor }) => waitingFor === 'answers');
    expect(await labelsOf(issue)).toEqual(['loop']);
    expect(model.calls(issue)).toBe(1);
    const said = (await world.comments(issue)).map(({ body }) => body);
    expect(said.filter((body) => body === row.sentence)).toHaveLength(1);
  });
});

describe('a model that the App asks', () => {
  it.concurrent.each(FAULT_ROWS)(
    'and that answers with $case: three tries, an issue comment, and rest',
    async ({ fault, tries }) => {
      const { number: issue } = numbered.parse((await world.as('maria', 'POST', '/issues', { title: fault })).body);
      model.fail(issue, 'DISCOVER', fault);
      await world.as('maria', 'POST', `/issues/${issue}/labels`, { labels: ['loop'] });
      const stopped = await world.until(issue, ({ status }) => status === 'stopped');
      const sentence = `The model at ${model.url} gave no usable interview in 3 tries: ${tries}`;
      const note = `${sentence} See that the model answers, then say \`/rerun\`.`;
      expect(stopped).toMatchObject({ phase: 'DISCOVER', note, spent: { calls: 3 } });
      expect(stopped.entries).toMatchObject([{ phase: 'DISCOVER', outcome: 'failed', reason: sentence }]);
      await vi.waitFor(async () => {
        const said = (await world.comments(issue)).map(({ body }) => body);
        expect(said.filter((body) => body.includes(`**Stopped, needs a person.** ${shown(note)}\n`))).toHaveLength(1);
        expect(said.filter((body) => body.includes(`**Stopped, needs a person. ${shown(note)}**`))).toHaveLength(1);
      }, PATIENCE);
      expect(await labelsOf(issue)).toEqual(['loop']);
      await expectNothingMade(issue);
      expect(model.calls(issue)).toBe(3);

      model.fail(issue, 'DISCOVER', undefined);
      await world.as('maria', 'POST', `/issues/${issue}/comments`, { body: '/rerun' });
      await world.until(issue, ({ waitingFor }) => waitingFor === 'answers');
      expect(model.calls(issue)).toBe(4);
    },
  );
});

const labelList = z.array(z.object({ name: z.string() }));
const numbered = z.object({ number: z.int() });

/** No branch, so no commit either, and no pull request. */
async function expectNothingMade(issue: number): Promise<void> {
  expect((await world.as('maria', 'GET', `/git/ref/heads/loopwright/${issue}`)).status).toBe(404);
  expect((await world.as('maria', 'GET', '/pulls?state=all')).body).toEqual([]);
}

function fenced(goal: string): string {
  return `Please.\n\n\`\`\`yaml\n${goal}\n\`\`\`\n`;
}

async function labelsOf(issue: number): Promise<readonly string[]> {
  const { body } = await world.as('maria', 'GET', `/issues/${issue}/labels`);
  return labelList.parse(body).map(({ name }) => name);
}

/** Writes or deletes the configuration on the default branch, as a maintainer does it in the browser. */
async function writeConfig(content: string | null): Promise<void> {
  const found = await world.as('maria', 'GET', `/contents/${CONFIG}`);
  const sha = found.status === 200 ? { sha: z.object({ sha: z.string() }).parse(found.body).sha } : {};
  const change =
    content === null
      ? await world.as('maria', 'DELETE', `/contents/${CONFIG}`, { message: 'Remove', ...sha })
      : await world.as('maria', 'PUT', `/contents/${CONFIG}`, {
          message: 'Configure',
          content: Buffer.from(content).toString('base64'),
          ...sha,
        });
  if (change.status >= 300) throw new Error(`${CONFIG}: ${change.status} ${JSON.stringify(change.body)}`);
}
