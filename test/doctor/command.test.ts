/** `loopwright doctor` as it is typed: what it prints, and what it ends with. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { runCommand } from '../../src/cli/run-command.ts';
import { reportLines } from '../../src/doctor/report-text.ts';
import { started, typed } from '../cli/terminal.ts';
import { personOn } from '../probe/stage.ts';
import { KEY, RIGHT, type Stage, startRightStage } from './stage.ts';

let stage: Stage;
/** Authored answers need no sandbox, which not every machine has. */
let environment: Record<string, string>;
beforeAll(async () => {
  stage = await startRightStage();
  environment = { ...stage.environment, LOOPWRIGHT_SCRIPTED: 'true' };
});
afterAll(() => stage.close());

/** What a command says in this process. */
async function said(argv: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const fail = (line: string) => err.push(line);
  const code = await runCommand(argv, { out: (line) => void out.push(line), fail });
  return { code, out, err };
}

const report = z.strictObject({
  rows: z.array(
    z.strictObject({
      area: z.string(),
      subject: z.string(),
      state: z.enum(['ok', 'missing', 'wrong', 'unknown']),
      sentence: z.string(),
      remedy: z.string().optional(),
    }),
  ),
  counts: z.strictObject({ ok: z.int(), missing: z.int(), wrong: z.int(), unknown: z.int() }),
});

test('ends with 0 where nothing is missing or wrong, and tells what is unknown', async () => {
  const { code, out, err } = await typed(['doctor', '--repo', 'alice/toys'], environment);
  expect(code, out.join('\n')).toBe(0);
  expect(err).toEqual([]);
  expect(out.filter((line) => line.startsWith('  ✓')).length).toBeGreaterThan(20);
  expect(out.filter((line) => line.startsWith('  ?')).length).toBe(3);
  expect(out.at(-1)).toMatch(/^\d+ looked at: \d+ ok, 0 missing, 0 wrong, 3 unknown\.$/);
});

test('ends with 1 where something is missing, and says what with its remedy', async () => {
  await stage.arrange({ ...RIGHT, hasIssues: false });
  const { code, out } = await typed(['doctor', '--repo', 'alice/toys'], environment);
  await stage.arrange(RIGHT);
  expect(code).toBe(1);
  const at = out.findIndex((line) => line.startsWith('  ✗ issues '));
  expect(out[at]).toContain('It has no issues, so there is nothing to set the label on.');
  expect(out[at + 1]?.trim()).toMatch(/^→ Switch issues on: http.*\/alice\/toys\/settings$/);
});

test('--json prints one object, and no key of the environment', async () => {
  const secrets = { ...environment, LLM_RESPONSES_API_KEY: 'sk-responses-55aa66bb77cc', LLM_PRICE: KEY };
  const { code, out } = await typed(['doctor', '--json'], secrets);
  expect(code).toBe(1);
  expect(out).toHaveLength(1);
  const { rows, counts } = report.parse(JSON.parse(out[0] ?? ''));
  expect(counts.ok + counts.missing + counts.wrong + counts.unknown).toBe(rows.length);
  expect(rows.filter(({ state, remedy }) => (state === 'ok') !== (remedy === undefined))).toEqual([]);
  expect(rows.find(({ subject }) => subject === 'LLM_PRICE')?.sentence).toBe('LLM_PRICE is "[secret removed]".');
  for (const secret of [KEY, 'sk-responses-55aa66bb77cc', 'PRIVATE KEY', environment.WEBHOOK_SECRET])
    expect(out[0]).not.toContain(secret);
});

test('without any variable it names those that are missing, and looks at nothing', async () => {
  const { code, out } = await typed(['doctor']);
  expect(code).toBe(1);
  const missing = out.flatMap((line) => /^ {2}✗ ([A-Z_]+) /.exec(line)?.[1] ?? []);
  expect(missing).toEqual(['APP_ID', 'PRIVATE_KEY', 'WEBHOOK_SECRET', 'PUBLIC_URL', 'LLM_BASE_URL', 'LLM_MODEL']);
});

test.each([
  ['an option that there is not', ['--probes'], 'doctor: there is no option "--probes"'],
  [
    'a probe of no repository',
    ['--probe'],
    '--probe writes commits, check runs and pull requests; name a repository for that with --repo.',
  ],
  [
    'a probe that nobody allowed',
    ['--probe', '--repo', 'acme/shop'],
    'in acme/shop, and takes back what can be taken back; say --yes where it may.',
  ],
  [
    'a time that is none',
    ['--probe', '--repo', 'acme/shop', '--yes', '--wait', 'long'],
    '--wait is "long"; write whole seconds, as in --wait 30.',
  ],
  [
    'minutes that are none',
    ['--probe', '--repo', 'acme/shop', '--yes', '--minutes', '0'],
    '--minutes is "0"; write whole minutes, as in --minutes 5.',
  ],
  [
    'leave for a probe without one',
    ['--repo', 'acme/shop', '--yes'],
    '--yes is about a probe; say --probe too, or leave it out.',
  ],
  [
    'a time of a probe without one',
    ['--wait', '5', '--json'],
    '--wait is about a probe; say --probe too, or leave it out.',
  ],
  [
    'minutes of a probe without one',
    ['--minutes', '5'],
    '--minutes is about a probe; say --probe too, or leave it out.',
  ],
  ['a load without a probe', ['--load'], '--load is about a probe; say --probe too, or leave it out.'],
  ['a person without a probe', ['--person'], '--person is about a probe; say --probe too, or leave it out.'],
  ['a repository without an owner', ['--repo', 'toys'], '--repo is "toys"; write owner/name, as in --repo acme/shop.'],
  ['a path for a repository', ['--repo', 'a/..'], '--repo is "a/.."; write owner/name, as in --repo acme/shop.'],
  ['a word too many', ['now'], 'doctor: "now" is one word too many'],
])('ends with 2 for %s', async (_, argv, sentence) => {
  const { code, out, err } = await said(['doctor', ...argv]);
  expect({ code, out }).toEqual({ code: 2, out: argv.includes('--json') ? [JSON.stringify({ error: sentence })] : [] });
  expect(err.join('\n')).toContain(sentence);
});

test('--help explains it', async () => {
  const { code, out } = await said(['doctor', '--help']);
  expect(code).toBe(0);
  expect(out.join('\n')).toContain('--repo owner/name');
  expect(out.join('\n')).toContain('asks the model once');
});

test('a table has its areas in order, and says once what is the same of several rows in turn', () => {
  const unseen = { state: 'unknown', sentence: 'Not looked at.', remedy: 'Do this first.' } as const;
  const rows = [
    { area: 'App', subject: 'name', state: 'ok', sentence: 'It has\none.\u001b[2J' } as const,
    { area: 'model', subject: 'answers', ...unseen },
    { area: 'model', subject: 'streams', ...unseen },
    { area: 'model', subject: 'price', ...unseen, sentence: 'Not known.' },
  ];
  expect(reportLines({ rows, counts: { ok: 1, missing: 0, wrong: 0, unknown: 3 } })).toEqual([
    'App',
    '  ✓ name     It has one. [2J',
    '',
    'model',
    '  ? answers, streams',
    '             Not looked at.',
    '             → Do this first.',
    '  ? price    Not known.',
    '',
    '4 looked at: 1 ok, 0 missing, 0 wrong, 3 unknown.',
  ]);
});

async function refs(): Promise<readonly string[]> {
  const { rest } = stage.github.as('alice');
  const of = { owner: 'alice', repo: 'toys' };
  const [branches, own] = await Promise.all(
    ['heads/', 'loopwright/'].map((ref) => rest.git.listMatchingRefs({ ...of, ref })),
  );
  return [...(branches?.data ?? []), ...(own?.data ?? [])].map(({ ref }) => ref);
}

test('--probe tries what is taken for granted where it may, prints it with its date, and takes back what it wrote', async () => {
  const before = await refs();
  const asked = ['doctor', '--probe', '--yes', '--repo', 'alice/toys', '--wait', '2'];
  await stage.github.local('PATCH', '/faults/limits', { requestsPerMinute: 1000 }, 'alice');
  const { code, out, err } = await typed(asked, environment);
  await stage.github.local('DELETE', '/faults', undefined, 'alice');
  expect(code, [...out, ...err].join('\n')).toBe(0);
  expect(out[0]).toBe(`Seen on ${new Date().toISOString().slice(0, 10)} in alice/toys`);
  expect(out.filter((line) => line.startsWith('  ✓')).length).toBeGreaterThanOrEqual(8);
  expect(out.filter((line) => line.startsWith('  ✗'))).toEqual([]);
  expect(err[0]).toBe('trying refs: quarantine');
  expect(await refs()).toEqual(before);
});

const PROBE = ['doctor', '--probe', '--yes', '--repo', 'alice/toys'];

/** What takes back takes time. */
const SLOW = { route: '/repos/{owner}/{repo}/git/refs/{ref}', method: 'DELETE', by: 'app', delayMs: 3000 };

/** A probe that has written something and waits for GitHub. */
async function probing() {
  const before = await refs();
  const running = started([...PROBE, '--wait', '600'], { environment });
  await running.until('trying refs: quarantine');
  await vi.waitFor(async () => expect((await refs()).length).toBe(before.length + 2), { timeout: 60_000 });
  return { running, before };
}

test('--probe takes back what it wrote where its terminal hangs up and takes no line any more', async () => {
  const { running, before } = await probing();
  running.child.stderr?.destroy();
  await stage.github.local('POST', '/faults', SLOW, 'alice');
  running.child.kill('SIGHUP');
  await new Promise((resolve) => setTimeout(resolve, 1500));
  // A shell may say it again, and that is nobody's impatience.
  const code = await running.end('SIGHUP');
  await stage.github.local('DELETE', '/faults', undefined, 'alice');
  expect(code).toBe(130);
  expect(await refs()).toEqual(before);
});

test('--probe names what may be left where somebody does not wait for its end', async () => {
  const { running, before } = await probing();
  await stage.github.local('POST', '/faults', SLOW, 'alice');
  running.child.kill('SIGINT');
  await running.until('Stopping');
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(await running.end('SIGINT')).toBe(130);
  await stage.github.local('DELETE', '/faults', undefined, 'alice');
  const left = (await refs()).filter((ref) => !before.includes(ref));
  for (const ref of left)
    expect(running.printed()).toContain(`the ref ${ref} may be left: its end was not waited for.`);
  expect(left).not.toEqual([]);
  const { rest } = stage.github.as('alice');
  for (const ref of left) await rest.git.deleteRef({ owner: 'alice', repo: 'toys', ref: ref.slice('refs/'.length) });
});

test('--probe --person says what to do also where only JSON is printed, and --load is tried', async () => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const [out, person]: [string[], string[]] = [[], []];
  const commit = personOn(stage.github);
  const fail = (line: string) => {
    commit(line);
    return person.push(line);
  };
  const argv = ['doctor', '--probe', '--yes', '--repo', 'alice/toys', '--wait', '1', '--json', '--person', '--load'];
  await runCommand(argv, { out: (line) => void out.push(line), fail });
  expect(person).toEqual([expect.stringMatching(/^Within 5 min, open this page, change nothing, and commit to /)]);
  const { rows } = z.object({ rows: z.array(z.looseObject({})) }).parse(JSON.parse(out.join('')));
  expect(rows).toContainEqual(expect.objectContaining({ area: 'pages', state: 'ok' }));
  expect(rows).toContainEqual(expect.objectContaining({ subject: 'load', state: 'ok' }));
});

const NO_APP_ID = '--probe: APP_ID is not as it must be; correct APP_ID first, as `doctor` says it.';

test.each([
  [[], []],
  [['--json'], [JSON.stringify({ error: NO_APP_ID })]],
])('--probe without APP_ID says what to do, and prints no table %j', async (more, told) => {
  const { APP_ID: _, ...rest } = environment;
  const { code, out, err } = await typed(['doctor', '--probe', '--yes', '--repo', 'alice/toys', ...more], rest);
  expect([code, out, err]).toEqual([2, told, [NO_APP_ID]]);
});

test('--probe says where the App is not installed', async () => {
  const { code, err } = await typed(['doctor', '--probe', '--yes', '--repo', 'alice/none'], environment);
  expect(code).toBe(2);
  expect(err.join('\n')).toContain('The App is not installed on alice/none; install it there first.');
});
