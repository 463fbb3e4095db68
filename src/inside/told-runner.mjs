/**
 * Runs one test file by the repository's own Vitest or Jest, and reports what that tells over file descriptor 3. The key of the lines stays in
 * this process, and the tool is another one: code under test can write no line of ours. It shares processes with the tool, though, so what the
 * tool tells is only as good as the tool. A file beside the tests, with one test that passes and one that fails, goes along: where its outcomes
 * are not told as they are, nothing is believed. Reads `{key, token, tool, path, program}` from standard input.
 */
import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { homeOf, ownOptions, programOf, TOOLS } from './told-tools.mjs';

const { key, token, tool, path, program } = JSON.parse(readFileSync(0, 'utf8'));
const ROOT = process.cwd();
const LONGEST = 2000;

let position = 0;
function emit(line) {
  const text = JSON.stringify(line);
  const bytes = Buffer.from(`${hash('sha3-256', `${key} ${position} ${text}`)} ${text}\n`);
  position += 1;
  for (let at = 0; at < bytes.length; ) at += writeSync(3, bytes, at);
}

/** Beside the test and named like it, so that whatever finds one finds the other. */
function sentinelPath() {
  const name = basename(path);
  const ending = /[._-](?:test|spec)\.[cm]?[jt]sx?$/.exec(name)?.[0] ?? name.slice(name.lastIndexOf('.'));
  return join(dirname(path), `loopwright-${token}${ending}`);
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
    child.on('close', (code, signal) => done(plain(tail).trim() || `${tool} ended with ${signal ?? code}`));
  });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals' colours begin with it
const COLOURS = /\u001b\[[\d;]*m/g;
const plain = (text) => String(text).replace(COLOURS, '').slice(0, LONGEST);

const ASSERTION =
  /^(?:AssertionError|JestAssertionError|Failed:|(?:\w+: )?(?:expect\(|expect\.|assert(?:\.\w+)?\(|Snapshot ))/;
const HOLDS_NO_TEST = /No test suite found|must contain at least one test|No test files found|No tests found/;

function testLine({ ancestorTitles = [], title, status, failureMessages }) {
  const name = [...ancestorTitles.filter((word) => word !== ''), title].join(' > ');
  const messages = (failureMessages ?? []).map(plain);
  const base = { kind: 'test', name, bare: title };
  if (status === 'passed') return { ...base, outcome: 'pass', message: '' };
  if (status !== 'failed') return { ...base, outcome: 'not-run', message: `skipped: ${tool} says ${status}` };
  const isAssertion = messages.length > 0 && messages.every((text) => ASSERTION.test(text));
  return { ...base, outcome: isAssertion ? 'fail' : 'error', message: messages[0] ?? `${tool} does not say why` };
}

/** Tells the file's tests, and what became of the sentinel. */
function tell(results, said, files) {
  const [own, sentinel] = files.map((file) => results.find(({ name }) => name === file));
  if (own === undefined && sentinel === undefined) return tellNothing(said);
  const tests = own?.assertionResults ?? [];
  for (const test of tests) emit(testLine(test));
  const message = plain(own?.message ?? '').trim();
  if (own?.status === 'failed' && tests.length === 0 && !HOLDS_NO_TEST.test(message))
    emit({ kind: 'load', message: message || said });
  return emit({ kind: 'end', ...endOf(sentinel) });
}

/** Where neither file is a test to the tool, nothing is told to pass, so that nothing has to be believed. */
function tellNothing(said) {
  if (HOLDS_NO_TEST.test(said)) return emit({ kind: 'end', outcome: 'fail', message: `${tool} finds no test here` });
  return emit({ kind: 'load', message: said });
}

const read = (report) => (existsSync(report) ? (JSON.parse(readFileSync(report, 'utf8')).testResults ?? []) : []);

function endOf(sentinel) {
  const lines = (sentinel?.assertionResults ?? []).map(testLine);
  const [passing, failing] = ['passes', 'fails'].map((what) => lines.find(({ bare }) => bare === `${token} ${what}`));
  if (passing === undefined || failing === undefined)
    return { outcome: 'not-run', message: `${tool} did not run it: ${plain(sentinel?.message ?? '')}` };
  if (passing.outcome !== 'pass')
    return { outcome: 'load-error', message: `what must pass did not: ${passing.message}` };
  return { outcome: failing.outcome === 'error' ? 'load-error' : failing.outcome, message: failing.message };
}

emit({ kind: 'begin' });
const place = mkdtempSync(join(tmpdir(), 'told-'));
const report = join(place, 'report.json');
const files = [resolve(path), resolve(sentinelPath())];
try {
  const folder = homeOf(tool, path, ROOT);
  const { env, forNode, forTool } = ownOptions(tool, folder);
  const [file, sentinel] = files.map((absolute) => relative(folder, absolute));
  writeFileSync(files[1], TOOLS[tool].sentinel(token), { flag: 'wx' });
  const argv = [...forNode, programOf(tool, folder, ROOT), ...forTool, ...TOOLS[tool].argv({ file, sentinel, report })];
  const said = await run(argv, folder, env);
  tell(read(report), said, files);
} catch (error) {
  emit({ kind: 'load', message: plain(error) });
} finally {
  rmSync(files[1], { force: true });
  rmSync(place, { recursive: true, force: true });
}
