/**
 * Runs one node:test file and reports over file descriptor 3. The tested code shares the process and could change all that judges it: so what
 * node:test and the assertions depend on is locked before it is loaded, results are taken where they arise, and each line is sealed with a key
 * that only this module holds. The last test must fail by assertion, and notices when that was not enough. Is told
 * `{key, token, url, program, prefix, preloads: [{kind, name}], from}`.
 */
import assert from 'node:assert';
import asyncHooks from 'node:async_hooks';
import crypto from 'node:crypto';
import channels from 'node:diagnostics_channel';
import events from 'node:events';
import fs from 'node:fs';
import module from 'node:module';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';
import './node-test-thread.cjs';
import { lock } from './node-test-lock.mjs';
import { take } from './node-test-request.mjs';

// Nothing below looks up a method of a prototype after the file is loaded: it could be another by then.
const { apply, defineProperty } = Reflect;
const { create } = Object;
const { hash } = crypto;
const { writeSync } = fs;
const { from } = Buffer;
const { stringify } = JSON;
const { AssertionError } = assert;
const {
  setTimeout,
  process: { exit },
} = globalThis;
const leave = () => apply(exit, process, [0]);
const cut = (
  (slice) => (text) =>
    apply(slice, text, [0, 2000])
)(String.prototype.slice);
const { key, token, url, program, prefix, preloads, from: place } = take();
// Tests start other processes with the ordinary Node, not with this runner.
process.execPath = program;
// Node would have started the file itself: snapshots lie beside what is started.
process.argv[1] = fileURLToPath(url);

// A judged run is over before optimised WebAssembly pays: that of fetch alone took a third of a short run. Set any earlier, the option makes Node
// refuse the code that it keeps of its own modules, and compile those of HTTP and fetch anew.
const { setFlagsFromString } = v8;
const CONNECTS = 'undici:client:beforeConnect';
channels.subscribe(CONNECTS, function once() {
  channels.unsubscribe(CONNECTS, once);
  setFlagsFromString('--wasm-tiering-budget=300000000');
});

let position = 0;
function emit(text) {
  const bytes = from(`${prefix}${hash('sha3-256', `${key} ${position} ${text}`)} ${text}\n`);
  position += 1;
  for (let at = 0; at < bytes.length; ) at += writeSync(3, bytes, at);
}
function emitTest(name, bare, { outcome, message }, ms) {
  emit(
    '{"kind":"test","name":' +
      stringify(name) +
      ',"bare":' +
      stringify(bare) +
      ',"outcome":"' +
      outcome +
      '","message":' +
      stringify(message) +
      (typeof ms === 'number' && ms >= 0 ? `,"ms":${stringify(ms)}` : '') +
      '}',
  );
}

const isAssertion = (error) =>
  error instanceof AssertionError || error?.code === 'ERR_ASSERTION' || error?.name === 'AssertionError';
function messageOf(error) {
  try {
    const cause = error?.cause ?? error;
    return cut(
      cause !== null && typeof cause === 'object' && 'message' in cause
        ? `${cause.name}: ${cause.message}`
        : `${cause}`,
    );
  } catch {
    return 'the error cannot be read';
  }
}

/** By nesting: the name with its parents, and the worst failure among the children. */
const names = create(null);
const worst = create(null);
const RANKS = { __proto__: null, fail: 1, error: 2, 'load-error': 3 };
function failureOf(nesting, error) {
  try {
    if (error?.failureType === 'subtestsFailed') return worst[nesting + 1] ?? 'load-error';
    if (error?.failureType !== 'testCodeFailure') return 'load-error';
    return isAssertion(error.cause) ? 'fail' : 'error';
  } catch {
    return 'load-error';
  }
}
function resultOf(type, { nesting, skip, todo, details }) {
  if (skip !== undefined || todo !== undefined) return { outcome: 'not-run', message: 'skipped or todo' };
  if (type === 'test:pass') return { outcome: 'pass', message: '' };
  return { outcome: failureOf(nesting, details?.error), message: messageOf(details?.error) };
}

const BEGIN = `begin ${token}`;
const END = `end ${token}`;
const LOAD = `load ${token}`;
let isOver = false;
function record(type, event) {
  if (isOver) return;
  const { nesting, name } = event;
  const full = nesting === 0 ? name : `${names[nesting - 1]} > ${name}`;
  if (type === 'test:start') names[nesting] = full;
  else tell(full, event, resultOf(type, event));
  worst[nesting + 1] = undefined;
}
function tell(full, { nesting, name, details }, result) {
  const { outcome, message } = result;
  if ((RANKS[outcome] ?? 0) > (RANKS[worst[nesting]] ?? 0)) worst[nesting] = outcome;
  if (full === BEGIN) return;
  if (full === LOAD) emit(`{"kind":"load","message":${stringify(message)}}`);
  else if (full === END) end(result);
  else if (details?.type !== 'suite') emitTest(full, name, result, details?.duration_ms);
}
function end({ outcome, message }) {
  isOver = true;
  emit(`{"kind":"end","outcome":"${outcome}","message":${stringify(message)}}`);
  // What the file left open must not hold the results back; hooks that run last have this long.
  setTimeout(leave, 500).unref();
}

/** The stream of the runner's events is caught by its first one; from then on nothing of it can be replaced or seen by others. */
function catchEvents() {
  const { emit: plain } = events.prototype;
  events.prototype.emit = function (type, ...rest) {
    if (typeof type !== 'string' || !type.startsWith('test:')) return apply(plain, this, [type, ...rest]);
    events.prototype.emit = plain;
    const take = (kind, event) => {
      if (kind === 'test:start' || kind === 'test:pass' || kind === 'test:fail') record(kind, event);
      return true;
    };
    defineProperty(this, 'emit', { value: take });
    defineProperty(this, 'push', { value: () => true });
    return take(type, ...rest);
  };
}

/** Wrong in ways that nobody can foresee: the values are new in each run. */
function wrongCalls() {
  const half = token.length / 2;
  const one = token.slice(0, half);
  const other = token.slice(half);
  return [
    // Without a message it would parse this program for one.
    ['ok', 0, one],
    ['equal', one, other],
    ['notEqual', one, one],
    ['strictEqual', one, other],
    ['notStrictEqual', one, one],
    ['deepEqual', [one], [other]],
    ['deepStrictEqual', { one }, { one: other }],
    ['match', one, new RegExp(other)],
    ['throws', () => one],
  ];
}
const wrong = wrongCalls();

try {
  let context;
  const resources = [];
  const hook = asyncHooks
    .createHook({
      init(_id, _type, _trigger, resource) {
        resources.push(resource);
      },
    })
    .enable();
  catchEvents();
  await test(BEGIN, (own) => {
    context = own;
  });
  hook.disable();
  // The tree of tests has ended with its only test, and asks for hooks meanwhile: one of the file's must not be there yet, or it runs before the tests.
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  lock(context, resources.find((resource) => resource.name === BEGIN).constructor);
  emit('{"kind":"begin"}');
} catch (error) {
  writeSync(2, `the test runner could not be locked: ${error.stack}\n`);
  leave();
}

/** Modules of the old kind are loaded in the old way where only that knows how: as Node does where a script names none but these. */
const isOldKind = preloads.length > 0 && preloads.every(({ kind }) => kind === 'require') && !isModule(url);
function isModule(file) {
  if (!/\.[jt]sx?$/.test(file)) return /\.m[jt]s$/.test(file);
  const manifest = module.findPackageJSON(file);
  return manifest !== undefined && JSON.parse(fs.readFileSync(manifest, 'utf8')).type === 'module';
}

try {
  const require = module.createRequire(place);
  const { register } = module;
  for (let at = 0; at < preloads.length; at += 1) {
    const { kind, name } = preloads[at];
    if (kind === 'require') require(name);
    else if (kind === 'loader') register(name, place);
    else await import(import.meta.resolve(name, place));
  }
  if (isOldKind) require(fileURLToPath(url));
  else await import(url);
} catch (error) {
  test(LOAD, () => {
    throw error;
  });
}
test(END, () => {
  for (const library of [assert, assert.strict])
    for (const [name, ...values] of wrong) {
      let isNoticed = false;
      try {
        library[name](...values);
      } catch {
        isNoticed = true;
      }
      if (!isNoticed) throw new Error(`assert.${name} no longer fails`);
    }
  assert.equal(wrong[1][1], wrong[1][2]);
});
