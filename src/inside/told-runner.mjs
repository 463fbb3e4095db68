/**
 * Runs test files by the repository's own Vitest or Jest, and reports what that tells over file descriptor 3: `<index> <sealed line>`, by the
 * file's place in the request, each file with a key of its own. The keys stay in this process, and the tool is another one: code under test can
 * write no line of ours. It shares processes with the tool, though, so what the tool tells is only as good as the tool. A file beside the tests,
 * with one test that passes and one that fails, goes along: where its outcomes are not told as they are, nothing is believed.
 * Reads `{token, tool, program, command, above, files: [{path, key, only?: [name]}]}` from standard input; where files have `only`, no other tests are run.
 */
import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { patternOf } from './chosen-tests.mjs';
import { homeOf, ownOptions, programOf, TOOLS } from './told-tools.mjs';

const { token, tool, program, command, above, files } = JSON.parse(readFileSync(0, 'utf8'));
const ROOT = process.cwd();
/** Where the packages of a workspace are. */
const TOP = resolve(ROOT, above);
const LONGEST = 2000;

const positions = files.map(() => 0);
function emit(index, line) {
  const text = JSON.stringify(line);
  const sealed = hash('sha3-256', `${files[index].key} ${positions[index]} ${text}`);
  const bytes = Buffer.from(`${index} ${sealed} ${text}\n`);
  positions[index] += 1;
  for (let at = 0; at < bytes.length; ) at += writeSync(3, bytes, at);
}

/** Beside the test and named like it, so that whatever finds one finds the other; tests that are alike in that have it in common. */
function sentinelOf(path) {
  const name = basename(path);
  const ending = /[._-](?:test|spec)\.[cm]?[jt]sx?$/.exec(name)?.[0] ?? name.slice(name.lastIndexOf('.'));
  return resolve(dirname(path), `loopwright-${token}${ending}`);
}

/** What the tool printed last, or how it ended. */
function run(argv, cwd, env) {
  return new Promise((done) => {
    let tail = '';
    const child = spawn(program, argv, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const name of ['stdout', 'stderr'])
      child[name].on('data', (bytes) => {
        tail = `${tail}${bytes}`.slice(-LONGEST);
        process[name].write(bytes);
      });
    child.on('error', (error) => done(String(error)));
    child.on('close', (code, signal) => {
      const ending = `${tool} ended with ${signal ?? code}`;
      done(signal === null ? plain(tail).trim() || ending : `${ending}: ${plain(tail).trim()}`);
    });
  });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals' colours begin with it
const COLOURS = /\u001b\[[\d;]*m/g;
const plain = (text) => String(text).replace(COLOURS, '').slice(0, LONGEST);

/** Vitest before 2 tells the message alone, without the error's name: chai's begin with `expected`. */
const ASSERTION =
  /^(?:AssertionError|JestAssertionError|Failed:|expected .*\b(?:to|not)\b|(?:\w+: )?(?:expect\(|expect\.|assert(?:\.\w+)?\(|Snapshot ))/s;
/** The tool's own words: no exception of the product. */
const TIMED_OUT = /^(?:\w+: )*(?:(?:Test|Hook) timed out in \d+ ?ms|thrown: "Exceeded timeout of )/;
const HOLDS_NO_TEST = /No test suite found|must contain at least one test|No test files found|No tests found/;

function testLine({ ancestorTitles = [], title, status, failureMessages }) {
  const name = [...ancestorTitles.filter((word) => word !== ''), title].join(' > ');
  const messages = (failureMessages ?? []).map(plain);
  const base = { kind: 'test', name, bare: title };
  if (status === 'passed') return { ...base, outcome: 'pass', message: '' };
  if (status !== 'failed') return { ...base, outcome: 'not-run', message: `skipped: ${tool} says ${status}` };
  return { ...base, outcome: failureOf(messages), message: messages[0] ?? `${tool} does not say why` };
}

function failureOf(messages) {
  if (messages.some((text) => TIMED_OUT.test(text))) return 'load-error';
  return messages.length > 0 && messages.every((text) => ASSERTION.test(text)) ? 'fail' : 'error';
}

/** Tells one file's tests, and what became of the sentinel beside it. */
function tell(index, results, said) {
  const { path } = files[index];
  const [own, sentinel] = [resolve(path), sentinelOf(path)].map((file) => results.find(({ name }) => name === file));
  if (own === undefined && sentinel === undefined) return tellNothing(index);
  if (own !== undefined) tellTests(index, own, said);
  return emit(index, { kind: 'end', ...endOf(sentinel) });
}

function tellTests(index, { status, message = '', assertionResults = [] }, said) {
  if (wasCutOff(status, assertionResults))
    return emit(index, { kind: 'load', message: `its process ended before its tests were finished: ${said}` });
  for (const test of assertionResults) emit(index, testLine(test));
  const text = plain(message).trim();
  if (status === 'failed' && assertionResults.length === 0 && !HOLDS_NO_TEST.test(text))
    emit(index, { kind: 'load', message: text || said });
}

/** Vitest tells the tests of a process that died as waiting still, those that passed too, in a file that failed by no test of it. */
function wasCutOff(status, tests) {
  const told = tests.map((test) => test.status);
  return status === 'failed' && told.includes('pending') && !told.includes('failed');
}

/** Where neither file is a test to the tool, nothing is told to pass, so that nothing has to be believed. */
function tellNothing(index) {
  emit(index, { kind: 'end', outcome: 'fail', message: `${tool} finds no test here` });
}

function endOf(sentinel) {
  const lines = (sentinel?.assertionResults ?? []).map(testLine);
  const [passing, failing] = ['passes', 'fails'].map((what) => lines.find(({ bare }) => bare === `${token} ${what}`));
  if (passing === undefined || failing === undefined)
    return { outcome: 'not-run', message: `${tool} did not run it: ${plain(sentinel?.message ?? '')}` };
  if (passing.outcome !== 'pass')
    return { outcome: 'load-error', message: `what must pass did not: ${passing.message}` };
  return { outcome: failing.outcome === 'error' ? 'load-error' : failing.outcome, message: failing.message };
}

/** Those of a sentinel are chosen too. */
function choiceIn(indexes) {
  const chosen = indexes.flatMap((index) => files[index].only ?? []);
  const isChosen = indexes.every((index) => files[index].only !== undefined);
  return isChosen ? [`--testNamePattern=${patternOf([...chosen, `${token} passes`, `${token} fails`])}`] : [];
}

/** Runs the files that have one folder in common, by one process of the tool, and tells each. */
async function runIn(folder, indexes, report) {
  const sentinels = [...new Set(indexes.map((index) => sentinelOf(files[index].path)))];
  const paths = [...indexes.map((index) => resolve(files[index].path)), ...sentinels];
  const { env, forNode, forTool } = ownOptions(tool, folder, command, ROOT);
  const own = TOOLS[tool].argv({ paths: paths.map((path) => relative(folder, path)), report });
  for (const sentinel of sentinels) writeFileSync(sentinel, TOOLS[tool].sentinel(token), { flag: 'wx' });
  const said = await run(
    [...forNode, ...TOOLS[tool].preload, programOf(tool, folder, TOP), ...forTool, ...own, ...choiceIn(indexes)],
    folder,
    env,
  );
  for (const sentinel of sentinels) rmSync(sentinel, { force: true });
  const told = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).testResults : undefined;
  for (const index of indexes) tellOne(index, told, said);
}

function tellOne(index, told, said) {
  if (Array.isArray(told)) tell(index, told, said);
  else if (HOLDS_NO_TEST.test(said)) tellNothing(index);
  else emit(index, { kind: 'load', message: said });
}

const byFolder = [...Map.groupBy(files.keys(), (index) => homeOf(tool, files[index].path, ROOT))];
try {
  for (const [folder] of byFolder) programOf(tool, folder, TOP);
} catch (error) {
  // Nothing was begun, so nothing is judged.
  process.stderr.write(`${error.message}\n`);
  process.exit(2);
}
for (const index of files.keys()) emit(index, { kind: 'begin' });
const place = mkdtempSync(join(tmpdir(), 'told-'));
for (const [number, [folder, indexes]] of byFolder.entries()) {
  const failed = (error) => indexes.map((index) => emit(index, { kind: 'load', message: plain(error) }));
  await runIn(folder, indexes, join(place, `${number}.json`)).catch(failed);
}
rmSync(place, { recursive: true, force: true });
