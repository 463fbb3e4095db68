/** A goal block binds: what it says is in the requirement, whatever the model wrote, and what it sets out of bounds is protected. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { readConfig } from '../../src/context/repository-config.ts';
import { startingFacts } from '../../src/context/start.ts';
import { draft } from '../../src/effects/draft.ts';
import type { StartedLoop } from '../../src/loop/stages.ts';
import * as authored from './authored.ts';
import { openStage, type Stage } from './stage.ts';

const GOAL = `
\`\`\`yaml
kind: performance
objective: Answer searches quickly
metrics: [{ name: p95_ms, operator: "<=", value: 90, unit: ms }]
boundaries: { paths: [src/auth/, package.json], operations: [new dependencies] }
limits: { usd: 1, tokens: 90000, minutes: 20 }
termination: the p95 stays below the limit twice
priority: incident
surface: http
\`\`\`
`;
const BY = { id: 1, login: 'maria', type: 'User' } as const;

let stage: Stage;
let loop: StartedLoop;
beforeEach(async () => {
  stage = await openStage(authored.FILES);
  Object.assign(stage.answers, { interview: [{ questions: [] }], requirement: [authored.requirement] });
  const github: typeof stage.ports.github = {
    ...stage.ports.github,
    repository: async () => ({
      defaultBranch: 'main',
      url: 'https://github.example/acme/shop',
      server: 'github.com' as const,
    }),
    head: async (_, name) => (name === 'refs/heads/main' ? stage.loop.started.base.sha : undefined),
  };
  const facts = await startingFacts(
    stage.loop.ref,
    { title: 'Search', body: GOAL, user: BY, labels: [] },
    { ...stage.ports, github },
  );
  expect(facts.refusal).toBeUndefined();
  expect(facts.limits).toMatchObject({ iterations: 3, usd: 1, tokens: 90_000, minutes: 20, runMinutes: 20 });
  loop = { ...stage.loop, started: { ...stage.loop.started, ...(facts.goal && { goal: facts.goal }) } };
});
afterEach(() => stage.close());

it('puts its numbers, limits and surface into the requirement, beside what the model wrote', async () => {
  const effect = { type: 'draft', key: 'd', phase: 'DISCOVER', entry: loop.entry } as const;
  const event = await draft(effect, loop, stage.ports);
  const documents = 'documents' in event ? event.documents : [];
  const stored = documents.find(({ path }) => path.endsWith('/requirement.json'));
  expect(z.json().parse(JSON.parse(await stage.blob(stored?.digest)))).toMatchObject({
    kind: 'performance',
    objective: 'Answer searches quickly',
    surface: 'http',
    metrics: expect.arrayContaining([{ name: 'p95_ms', operator: '<=', value: 90, unit: 'ms' }]),
    boundaries: {
      paths: expect.arrayContaining(['src/auth/', 'package.json', ...authored.requirement.boundaries.paths]),
      operations: expect.arrayContaining(['new dependencies']),
    },
    assumptions: expect.arrayContaining(['It is done when: the p95 stays below the limit twice']),
  });
  expect(event).toMatchObject({ surface: 'http' });
});

it('never raises what the repository allows: anybody may write an issue', async () => {
  const github = {
    ...stage.ports.github,
    repository: async () => ({
      defaultBranch: 'main',
      url: 'https://github.example/acme/shop',
      server: 'github.com' as const,
    }),
    head: async (_: unknown, name: string) => (name === 'refs/heads/main' ? loop.started.base.sha : undefined),
  };
  const body = GOAL.replace('usd: 1,', 'usd: 1e308, iterations: 5,');
  const issue = { title: 'Search', body, user: BY, labels: [] };
  const { limits } = await startingFacts(loop.ref, issue, { ...stage.ports, github });
  expect(limits).toMatchObject({ usd: 3, iterations: 3 });
});

it('protects the paths that it sets out of bounds, and all that is in them', async () => {
  const { protected: globs } = await readConfig(loop, stage.ports);
  expect(globs).toEqual(['src/auth', 'src/auth/**', 'package.json', 'package.json/**']);
});
