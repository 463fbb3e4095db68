/** The SEED_DATA job on top of a real build report: scripts run twice, counts are compared, nothing else may be touched. */
import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { digestOfTests } from '../../../src/guard/test-digest.ts';
import { build } from '../../../src/jobs/build/build.ts';
import { runJob } from '../../../src/jobs/run-job.ts';
import { draftFolder } from '../../../src/jobs/seed/draft.ts';
import type { BuildReport } from '../../../src/loop/brief.ts';
import {
  briefFor,
  checkout,
  DESIGN,
  draftSeedOn,
  FROZEN_FILE,
  FROZEN_TEXT,
  GOOD,
  NODE_FILES,
  numbersOf,
  runSeed,
} from '../../jobs/build-fixture.ts';
import { jobOnRepository } from './job-on-repository.ts';

const { place, seed } = jobOnRepository();

const encoded = (text: string) => Buffer.from(text).toString('base64');
const built = (changes: Partial<BuildReport> = {}): BuildReport => ({
  kind: 'build',
  version: 2,
  loop: 'loop-1',
  entry: 5,
  candidate: place().commit,
  base: place().commit,
  sandbox: 'none',
  measurements: [],
  defects: [],
  calls: [],
  failure: null,
  durationMs: 1,
  unfinished: [],
  changes: [
    { path: 'src/greet.js', mode: '100644', content: encoded(GOOD) },
    { path: FROZEN_FILE, mode: '100644', content: encoded(FROZEN_TEXT) },
  ],
  tests: { ...DESIGN, digest: digestOfTests(DESIGN.files) },
  ...changes,
});
/** A script that greets through the built product and writes a file, so that it only runs on top of the build. */
const script = (body: string) =>
  `import { greetAll } from '../src/greet.js';\nimport { appendFileSync, writeFileSync } from 'node:fs';\n${body}`;
const GOOD_SCRIPT = script(
  "writeFileSync('greetings.txt', greetAll(['A', 'B']));\nconsole.log('seeding');\nconsole.log(JSON.stringify({ counts: { names: 2 } }));\n",
);
const answer = (content: string, changes: object = {}) => ({
  needed: true,
  reason: 'Names are stored.',
  files: [{ path: 'seed/seed.js', content }],
  command: ['node', 'seed/seed.js'],
  counts: [{ name: 'names', count: 2 }],
  ...changes,
});
const seedWith = (given: unknown) => seed(given, built());

test('a seed that runs twice alike with its declared counts passes, and only its own files are proposed', async () => {
  const { report, outputs, requests } = await seedWith(answer(GOOD_SCRIPT));
  expect(report.failure).toBeNull();
  expect(report.defects).toEqual([]);
  expect(numbersOf(report)).toEqual({ seed_errors: 0, seed_drift: 0, seed_count_mismatches: 0 });
  expect(report.changes).toEqual([{ path: 'seed/seed.js', mode: '100644', content: encoded(GOOD_SCRIPT) }]);
  expect(outputs).toBe('verdict=pass\n');
  expect(requests.map(({ headers }) => [headers.phase, headers.skill, headers.role])).toEqual([
    ['SEED_DATA', 'ai-workflow-data-seeding', 'builder'],
  ]);
  expect(requests[0]?.messages.at(-1)?.content).toContain('+export function greetAll');
});

test('a change that stores nothing needs no seed, and the raw output says so', async () => {
  const { report, outputs } = await seedWith(NONE);
  expect(numbersOf(report)).toEqual({ seed_errors: 0, seed_drift: 0, seed_count_mismatches: 0 });
  expect(report.changes).toEqual([]);
  expect(outputs).toBe('verdict=pass\n');
});

test('a script that fails is one error per run, with its output', async () => {
  const { report, outputs } = await seedWith(answer(script("throw new Error('no table');")));
  expect(numbersOf(report).seed_errors).toBe(2);
  expect(report.defects[0]?.message).toContain('no table');
  expect(outputs).toBe('verdict=fail\n');
});

test('a last line that is not the counts is an error that quotes it', async () => {
  const { report } = await seedWith(answer(script("console.log('{\"counts\": {}}');\nconsole.log('done');")));
  expect(numbersOf(report).seed_errors).toBe(2);
  expect(report.defects[0]?.message).toContain('its last line must be {"counts": {"name": number}}, but it is "done"');
});

test('a script that adds again on its second run drifts', async () => {
  const body = "appendFileSync('greetings.txt', 'A');\nconsole.log(JSON.stringify({ counts: { names: 2 } }));\n";
  const { report } = await seedWith(answer(script(body)));
  expect(numbersOf(report)).toEqual({ seed_errors: 0, seed_drift: 1, seed_count_mismatches: 0 });
  expect(report.defects[0]?.message).toBe('The second run of the seed command changed files again.');
});

test('counts that differ from the declared ones are mismatches, missing and extra ones too', async () => {
  const counts = [
    { name: 'names', count: 3 },
    { name: 'absent', count: 0 },
  ];
  const { report } = await seedWith(answer(GOOD_SCRIPT, { counts }));
  expect(report.defects.map(({ message }) => message)).toEqual([
    'The seed declares 3 for "names", its run counted 2.',
    'The seed declares 0 for "absent", its run counted nothing.',
  ]);
});

test.each([
  [FROZEN_FILE, 'it is a frozen test'],
  ['src/greet.js', 'it is a file of the product'],
  ['src/server.js', 'it is a file of the product'],
  ['deploy/seed.js', 'protected by the policy'],
  ['.github/workflows/seed.yml', 'files of git and GitHub'],
  ['../seed.js', 'segment'],
])('a seed file at %s is refused, nothing is run and nothing proposed', async (path, reason) => {
  const { report, outputs } = await seedWith(answer(GOOD_SCRIPT, { files: [{ path, content: GOOD_SCRIPT }] }));
  expect(numbersOf(report)).toEqual({ seed_errors: 1 });
  expect(report.defects[0]?.message).toContain(reason);
  expect(report.changes).toEqual([]);
  expect(outputs).toBe('verdict=fail\n');
});

test.each([
  ['made it', GOOD_SCRIPT, { seed_errors: 0, seed_drift: 0, seed_count_mismatches: 0 }],
  ['did not make it', '// mine\n', { seed_errors: 1 }],
])(
  'a file of the last seed that lies on the branch is brought anew only as that seed %s',
  async (_, there, numbers) => {
    const on = await checkout({ ...NODE_FILES, 'seed/seed.js': there });
    onTestFinished(on.remove);
    const seeded = [{ path: 'seed/seed.js', mode: '100644' as const, content: encoded(GOOD_SCRIPT) }];
    const of = { candidate: on.commit, base: on.commit };
    const answers = { answers: { 'seed-data': [answer(GOOD_SCRIPT)] } };
    const { report } = await runSeed(on, briefFor(on, { seeded }), answers, built(of));
    expect(report.failure).toBeNull();
    expect(numbersOf(report)).toEqual(numbers);
  },
);

const scripted = (given: unknown) => ({ answers: { 'seed-data': [given] } });
const NONE = { needed: false, reason: 'Nothing is stored.', files: [], command: [], counts: [] };

test('a draft that needs no seed is the whole report', async () => {
  const { report, outputs } = await draftSeedOn(place(), briefFor(place()), scripted(NONE), built());
  expect(numbersOf(report)).toEqual({ seed_errors: 0, seed_drift: 0, seed_count_mismatches: 0 });
  expect(outputs).toBe('verdict=pass\n');
});

test('a draft of a seed is open, runs nothing, and is seeded by without another question', async () => {
  const draft = await draftSeedOn(place(), briefFor(place()), scripted(answer(GOOD_SCRIPT)), built());
  expect([draft.outputs, draft.report.measurements, draft.report.changes]).toEqual(['verdict=open\n', [], []]);
  expect(await readdir(draft.output).catch(() => [])).not.toContain('report.json');
  const { report, outputs, requests } = await runSeed(place(), briefFor(place()), { answers: {} }, built());
  expect([outputs, requests]).toEqual(['verdict=pass\n', []]);
  expect(numbersOf(report)).toEqual({ seed_errors: 0, seed_drift: 0, seed_count_mismatches: 0 });
  expect(report.changes).toEqual([{ path: 'seed/seed.js', mode: '100644', content: encoded(GOOD_SCRIPT) }]);
  expect(draft.report.calls).toHaveLength(1);
  expect(report.calls).toEqual(draft.report.calls);
});

test('a draft of a seed that may not be is refused where it is run', async () => {
  const refused = answer(GOOD_SCRIPT, { files: [{ path: FROZEN_FILE, content: GOOD_SCRIPT }] });
  await draftSeedOn(place(), briefFor(place()), scripted(refused), built());
  const { report, outputs } = await runSeed(place(), briefFor(place()), { answers: {} }, built());
  expect([outputs, numbersOf(report)]).toEqual(['verdict=fail\n', { seed_errors: 1 }]);
});

test('a model that gives no draft is a failure of the report, and nothing is open', async () => {
  const { report, outputs } = await draftSeedOn(place(), briefFor(place()), scripted('words'), built());
  expect([outputs, report.failure?.cause]).toEqual(['verdict=fail\n', 'model']);
});

test('a draft that cannot be read is told, and the model is not asked instead', async () => {
  await mkdir(join(draftFolder(place().root), 'report.json'), { recursive: true });
  const { report, requests } = await runSeed(place(), briefFor(place()), scripted(answer(GOOD_SCRIPT)), built());
  expect(report.failure?.message).toContain('The draft of the seed cannot be read (EISDIR)');
  expect(requests).toEqual([]);
});

test.each([
  ['of another run', (text: string) => text.replace('"entry": 5', '"entry": 4'), 'is of loop-1, entry 4, not of'],
  ['that is none', () => '{}', 'is not valid'],
])('a draft %s is not seeded by', async (_, changed, sentence) => {
  const { text } = await draftSeedOn(place(), briefFor(place()), scripted(answer(GOOD_SCRIPT)), built());
  await writeFile(join(draftFolder(place().root), 'report.json'), changed(text));
  const { report, outputs } = await runSeed(place(), briefFor(place()), scripted(answer(GOOD_SCRIPT)), built());
  expect(outputs).toBe('verdict=fail\n');
  expect(report.failure?.message).toContain(sentence);
});

test('without the report of this very build there is nothing to seed', async () => {
  const seeded = (input: BuildReport | undefined) => seed(answer(GOOD_SCRIPT), input);
  expect((await seeded(undefined)).report.failure?.message).toContain('needs the artifact of the build job');
  expect((await seeded(built({ entry: 4 }))).report.failure?.message).toContain('entry 4, not of loop-1, entry 5');
  expect((await seeded(built({ failure: { cause: 'model', message: 'no answer' } }))).report.failure?.message).toBe(
    'The build failed: no answer',
  );
});

test('a brief that is not valid ends without a report and names the first wrong field', async () => {
  const folder = await mkdtemp(join(place().root, 'brief-'));
  await writeFile(join(folder, 'brief.json'), JSON.stringify({ ...briefFor(place()), entry: 'five' }));
  const variables = {
    LOOPWRIGHT_BRIEF: join(folder, 'brief.json'),
    LOOPWRIGHT_WORKSPACE: place().workspace,
    LOOPWRIGHT_OUTPUT: join(folder, 'output'),
    LOOPWRIGHT_INPUT: '',
    LOOPWRIGHT_MODEL_URL: '',
    ACTIONS_ID_TOKEN_REQUEST_URL: '',
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: '',
    GITHUB_OUTPUT: '',
    RUNNER_TEMP: '',
  };
  const job = runJob({ kind: 'build', job: build, variables, bundle: import.meta.filename, log: () => undefined });
  await expect(job).rejects.toThrow(/LOOPWRIGHT_BRIEF: .*not valid: [\s\S]*entry/);
});
