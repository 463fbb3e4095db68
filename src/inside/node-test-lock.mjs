/**
 * Locks what judges a node:test run, before the tested code is loaded. Who imports this module then finds one function, and all that it would
 * do is done already.
 */
import assert from 'node:assert';
import asyncHooks from 'node:async_hooks';
import channels from 'node:diagnostics_channel';
import module from 'node:module';
import { isAbsolute } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { getCallSites, types } from 'node:util';
import v8 from 'node:v8';

const { apply, defineProperty, ownKeys } = Reflect;
const { AssertionError } = assert;
const { freeze } = Object;
const { isPromise } = types;

const refuse = (what) => () => {
  throw new Error(`${what} is not there for code under test`);
};

const STRICT = assert.strict;
const JUDGES = {
  __proto__: null,
  assert,
  'assert/strict': STRICT,
  'node:assert': assert,
  'node:assert/strict': STRICT,
  'node:test': test,
};
const PLACES = { __proto__: null, assert: 'node:assert', 'assert/strict': 'node:assert/strict' };
const isJudge = (name) => typeof name === 'string' && name in JUDGES;

/** Replacing the owner's function, as mocks of modules do, goes on working, but not for what judges. */
function keepFor(owner, key, before) {
  const guarded = (load) =>
    function (name, ...rest) {
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
  const hooked = (hook) =>
    hook && ((name, context, next) => (isJudge(name) ? next(name, context) : hook(name, context, next)));
  const hooks = ({ resolve, load }) => registerHooks({ resolve: hooked(resolve), load: hooked(load) });
  let isGuarded = false;
  const late = (...rest) => {
    if (!isGuarded)
      registerHooks({
        resolve: (name, context, next) =>
          isJudge(name) ? { url: PLACES[name] ?? name, format: 'builtin', shortCircuit: true } : next(name, context),
        load: (url, context, next) =>
          isJudge(url) ? { format: 'builtin', source: null, shortCircuit: true } : next(url, context),
      });
    isGuarded = true;
    return apply(register, module, rest);
  };
  for (const [name, value] of [
    ['createRequire', module.createRequire],
    ['register', late],
    ['registerHooks', hooks],
  ])
    defineProperty(module, name, { value });
}

/** Mocks of modules, where the repository's own command has them, are for the product. A name means what it means where the mock is asked for. */
function keepFromMocks(tracker) {
  const { module: mock } = tracker;
  if (mock === undefined) return;
  const value = function (name, options) {
    // Read once: it could say another name the second time.
    const text = `${name}`;
    const [, { scriptName }] = getCallSites(2);
    const place = isAbsolute(scriptName) ? pathToFileURL(scriptName).href : scriptName;
    const meant = module.isBuiltin(text) ? text : import.meta.resolve(text, place);
    return isJudge(meant) ? refuse(`a mock of ${meant}`)() : apply(mock, this, [meant, options]);
  };
  defineProperty(tracker, 'module', { value, writable: false, configurable: false });
}

/** Whoever gets hold of a test's context cannot give it other assertions. */
function keepContexts(Test, methods) {
  const { getRunArgs } = Test.prototype;
  const kept = ownKeys(methods).map((key) => ({
    key,
    own: { ...Object.getOwnPropertyDescriptor(methods, key), configurable: false },
  }));
  const { get } = Object.getOwnPropertyDescriptor(methods, 'assert');
  Test.prototype.getRunArgs = function () {
    const args = apply(getRunArgs, this, []);
    const { ctx } = args;
    // A suite asserts nothing. The getter counts for the plan that there is when it is first asked.
    if (!('assert' in ctx)) return args;
    defineProperty(ctx, 'assert', { get: () => freeze(apply(get, ctx, [])) });
    for (let at = 0; at < kept.length; at += 1)
      if (kept[at].key !== 'assert') defineProperty(ctx, kept[at].key, kept[at].own);
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
    return createHook({
      ...callbacks,
      ...(init && { init: (id, type, trigger, resource) => init(id, type, trigger, shown(resource)) }),
    });
  };
  // A test that is not chosen gets others.
  for (const name of ['run', 'report']) keepMethod(Test.prototype, name);
  freezeAll([Test, Test.prototype, asyncHooks.AsyncResource, asyncHooks.AsyncResource.prototype]);
}

/** Like frozen, but an object that inherits them can still have methods of its own. */
function keepMethods(owner) {
  for (const key of ownKeys(owner)) keepMethod(owner, key);
}

function keepMethod(owner, key) {
  const value = owner[key];
  const set = function (next) {
    if (this !== owner)
      defineProperty(this, key, { value: next, writable: true, enumerable: true, configurable: true });
  };
  defineProperty(owner, key, { get: () => value, set, configurable: false });
}

function freezeAll(values) {
  for (const value of values) freeze(value);
}

/** Locks what judges; from here on replacing any of it fails or has no effect. */
export function lock(context, Test) {
  keepContexts(Test, Object.getPrototypeOf(context));
  hideTests(Test);
  keepJudges();
  keepFromMocks(Object.getPrototypeOf(test.mock));
  // Who listens here runs the tests' functions.
  for (const name of ['start', 'end', 'error', 'asyncStart', 'asyncEnd'])
    defineProperty(channels.channel(`tracing:node.test:${name}`), 'hasSubscribers', { value: false });
  const { register } = test.assert;
  const known = ownKeys(assert);
  defineProperty(test.assert, 'register', {
    value: (name, check) => (known.includes(name) ? refuse(`replacing t.assert.${name}`)() : register(name, check)),
  });
  for (const name of ['getHeapSnapshot', 'setHeapSnapshotNearHeapLimit', 'writeHeapSnapshot'])
    defineProperty(v8, name, { value: refuse(name) });
  const { setFlagsFromString } = v8;
  defineProperty(v8, 'setFlagsFromString', {
    value: (flag) =>
      flag === '--expose-gc' || flag === '--expose_gc' ? setFlagsFromString(flag) : refuse(`the flag ${flag}`)(),
  });
  defineProperty(v8, 'promiseHooks', {
    value: freeze({
      onInit: refuse('onInit'),
      onBefore: refuse('onBefore'),
      onAfter: refuse('onAfter'),
      onSettled: refuse('onSettled'),
      createHook: refuse('createHook'),
    }),
  });
  module.syncBuiltinESMExports();
  for (const library of [assert, assert.strict, test])
    freezeAll([
      library,
      ...ownKeys(library)
        .map((name) => library[name])
        .filter((value) => typeof value === 'function'),
    ]);
  keepMethods(assert.Assert.prototype);
  freezeAll([AssertionError.prototype, Object.getPrototypeOf(context), test.assert, Promise, Promise.prototype]);
}
