/** The program that runs one node:test file and reports over file descriptor 3; kept as text, so that the job stays one file. */

/**
 * The tested code shares the process and could change all that judges it: so what node:test and the assertions depend on is locked
 * before it is loaded, results are taken where they arise, and each line is sealed with a key that only this module holds. The last
 * test must fail by assertion, and notices when that was not enough. Reads `{key, token, url, program}` from standard input.
 */
export const NODE_RUNNER = String.raw`import assert from 'node:assert';
import asyncHooks from 'node:async_hooks';
import crypto from 'node:crypto';
import channels from 'node:diagnostics_channel';
import events from 'node:events';
import fs from 'node:fs';
import module from 'node:module';
import test from 'node:test';
import { types } from 'node:util';
import v8 from 'node:v8';
import './thread.cjs';

// Nothing below looks up a method of a prototype after the file is loaded: it could be another by then.
const { apply, defineProperty, ownKeys } = Reflect;
const { create, freeze } = Object;
const { hash } = crypto;
const { isPromise } = types;
const { writeSync } = fs;
const { from } = Buffer;
const { stringify } = JSON;
const { AssertionError } = assert;
const { setTimeout, process: { exit } } = globalThis;
const leave = () => apply(exit, process, [0]);
const cut = ((slice) => (text) => apply(slice, text, [0, 2000]))(String.prototype.slice);
const { key, token, url, program } = JSON.parse(fs.readFileSync(0, 'utf8'));
// What tests start is a Node like any other.
process.execPath = program;

let position = 0;
function emit(text) {
  const bytes = from(hash('sha3-256', key + ' ' + position + ' ' + text) + ' ' + text + '\n');
  position += 1;
  for (let at = 0; at < bytes.length; ) at += writeSync(3, bytes, at);
}
function emitTest(name, bare, { outcome, message }) {
  emit('{"kind":"test","name":' + stringify(name) + ',"bare":' + stringify(bare) + ',"outcome":"' + outcome + '","message":' + stringify(message) + '}');
}

const isAssertion = (error) => error instanceof AssertionError || error?.code === 'ERR_ASSERTION' || error?.name === 'AssertionError';
function messageOf(error) {
  try {
    const cause = error?.cause ?? error;
    return cut(cause !== null && typeof cause === 'object' && 'message' in cause ? cause.name + ': ' + cause.message : '' + cause);
  } catch {
    return 'the error cannot be read';
  }
}

/** By nesting: the name with its parents, and the worst failure among the children. */
const names = create(null);
const worst = create(null);
function failureOf(nesting, error) {
  try {
    if (error?.failureType === 'subtestsFailed') return worst[nesting + 1] ?? 'load-error';
    return error?.failureType === 'testCodeFailure' && isAssertion(error.cause) ? 'fail' : 'load-error';
  } catch {
    return 'load-error';
  }
}
function resultOf(type, { nesting, skip, todo, details }) {
  if (skip !== undefined || todo !== undefined) return { outcome: 'not-run', message: 'skipped or todo' };
  if (type === 'test:pass') return { outcome: 'pass', message: '' };
  return { outcome: failureOf(nesting, details?.error), message: messageOf(details?.error) };
}

const BEGIN = 'begin ' + token;
const END = 'end ' + token;
const LOAD = 'load ' + token;
let isOver = false;
function record(type, event) {
  if (isOver) return;
  const { nesting, name } = event;
  if (type === 'test:start') {
    names[nesting] = nesting === 0 ? name : names[nesting - 1] + ' > ' + name;
    worst[nesting + 1] = undefined;
  } else {
    const result = resultOf(type, event);
    if (result.outcome === 'load-error' || (result.outcome === 'fail' && worst[nesting] !== 'load-error')) worst[nesting] = result.outcome;
    const full = nesting === 0 ? name : names[nesting - 1] + ' > ' + name;
    worst[nesting + 1] = undefined;
    if (full === BEGIN) return;
    if (full === LOAD) emit('{"kind":"load","message":' + stringify(result.message) + '}');
    else if (full === END) end(result);
    else if (event.details?.type !== 'suite') emitTest(full, name, result);
  }
}
function end({ outcome, message }) {
  isOver = true;
  emit('{"kind":"end","outcome":"' + outcome + '","message":' + stringify(message) + '}');
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

const refuse = (what) => () => {
  throw new Error(what + ' is not there for code under test');
};

const STRICT = assert.strict;
const JUDGES = { __proto__: null, assert, 'assert/strict': STRICT, 'node:assert': assert, 'node:assert/strict': STRICT, 'node:test': test };
const PLACES = { __proto__: null, assert: 'node:assert', 'assert/strict': 'node:assert/strict' };
const isJudge = (name) => typeof name === 'string' && name in JUDGES;

/** Replacing the owner's function, as mocks of modules do, goes on working, but not for what judges. */
function keepFor(owner, key, before) {
  const guarded = (load) => function (name, ...rest) {
    before?.(rest[0]);
    return isJudge(name) ? JUDGES[name] : apply(load, this, [name, ...rest]);
  };
  let current = guarded(owner[key]);
  const set = function (next) {
    if (this === owner) current = guarded(next);
    else defineProperty(this, key, { value: next, writable: true, configurable: true });
  };
  defineProperty(owner, key, { get: () => current, set });
}

function keepJudges() {
  const { register, registerHooks } = module;
  keepFor(module.prototype, 'require');
  // A module keeps its way to require from its first call on: before what it requires could give it another.
  keepFor(module, '_load', (parent) => {
    if (parent instanceof module) defineProperty(parent, 'require', { value: parent.require, configurable: false });
  });
  const hooked = (hook) => hook && ((name, context, next) => (isJudge(name) ? next(name, context) : hook(name, context, next)));
  const hooks = ({ resolve, load }) => registerHooks({ resolve: hooked(resolve), load: hooked(load) });
  let isGuarded = false;
  const late = (...rest) => {
    if (!isGuarded) registerHooks({
      resolve: (name, context, next) => (isJudge(name) ? { url: PLACES[name] ?? name, format: 'builtin', shortCircuit: true } : next(name, context)),
      load: (url, context, next) => (isJudge(url) ? { format: 'builtin', source: null, shortCircuit: true } : next(url, context)),
    });
    isGuarded = true;
    return apply(register, module, rest);
  };
  for (const [name, value] of [['createRequire', module.createRequire], ['register', late], ['registerHooks', hooks]]) defineProperty(module, name, { value });
}

/** Whoever gets hold of a test's context cannot give it other assertions. */
function keepContexts(Test, methods) {
  const { getRunArgs } = Test.prototype;
  const kept = ownKeys(methods).map((key) => ({ key, own: { ...Object.getOwnPropertyDescriptor(methods, key), configurable: false } }));
  const { get } = Object.getOwnPropertyDescriptor(methods, 'assert');
  Test.prototype.getRunArgs = function () {
    const args = apply(getRunArgs, this, []);
    const { ctx } = args;
    // A suite asserts nothing. The getter counts for the plan that there is when it is first asked.
    if (!('assert' in ctx)) return args;
    defineProperty(ctx, 'assert', { get: () => freeze(apply(get, ctx, [])) });
    for (let at = 0; at < kept.length; at += 1) if (kept[at].key !== 'assert') defineProperty(ctx, kept[at].key, kept[at].own);
    return args;
  };
}

/** What a test is, as node:test has it, is nobody's business, and neither are the promises that it waits for. */
function hideTests(Test) {
  const { createHook, executionAsyncResource } = asyncHooks;
  const standIns = new WeakMap();
  const { get, set } = standIns;
  const shown = (resource) => {
    if (!(resource instanceof Test || isPromise(resource))) return resource;
    if (apply(get, standIns, [resource]) === undefined) apply(set, standIns, [resource, {}]);
    return apply(get, standIns, [resource]);
  };
  asyncHooks.executionAsyncResource = () => shown(executionAsyncResource());
  asyncHooks.createHook = (callbacks) => {
    const { init } = callbacks;
    return createHook({ ...callbacks, ...(init && { init: (id, type, trigger, resource) => init(id, type, trigger, shown(resource)) }) });
  };
  freezeAll([Test, Test.prototype, asyncHooks.AsyncResource, asyncHooks.AsyncResource.prototype]);
}

/** Like frozen, but an object that inherits them can still have methods of its own. */
function keepMethods(owner) {
  for (const key of ownKeys(owner)) {
    const value = owner[key];
    const set = function (next) {
      if (this !== owner) defineProperty(this, key, { value: next, writable: true, enumerable: true, configurable: true });
    };
    defineProperty(owner, key, { get: () => value, set, configurable: false });
  }
}

function freezeAll(values) {
  for (const value of values) freeze(value);
}

/** Locks what judges; from here on replacing any of it fails or has no effect. */
function lock(context, Test) {
  keepContexts(Test, Object.getPrototypeOf(context));
  hideTests(Test);
  keepJudges();
  // Who listens here runs the tests' functions.
  for (const name of ['start', 'end', 'error', 'asyncStart', 'asyncEnd']) defineProperty(channels.channel('tracing:node.test:' + name), 'hasSubscribers', { value: false });
  const { register } = test.assert;
  const known = ownKeys(assert);
  defineProperty(test.assert, 'register', { value: (name, check) => (known.includes(name) ? refuse('replacing t.assert.' + name)() : register(name, check)) });
  for (const name of ['getHeapSnapshot', 'setHeapSnapshotNearHeapLimit', 'writeHeapSnapshot']) defineProperty(v8, name, { value: refuse(name) });
  const { setFlagsFromString } = v8;
  defineProperty(v8, 'setFlagsFromString', { value: (flag) => (flag === '--expose-gc' || flag === '--expose_gc' ? setFlagsFromString(flag) : refuse('the flag ' + flag)()) });
  defineProperty(v8, 'promiseHooks', { value: freeze({ onInit: refuse('onInit'), onBefore: refuse('onBefore'), onAfter: refuse('onAfter'), onSettled: refuse('onSettled'), createHook: refuse('createHook') }) });
  module.syncBuiltinESMExports();
  for (const library of [assert, assert.strict, test]) freezeAll([library, ...ownKeys(library).map((name) => library[name]).filter((value) => typeof value === 'function')]);
  keepMethods(assert.Assert.prototype);
  freezeAll([AssertionError.prototype, Object.getPrototypeOf(context), test.assert, Promise, Promise.prototype]);
}

/** Wrong in ways that nobody can foresee: the values are new in each run. */
function wrongCalls() {
  const half = token.length / 2;
  const one = token.slice(0, half);
  const other = token.slice(half);
  return [['ok', 0], ['equal', one, other], ['notEqual', one, one], ['strictEqual', one, other], ['notStrictEqual', one, one], ['deepEqual', [one], [other]], ['deepStrictEqual', { one }, { one: other }], ['match', one, new RegExp(other)], ['throws', () => one]];
}
const wrong = wrongCalls();

try {
  let context;
  const resources = [];
  const hook = asyncHooks.createHook({ init(id, type, trigger, resource) { resources.push(resource); } }).enable();
  catchEvents();
  await test(BEGIN, (own) => { context = own; });
  hook.disable();
  lock(context, resources.find((resource) => resource.name === BEGIN).constructor);
  emit('{"kind":"begin"}');
} catch (error) {
  writeSync(2, 'the test runner could not be locked: ' + error.stack + '\n');
  leave();
}

try {
  await import(url);
} catch (error) {
  test(LOAD, () => { throw error; });
}
test(END, () => {
  for (const library of [assert, assert.strict]) for (const [name, ...values] of wrong) {
    let isNoticed = false;
    try { library[name](...values); } catch { isNoticed = true; }
    if (!isNoticed) throw new Error('assert.' + name + ' no longer fails');
  }
  assert.equal(wrong[1][1], wrong[1][2]);
});
`;
