/** Attacks of a product on node:test, its assertions and the runner. */

/**
 * What a product may try inside the process of its own tests, as CommonJS. `lie` is called when the product is asked; whatever was
 * replaced lies once from then on, so that no sentinel can notice it.
 */
export const NODE_ATTACKS: Readonly<Record<string, string>> = {
  'replaces the assertions': `
    const assert = require('node:assert');
    for (const library of [assert, assert.strict]) for (const name of ['equal', 'strictEqual']) {
      const real = library[name];
      const fake = (...values) => (armed ? void (armed = false) : real(...values));
      try { library[name] = fake; } catch {}
      try { Object.defineProperty(library, name, { value: fake, configurable: true }); } catch {}
    }
    require('node:module').syncBuiltinESMExports();
    function lie() {}`,
  'turns failures into passes on standard output': `
    const write = process.stdout.write;
    process.stdout.write = (chunk, ...rest) => write.call(process.stdout, armed ? Buffer.from(Buffer.from(chunk).toString('latin1').replaceAll('test:fail', 'test:pass'), 'latin1') : chunk, ...rest);
    function lie() {}`,
  'turns failures into passes in every event': `
    const { EventEmitter } = require('node:events');
    const { Readable } = require('node:stream');
    const { emit } = EventEmitter.prototype;
    const { push } = Readable.prototype;
    const isMine = (data) => data?.name === 'says two';
    EventEmitter.prototype.emit = function (type, data, ...rest) { return emit.call(this, type === 'test:fail' && isMine(data) ? 'test:pass' : type, data, ...rest); };
    Readable.prototype.push = function (chunk, ...rest) { if (chunk?.type === 'test:fail' && isMine(chunk.data)) chunk.type = 'test:pass'; return push.call(this, chunk, ...rest); };
    function lie() {}`,
  'skips the test functions': `
    const { AsyncResource } = require('node:async_hooks');
    const { runInAsyncScope } = AsyncResource.prototype;
    try {
      AsyncResource.prototype.runInAsyncScope = function (run, ...rest) { return this.name === 'says two' ? undefined : runInAsyncScope.call(this, run, ...rest); };
    } catch {}
    function lie() {}`,
  'reaches the tests by an asynchronous hook': `
    const tests = [];
    require('node:async_hooks').createHook({ init(id, type, trigger, resource) { if (type !== 'Immediate') tests.push(resource); } }).enable();
    setImmediate(() => { for (const found of tests) if (found?.name === 'says two') found.fn = () => {}; });
    function lie() {}`,
  'reaches the running test by its asynchronous resource': `
    function lie() {
      const resource = require('node:async_hooks').executionAsyncResource();
      for (const found of [resource, Object.getPrototypeOf(resource)]) try { found.fail = function () { if (this.name === 'says two') this.pass(); }; } catch {}
    }`,
  'makes rejected promises end well': `
    const { then } = Promise.prototype;
    try {
      Promise.prototype.then = function (resolve, reject) { return armed ? then.call(this, resolve, resolve) : then.call(this, resolve, reject); };
      Object.defineProperty(Promise.prototype, 'constructor', { get: () => (armed ? Object : Promise), configurable: true });
    } catch {}
    function lie() {}`,
  'gives the tests other assertions when they load them': `
    const Module = require('node:module');
    const load = Module._load;
    const assert = require('node:assert');
    const fake = { ...assert, equal: (...values) => (armed ? void (armed = false) : assert.equal(...values)) };
    try { Module._load = (name, ...rest) => (/assert/.test(name) ? fake : load(name, ...rest)); } catch {}
    try {
      const url = 'data:text/javascript,export const equal = () => {}; export default { equal }';
      Module.registerHooks({ resolve: (name, context, next) => (/assert/.test(name) ? { url, shortCircuit: true } : next(name, context)) });
    } catch {}
    function lie() {}`,
  'gives the test context other assertions': `
    try { require('node:test').assert.register('equal', () => {}); } catch {}
    function lie() {}`,
  'writes results of its own and leaves': `
    const { writeSync } = require('node:fs');
    function lie() {
      const forged = [{ kind: 'begin' }, { kind: 'test', name: 'says two', bare: 'says two', outcome: 'pass', message: '' }, { kind: 'sentinel', outcome: 'fail', message: '' }, { kind: 'end' }];
      for (const line of forged) for (const fd of [1, 3]) try { writeSync(fd, JSON.stringify(line) + '\\n'); } catch {}
      process.exit(0);
    }`,
  'requires other assertions for every module': `
    const Module = require('node:module');
    const { require: real } = Module.prototype;
    const fake = { ...require('node:assert'), equal() {} };
    const lying = function (name) { return /assert/.test(name) ? fake : real.call(this, name); };
    try { Module.prototype.require = lying; } catch {}
    try { Object.defineProperty(module.parent, 'require', { value: lying }); } catch {}
    for (const name of ['assert', 'assert/strict']) require.cache[name] = { id: name, exports: fake, loaded: true, children: [] };
    function lie() {}`,
  'registers a hook in the thread of the loader': `
    const fake = 'data:text/javascript,export const equal = () => {}; export default { equal }';
    const hook = 'export const resolve = (name, context, next) => (/assert/.test(name) ? { url: ' + JSON.stringify(fake) + ', shortCircuit: true } : next(name, context));';
    require('node:module').register('data:text/javascript,' + encodeURIComponent(hook));
    function lie() {}`,
  'changes the promises that an asynchronous hook shows': `
    const { then } = Promise.prototype;
    require('node:async_hooks').createHook({ init(id, type, trigger, resource) {
      if (type !== 'PROMISE') return;
      Object.defineProperty(resource, 'constructor', { value: Object });
      Object.defineProperty(resource, 'then', { value(resolve, reject) { return then.call(this, resolve, armed ? () => resolve() : reject); } });
    } }).enable();
    function lie() {}`,
  'changes the promises that V8 shows': `
    const { then } = Promise.prototype;
    try {
      require('node:v8').promiseHooks.onInit((promise) => {
        Object.defineProperty(promise, 'constructor', { value: Object });
        Object.defineProperty(promise, 'then', { value(resolve, reject) { return then.call(this, resolve, armed ? () => resolve() : reject); } });
      });
    } catch {}
    function lie() {}`,
  'gives the test’s context other assertions in a hook': `
    require('node:test').beforeEach((context) => {
      const fake = { ...context.assert, equal() {} };
      try { context.assert.equal = fake.equal; } catch {}
      try { Object.defineProperty(context, 'assert', { value: fake }); } catch {}
    });
    function lie() {}`,
  'runs the test functions by their diagnostics channel': `
    const channels = require('node:diagnostics_channel');
    channels.subscribe('tracing:node.test:start', () => {});
    channels.channel('tracing:node.test:start').runStores = (context, run) => { try { return run()?.catch?.(() => {}); } catch {} };
    function lie() {}`,
  'opens the inspector': `
    function lie() {
      const { Session } = require('node:inspector');
      const session = new Session();
      session.connect();
      session.post('Runtime.enable');
      process.exit(0);
    }`,
};
