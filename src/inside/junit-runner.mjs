/**
 * Runs test files by a command that writes JUnit's XML, one process of it for each file, and reports what that tells over file descriptor 3:
 * `<index> <sealed line>`, by the file's place in the request. As with every told runner the keys stay in this process, and a file beside the
 * test goes along, last, with one test that passes and one that fails: where its outcomes are not told as they are, nothing is believed, and
 * where they are not told at all, the command did not come to its end.
 * Reads `{token, run, sentinel, files: [{path, key}]}` from standard input.
 */
import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { testsIn } from './junit-report.mjs';

const { token, run: template, sentinel: sentinelText, files } = JSON.parse(readFileSync(0, 'utf8'));
const LONGEST = 2000;

const positions = files.map(() => 0);
function emit(index, line) {
  const text = JSON.stringify(line);
  const sealed = hash('sha3-256', `${files[index].key} ${positions[index]} ${text}`);
  const bytes = Buffer.from(`${index} ${sealed} ${text}\n`);
  positions[index] += 1;
  for (let at = 0; at < bytes.length; ) at += writeSync(3, bytes, at);
}

/** Beside the test and named like it, so that whatever finds one finds the other. */
function sentinelOf(path) {
  const name = basename(path);
  const beginning = /^test[_-]/.exec(name)?.[0] ?? '';
  const ending = /[._-](?:test|spec)\.\w+$/.exec(name)?.[0] ?? /\.\w+$/.exec(name)?.[0] ?? '';
  return join(dirname(path), `${beginning}loopwright_${token}${ending}`);
}

const quoted = (path) => `'${path.replaceAll("'", "'\\''")}'`;
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals' colours begin with it
const COLOURS = /\u001b\[[\d;]*m/g;
const plain = (text) => String(text).replace(COLOURS, '').slice(0, LONGEST);

/** Of the beginning and of the end. */
const SHOWN = 900;

/** How the command ended, and what it printed first and last. What it left running ends with it. */
function run(command) {
  return new Promise((done) => {
    let [head, tail] = ['', ''];
    const child = spawn('bash', ['-c', command], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const name of ['stdout', 'stderr'])
      child[name].on('data', (bytes) => {
        const room = SHOWN - head.length;
        head += String(bytes).slice(0, room);
        tail = `${tail}${String(bytes).slice(room)}`.slice(-SHOWN);
        process[name].write(bytes);
      });
    child.on('error', (error) => done(String(error)));
    child.on('exit', () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch (error) {
        if (error.code !== 'ESRCH') throw error;
      }
    });
    child.on('close', (code, signal) =>
      done(`the command ended with ${signal ?? code}: ${plain(`${head}${tail}`).trim()}`),
    );
  });
}

const ASSERTION = /^\s*operator: (?!(?:fail|error)$)|^(?:\w+: )?expect(?:\(|ed )|assert/im;
/** What tools that have no `error` say of an exception: by the type, as the cause, or at the beginning of a line. */
const EXCEPTION =
  /\b(?!Assert)\w*(?:Error|Exception)$|^\s*cause: (?!Assert)\w*Error\b|^(?!Assert)\w*(?:Error|Exception)\b/m;
const TIMED_OUT = /\btimed out\b|\btimeout of \d+ ?ms exceeded\b|Exceeded timeout of/i;

function outcomeOf({ kind, type, message }) {
  if (kind === 'passed') return 'pass';
  if (kind === 'skipped') return 'not-run';
  if (TIMED_OUT.test(message)) return 'load-error';
  if (kind === 'error') return 'error';
  const isAssertion = /assert|comparison/i.test(type) || ASSERTION.test(message);
  return !isAssertion && (EXCEPTION.test(type) || EXCEPTION.test(message)) ? 'error' : 'fail';
}

function tell(index, tests, said) {
  const [own, sentinel] = [false, true].map((isOurs) => tests.filter(({ name }) => name.includes(token) === isOurs));
  if (sentinel.length === 0) {
    const message = `it did not come to its end: ${said}`;
    emit(index, { kind: 'load', message });
    return emit(index, { kind: 'end', outcome: 'fail', message: 'nothing is told to pass' });
  }
  tellTests(index, own);
  return emit(index, { kind: 'end', ...endOf(sentinel) });
}

/** Some tools tell a file as a test too: one that failed did not load, or did not come to its end. */
function tellTests(index, tests) {
  const isFile = ({ bare }) => resolve(bare) === resolve(files[index].path);
  const broken = tests.find((test) => isFile(test) && test.kind !== 'passed');
  if (broken !== undefined) emit(index, { kind: 'load', message: plain(broken.message) });
  for (const test of tests.filter((one) => !isFile(one))) {
    const outcome = outcomeOf(test);
    const message = plain(outcome === 'not-run' ? `skipped: ${test.message}` : test.message);
    emit(index, { kind: 'test', name: test.name, bare: test.bare, outcome, message });
  }
}

function endOf(sentinel) {
  const [passing, failing] = ['passes', 'fails'].map((what) => {
    const found = sentinel.filter(({ name }) => name.includes(`${token} ${what}`));
    return found.find(({ kind }) => kind !== 'passed') ?? found[0];
  });
  if (passing === undefined || failing === undefined)
    return { outcome: 'not-run', message: 'not both of its tests are in the report' };
  const message = plain(failing.message);
  if (passing.kind !== 'passed') return { outcome: 'load-error', message: 'what must pass did not' };
  return { outcome: { passed: 'pass', skipped: 'not-run' }[failing.kind] ?? 'fail', message };
}

async function runFile(index, report) {
  const { path } = files[index];
  const sentinel = sentinelOf(path);
  const values = { files: `${quoted(path)} ${quoted(sentinel)}`, report: quoted(report) };
  writeFileSync(sentinel, sentinelText.replaceAll('{name}', token), { flag: 'wx' });
  const said = await run(template.replaceAll(/\{(files|report)\}/g, (_, name) => values[name]));
  rmSync(sentinel, { force: true });
  tell(index, existsSync(report) ? testsIn(readFileSync(report, 'utf8')) : [], said);
}

const place = mkdtempSync(join(tmpdir(), 'junit-'));
for (const index of files.keys()) {
  emit(index, { kind: 'begin' });
  await runFile(index, join(place, `${index}.xml`)).catch((error) => {
    emit(index, { kind: 'load', message: plain(error) });
    emit(index, { kind: 'end', outcome: 'fail', message: 'nothing is told to pass' });
  });
}
rmSync(place, { recursive: true, force: true });
