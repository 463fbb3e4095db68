/**
 * What every thread of a node:test run loads before its own code. Closes the debugger, which sees and changes everything, in the thread that
 * loads this and in those that it starts: each of them could open it for the main one. CommonJS, because a thread loads it before its own
 * code then.
 */
const inspector = require('node:inspector');
const nodeModule = require('node:module');
const threads = require('node:worker_threads');
const { pathToFileURL } = require('node:url');

const { apply, construct, defineProperty } = Reflect;
const refuse = (what) => () => {
  throw new Error(`${what} is not there for code under test`);
};
const doors = [
  [inspector.Session.prototype, 'connect'],
  [inspector.Session.prototype, 'connectToMainThread'],
  [inspector, 'open'],
  [process, '_debugProcess'],
];
for (const [owner, name] of doors) defineProperty(owner, name, { value: refuse(name) });
const { binding } = process;
defineProperty(process, 'binding', {
  value: (name) =>
    name === 'inspector' || name === 'v8' ? refuse(`the binding ${name}`)() : apply(binding, process, [name]),
});

const { Worker } = threads;
threads.Worker = new Proxy(Worker, {
  construct: (target, [file, options], kind) =>
    construct(target, [file, { ...options, execArgv: ['--require', __filename, ...(options?.execArgv ?? [])] }], kind),
});
defineProperty(Worker.prototype, 'constructor', { value: threads.Worker });

const { register } = nodeModule;
const own = pathToFileURL(__filename).href;
let isFirst = true;
nodeModule.register = (...rest) => {
  if (isFirst) apply(register, nodeModule, [own]);
  isFirst = false;
  return apply(register, nodeModule, rest);
};
nodeModule.syncBuiltinESMExports();
