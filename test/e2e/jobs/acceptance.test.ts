import { describe, expect, it, onTestFinished } from 'vitest';
import type { AcceptanceRow } from '../../../src/documents/documents.ts';
import type { Step } from '../../../src/documents/step.ts';
import { p95Of, performAcceptance } from '../../../src/jobs/verify/acceptance.ts';
import { valueAt } from '../../../src/jobs/verify/probe-steps.ts';
import type { Brief } from '../../../src/loop/brief.ts';
import { commandsOf } from '../../jobs/plain-brief.ts';
import { benchOf, type Files, scene } from '../../jobs/verify-fixture.ts';

const SERVER = `import { createServer } from 'node:http';
const entries = [{ name: 'Ada', tags: ['a/b'] }];
createServer(async (request, response) => {
  const { pathname } = new URL(request.url, 'http://x');
  if (pathname === '/health') return response.end('ok');
  if (pathname === '/') return response.end('<html><body><p class="count">1 entry</p><script>document.title="ran"</script></body></html>');
  if (pathname === '/broken') return response.destroy();
  if (pathname !== '/entries') return response.writeHead(404).end('none');
  if (request.method === 'POST') { let text = ''; for await (const chunk of request) text += chunk; entries.unshift(JSON.parse(text)); return response.writeHead(201).end(text); }
  response.setHeader('content-type', 'application/json'); response.end(JSON.stringify(entries));
}).listen(Number(process.env.PORT), '127.0.0.1', () => console.log('product is up'));
`;
const FILES: Files = {
  'package.json': '{ "type": "module" }',
  'server.js': SERVER,
  'math.js':
    'export const add = (one, other) => one + other;\nexport const fails = () => { throw new Error("no"); };\n',
  'cli.js':
    'let text = ""; for await (const chunk of process.stdin) text += chunk; console.log("read " + text); process.exit(Number(process.argv[2]));',
};

const row = (steps: readonly Step[], id = 'A-1'): AcceptanceRow => ({
  id,
  requirement: 'R-1',
  kind: 'change',
  title: 'It works',
  steps: [...steps],
});
type HttpStep = Extract<Step, { type: 'http' }>;
const get = (path: string, expected: Partial<HttpStep['expected']> = {}): HttpStep => ({
  type: 'http',
  method: 'GET',
  path,
  headers: [],
  body: null,
  expected: { status: 200, contains: [], json: [], ...expected },
});

const SERVED = commandsOf({ test: 'true', start: 'node server.js', health: '/health' });

async function perform(rows: readonly AcceptanceRow[], overrides: Partial<Brief> = {}) {
  const place = await scene(FILES, {}, { surface: 'http', acceptance: [...rows], commands: SERVED, ...overrides });
  onTestFinished(place.remove);
  return performAcceptance(await benchOf(place), place.environment.workspace);
}

const WEB = { commands: commandsOf({ test: 'true' }), surface: 'library' } as const;

describe('an HTTP product', () => {
  it('is started, asked in order, and its latency measured', async () => {
    const post: Step = {
      ...get('/entries', { status: 201, contains: ['Bob'] }),
      method: 'POST',
      body: '{"name":"Bob"}',
    };
    const json = [
      { pointer: '/0/name', equals: '"Bob"' },
      { pointer: '/1/tags/0', equals: '"a/b"' },
    ];
    const page: Step = { type: 'page', path: '/', expected: { selector: '.count', contains: '1 entry' } };
    const result = await perform([row([get('/entries'), post, get('/entries', { json })]), row([page], 'A-2')]);
    expect(result.rows.map(({ passed, detail }) => [passed, detail.split('\n').length])).toEqual([
      [true, 3],
      [true, 1],
    ]);
    expect(result.rows[1]?.detail).toContain('HTML as served, no scripts run');
    expect(result.p95Ms).toBeGreaterThan(0);
    expect(result.p95Ms).toBeLessThan(500);
    expect(result.raw).toContain('product is up');
    expect(JSON.parse(result.raw.split('\n---')[0] ?? '').load.durationsMs).toHaveLength(200);
  });

  it('fails a row with expected and actual values, and stops at its first wrong step', async () => {
    const result = await perform([
      row([get('/entries', { status: 404 }), get('/health')]),
      row([get('/entries', { json: [{ pointer: '/0/name', equals: '"Eve"' }] })], 'A-2'),
      row([get('/health', { contains: ['fine'] })], 'A-3'),
      row([{ type: 'page', path: '/', expected: { selector: '.missing', contains: '' } }], 'A-4'),
      row([{ type: 'page', path: '/', expected: { selector: ':::', contains: '' } }], 'A-5'),
      row([get('/broken')], 'A-6'),
      row([], 'A-7'),
    ]);
    expect(result.rows.map(({ passed }) => passed)).toEqual(Array(7).fill(false));
    const details = result.rows.map(({ detail }) => detail);
    expect(details[0]).toMatch(
      /^step 1 GET \/entries: expected status 404, actual status 200, body \[\{"name":"Ada".*$/,
    );
    expect(details[1]).toContain('expected "Eve" at "/0/name", actual "Ada"');
    expect(details[2]).toContain('expected "fine" in the body, actual ok');
    expect(details[3]).toContain('nothing matches .missing');
    expect(details[4]).toContain('could not be performed');
    expect(details[5]).toContain('could not be performed');
    expect(details[6]).toContain('no steps');
    // The first GET is the load's request; it is never answered as that step expects.
    expect(result.p95Ms).toBeUndefined();
    expect(result.p95Problem).toContain('5 requests of GET /entries were not answered as expected');
  });

  it.each([
    ['does not start', { start: 'echo broken >&2; exit 3' }, /ended with 3: broken/],
    ['has no start command', { start: null }, /no start command/],
  ])('that %s fails every row and has no latency', async (_name, commands, message) => {
    const result = await perform([row([get('/entries')])], { commands: { ...SERVED, ...commands } });
    expect(result.rows).toMatchObject([{ passed: false, detail: expect.stringMatching(message) }]);
    expect(result.p95Ms).toBeUndefined();
    expect(result.p95Problem).toMatch(message);
  });
});

describe('a library or command line', () => {
  it('is called without starting anything', async () => {
    const call = (module: string, name: string, values: string, equals: string): Step => ({
      type: 'call',
      module,
      function: name,
      arguments: values,
      expected: { equals },
    });
    const cli = (code: number): Step => ({
      type: 'cli',
      arguments: ['node', 'cli.js', '3'],
      stdin: 'typed',
      expected: { exitCode: code, contains: ['read typed'], equals: null, matches: [], stderr: [] },
    });
    const result = await perform(
      [
        row([call('math.js', 'add', '[1, 2]', '3'), cli(3)]),
        row([call('math.js', 'add', '[1, 2]', '4')], 'A-2'),
        row([call('math.js', 'missing', '[]', '1')], 'A-3'),
        row([call('math.js', 'fails', '[]', '1')], 'A-4'),
        row([cli(0)], 'A-5'),
        row([call('README.md', 'x', '[]', '1')], 'A-6'),
        row([get('/')], 'A-7'),
      ],
      WEB,
    );
    expect(result.rows.map(({ passed }) => passed)).toEqual([true, false, false, false, false, false, false]);
    const details = result.rows.map(({ detail }) => detail);
    expect(details[1]).toContain('expected 4, actual 3');
    expect(details[2]).toContain('missing is not exported');
    expect(details[3]).toContain('Error: no');
    expect(details[4]).toContain('expected exit code 0, actual 3');
    expect(details[6]).toContain('no product is started for this surface');
    expect([result.p95Ms, result.p95Problem]).toEqual([undefined, undefined]);
  });
});

it('compares the whole standard output, patterns in it, and standard error of a command', async () => {
  const script = 'console.log("3 The\\n2 is"); console.error("usage: tally"); process.exit(2)';
  const row1 = (id: string, expected: Partial<Extract<Step, { type: 'cli' }>['expected']>) => {
    const nothing = { exitCode: 2, contains: [], equals: null, matches: [], stderr: [] };
    return row(
      [{ type: 'cli', arguments: ['node', '-e', script], stdin: null, expected: { ...nothing, ...expected } }],
      id,
    );
  };
  const result = await perform(
    [
      row1('A-1', { equals: '3 The\n2 is\n', matches: ['^\\d+ is$'], stderr: ['usage: tally'] }),
      row1('A-2', { equals: '3 The\n2 is' }),
      row1('A-3', { equals: '3 The\n' }),
      row1('A-4', { matches: ['^is'] }),
      row1('A-5', { stderr: ['usage: other'] }),
      row1('A-6', { contains: ['usage'] }),
    ],
    WEB,
  );
  expect(result.rows.map(({ passed }) => passed)).toEqual([true, true, false, false, false, false]);
  const details = result.rows.map(({ detail }) => detail);
  expect(details[2]).toContain('expected exactly "3 The\\n" as standard output, actual "3 The\\n2 is\\n"');
  expect(details[3]).toContain('nothing in standard output matches /^is/m, actual "3 The\\n2 is\\n"');
  expect(details[4]).toContain('expected "usage: other" in standard error');
});

it('fails every row when the session gives no result', async () => {
  const place = await scene(FILES, {}, { ...WEB, acceptance: [row([get('/')])] });
  onTestFinished(place.remove);
  const bench = await benchOf(place);
  const silent = { ...bench, environment: { ...bench.environment, bundle: '/nowhere.mjs' } };
  const result = await performAcceptance(silent, place.environment.workspace);
  expect(result.rows).toMatchObject([{ passed: false, detail: expect.stringContaining('gave no result') }]);
});

it('finds values by JSON pointer', () => {
  const value = { 'a/b': [{ '~': 1 }], '': 2 };
  expect(['', '/a~1b/0/~0', '/', '/a~1b/1', '/toString'].map((pointer) => valueAt(value, pointer))).toEqual([
    value,
    1,
    2,
    undefined,
    undefined,
  ]);
});

it('takes the 95th percentile by nearest rank', () => {
  expect(p95Of(Array.from({ length: 200 }, (_, index) => 200 - index))).toBe(190);
  expect(p95Of([])).toBeUndefined();
});
