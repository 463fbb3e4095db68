/** Good authored answers for a small library and its HTTP front; tests spoil one thing at a time. */

import type {
  Analysis,
  Diagrams,
  Interview,
  Plan,
  Requirement,
  Specification,
  SpecReview,
} from '../../src/documents/documents.ts';
import { RUBRIC } from '../../src/documents/documents.ts';
import type { Reflection, Release } from '../../src/loop/answers.ts';

export const FILES = {
  'package.json': JSON.stringify({ name: 'shop', scripts: { test: 'node --test' } }),
  'src/server.js': "if (request.method === 'GET' && url.pathname === '/items') answer(items);\n",
  'src/items.js': 'export const items = [];\n',
  'test/items.test.js': "import test from 'node:test';\n",
  'README.md': '# Shop\n',
  '.github/loopwright.yml':
    'version: 1\ncommands:\n  test: npm test\n  start: npm start\n  health: /health\n  runner: node-test\n',
};

export const interview: Interview = {
  questions: [
    {
      question: 'What does GET /items return when no item matches?',
      why: 'It decides between an empty list and an error.',
      options: [
        { key: 'a', text: '200 with an empty list' },
        { key: 'b', text: '404 with an error' },
      ],
      safeDefault: '200 with an empty list',
    },
  ],
};

export const requirement: Requirement = {
  title: 'Filter items by state',
  objective: 'Shop owners see open items only, so that they find their work.',
  kind: 'feature',
  surface: 'http',
  metrics: [{ name: 'p95_ms', operator: '<=', value: 300, unit: 'ms' }],
  boundaries: { paths: ['README.md'], operations: ['adding a dependency'] },
  assumptions: ['The list stays small enough for memory.'],
  outOfScope: ['Paging'],
  stories: [{ as: 'shop owner', want: 'to see open items', so: 'I know what to do' }],
};

export const specification: Specification = {
  summary: 'The list of items takes a state and then shows only items in that state.',
  requirements: [
    {
      id: 'R-1',
      kind: 'change',
      statement: 'When the state is given, `GET /items?state=open` lists only open items.',
      criteria: ['With one open and one done item, `GET /items?state=open` answers `200` with exactly 1 item.'],
      metric: null,
    },
    {
      id: 'R-2',
      kind: 'keep',
      statement: 'Without a state, `GET /items` lists every item.',
      criteria: ['With 2 items, `GET /items` answers `200` with exactly 2 items.'],
      metric: null,
    },
    {
      id: 'R-3',
      kind: 'metric',
      statement: 'The filtered list answers within its bound.',
      criteria: ['The 95th percentile of 200 requests to `GET /items?state=open` is at most 300 ms.'],
      metric: { name: 'p95_ms', operator: '<=', value: 300, unit: 'ms' },
    },
  ],
  contract: {
    format: 'openapi',
    text: "openapi: 3.0.3\ninfo: { title: Shop, version: 1.0.0 }\npaths:\n  /items:\n    get:\n      parameters: [{ name: state, in: query, schema: { type: string } }]\n      responses: { '200': { description: Items } }\n",
  },
  outOfScope: ['Paging'],
  risks: [],
};

/** A review that finds every point met, each with a verbatim quote. */
export const specReview: SpecReview = {
  points: specification.requirements.flatMap(({ id, statement }) =>
    RUBRIC.map((point) => ({ requirement: id, point, met: true, quote: statement })),
  ),
};

export const plan: Plan = {
  supersededTests: [],
  approach: 'The route reads the state and filters the list that it already has.',
  tasks: [
    {
      id: 'T-1',
      title: 'Filter the list',
      requirements: ['R-1', 'R-2'],
      files: ['src/items.js'],
      dependsOn: [],
      detail: 'Add a function that filters by state.',
    },
    {
      id: 'T-2',
      title: 'Read the state from the query',
      requirements: ['R-1', 'R-3'],
      files: ['src/server.js'],
      dependsOn: ['T-1'],
      detail: 'Pass the state of the query on.',
    },
  ],
  acceptance: [
    {
      id: 'A-1',
      requirement: 'R-1',
      kind: 'change',
      title: 'Open items only',
      steps: [
        {
          type: 'http',
          method: 'GET',
          path: '/items?state=open',
          headers: [],
          body: null,
          expected: { status: 200, contains: [], json: [{ pointer: '', equals: '[]' }] },
        },
      ],
    },
    {
      id: 'A-2',
      requirement: 'R-2',
      kind: 'keep',
      title: 'All items',
      steps: [
        {
          type: 'http',
          method: 'GET',
          path: '/items',
          headers: [],
          body: null,
          expected: { status: 200, contains: [], json: [] },
        },
      ],
    },
    { id: 'A-3', requirement: 'R-3', kind: 'metric', title: 'Within 300 ms', steps: [] },
  ],
};

export const analysis: Analysis = {
  findings: [],
  doubts: [
    { claim: 'The list fits memory.', doubt: 'It may grow.', attack: 'performance', resolution: 'R-3 bounds it.' },
  ],
  checklist: [{ item: 'Every requirement has a criterion.', satisfied: true }],
};

export const diagrams: Diagrams = {
  component: 'flowchart TD\n  server["src/server.js"] --> items["src/items.js"]',
  sequence: 'sequenceDiagram\n  participant user\n  user->>server: GET /items\n  server-->>user: 200',
  dataFlow: 'flowchart LR\n  query -->|state| filter --> answer',
  deployment: 'flowchart LR\n  browser --> process["node src/server.js"]',
};

export const release: Release = {
  title: 'Items can be filtered by state',
  notes: ['The list takes a state.'],
  checklist: [{ item: 'Look at /items?state=open', owner: 'maintainer' }],
  rollback: 'Revert the merge commit.',
  tag: '1.1.0',
};

export const reflection: Reflection = {
  lessons: ['DEFINE needed one try.'],
  proposals: [
    { type: 'skill', target: 'writing-plans', change: 'Say that rows make their own data.', evidence: 'entry 4' },
  ],
};
