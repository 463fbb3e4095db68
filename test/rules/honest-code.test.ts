/** What honest programs do that only looks like tampering, and its neighbours that are none of it. */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadRules, type RulesIn } from './rules-in.ts';

let rulesIn: RulesIn;
beforeAll(async () => {
  rulesIn = await loadRules();
});

describe('a polyfill that adds what is missing', () => {
  it.each([
    'Promise.withResolvers ??= own;',
    'Object.hasOwn ||= own;',
    'if (!Array.prototype.at) Array.prototype.at = own;',
    'if (!Array.prototype.at) {\n  Array.prototype.at = function at(index) { return this[index]; };\n}',
    "if (typeof Object.hasOwn !== 'function') Object.hasOwn = own;",
    'if (typeof Object.hasOwn === "undefined") { Object.hasOwn = own; }',
    'if (Object.hasOwn === undefined) Object.hasOwn = own;',
    'if (Object.hasOwn == null) Object.hasOwn = own;',
    "if (!('at' in Array.prototype)) Array.prototype.at = own;",
    "if (!Array.prototype.at) Object.defineProperty(Array.prototype, 'at', { value: own });",
    'Array.prototype.at = Array.prototype.at || own;',
    'Array.prototype.at || (Array.prototype.at = own);',
    'if (!Array.prototype.at) {\n  const own = make();\n  Array.prototype.at = own;\n}',
  ])('breaks nothing: %j', (text) => {
    expect(rulesIn(text, 'lib/a.js')).toEqual([]);
  });

  it.each([
    'Object.prototype.toJSON ??= own;',
    'Object.prototype.then ||= own;',
    'require.cache[path] ??= own;',
    'Module._load ??= own;',
    'assert.equal ??= own;',
    "Array.prototype['toJ' + 'SON'] ??= own;",
    'if (!Array.prototype.flat) Array.prototype.at = own;',
    'if (Array.prototype.at) Array.prototype.at = own;',
    "if (typeof Object.hasOwn === 'function') Object.hasOwn = own;",
    "if (Object.hasOwn !== 'function') Object.hasOwn = own;",
    'if (!Object.hasOwn) later(); else Object.hasOwn = own;',
    'if (!Object.hasOwn || true) Object.hasOwn = own;',
    'if (!Object.hasOwn) { Object.hasOwn = own; Object.is = own; }',
    'if (!Object.prototype.toJSON) Object.prototype.toJSON = own;',
    "if (!Array.prototype.at) Object.defineProperty(Array.prototype, 'map', { value: own });",
    "if (!('map' in Array)) Array.prototype.map = own;",
    'Array.prototype.at = Array.prototype.flat || own;',
    'Array.prototype.at && (Array.prototype.at = own);',
  ])('is none where it does more: %j', (text) => {
    expect(rulesIn(text, 'lib/a.cjs')).toEqual(['judge-tampering']);
  });
});

describe('names that are also those of a judge', () => {
  it.each([
    ['this._extensions = [];', 'lib/a.js'],
    ['const all = registry._extensions;', 'lib/a.js'],
    ["const names = ['_extensions'];", 'lib/a.js'],
    ["const isInspector = role === 'inspector';", 'lib/a.js'],
    ["show('inspector');", 'lib/a.js'],
    ["Object.defineProperty(Command.prototype, 'version', {});", 'lib/a.js'],
    ["import { Command } from './command.js';\nObject.defineProperty(Command.prototype, 'version', {});", 'lib/a.js'],
    ['cluster.workers[1].process.emit = own;', 'lib/a.js'],
    ['this.process.exit = stop;', 'lib/a.js'],
    ['app.json.sort_keys = False', 'shop/a.py'],
    ['self.app.json.sort_keys = False', 'shop/a.py'],
    ['result.warnings.count = 3', 'shop/a.py'],
    ['def copy(memset):\n    return memset', 'shop/a.py'],
    ['memset = {1: 2}\nfor one in memset:\n    show(one)', 'shop/a.py'],
    ['def send(from_address, to_address):\n    return from_address', 'shop/a.py'],
    ['message.from_address = row["from_address"]', 'shop/a.py'],
  ])('break nothing: %j in %s', (text, file) => {
    expect(rulesIn(text, file)).toEqual([]);
  });

  it.each([
    ["require('module')._extensions['.js'] = own;", 'lib/a.cjs'],
    ["require.extensions = 1; require._extensions['.js'] = own;", 'lib/a.cjs'],
    ["process.getBuiltinModule('module')._extensions;", 'lib/a.js'],
    ["import { createRequire } from 'node:module';\ncreateRequire(here).cache[path] = own;", 'lib/a.js'],
    ["process.binding('inspector');", 'lib/a.js'],
    ["import 'inspector';", 'lib/a.js'],
    ["await import('inspector');", 'lib/a.js'],
    ["Object.defineProperty(Date.prototype, 'getTime', {});", 'lib/a.js'],
    ['process.exit = own;', 'lib/a.js'],
    ['globalThis.process.exit = own;', 'lib/a.js'],
    ['globalThis.expect = own;', 'lib/a.js'],
    ['global.jest = own;', 'lib/a.cjs'],
    ["require('process').exit = own;", 'lib/a.cjs'],
    ['import ctypes as c\nc.memset(1, 0, 4)', 'shop/a.py'],
    ['from ctypes import memset\nmemset(1, 0, 4)', 'shop/a.py'],
    ['from ctypes import *\nmemset(1, 0, 4)', 'shop/a.py'],
    ["lib = __import__('ctypes')\nlib.memset(1, 0, 4)", 'shop/a.py'],
    ['from ctypes import c_char\ntaken = (c_char * 8).from_address(place)', 'shop/a.py'],
  ])('are a judge’s in %j of %s', (text, file) => {
    expect(rulesIn(text, file)).toEqual(['judge-tampering']);
  });
});

describe('what tests and libraries do to themselves', () => {
  it.each([
    ['saved = sys.gettrace()\ntry:\n    sys.settrace(None)\n    run()\nfinally:\n    sys.settrace(saved)', 'shop/a.py'],
    ["count = len(os.listdir('/proc/self/fd'))", 'shop/a.py'],
    ["registry = frame.f_globals.get('__warningregistry__')", 'shop/a.py'],
    ["isOfTests = frame.f_globals.get('__unittest')", 'shop/a.py'],
    ['co = func.__code__\nfunc.__code__ = co.replace(co_flags=co.co_flags | 256)', 'shop/a.py'],
    ["import * as v8 from 'node:v8';\nv8.setFlagsFromString('--expose-gc');", 'lib/a.js'],
    ['class Always:\n    def __eq__(self, other):\n        return True', 'tests/test_a.py'],
  ])('breaks nothing: %j in %s', (text, file) => {
    expect(rulesIn(text, file)).toEqual([]);
  });

  it.each([
    ['sys.settrace(None)', 'shop/a.py'],
    ['saved = sys.getprofile()\nsys.settrace(None)\nsys.setprofile(saved)', 'shop/a.py'],
    ["open('/proc/self/fd/3')", 'shop/a.py'],
    ["names = frame.f_globals.get('__builtins__')", 'shop/a.py'],
    ['func.__code__ = func.__code__.replace(co_consts=fake)', 'shop/a.py'],
    ['other.__code__ = func.__code__.replace(co_flags=0)', 'shop/a.py'],
    ["v8.setFlagsFromString('--allow-natives-syntax');", 'lib/a.js'],
  ])('is none of it: %j in %s', (text, file) => {
    expect(rulesIn(text, file)).toEqual(['judge-tampering']);
  });
});

describe('the prototype of an error', () => {
  it('that the file declares is its own', () => {
    const text =
      "class HttpError extends Error {}\nObject.defineProperty(HttpError.prototype, 'name', { value: 'HttpError' });\n";
    expect(rulesIn(text, 'lib/a.js')).toEqual([]);
  });

  it.each([
    "Object.defineProperty(HttpError.prototype, 'name', {});",
    "// class HttpError\nObject.defineProperty(HttpError.prototype, 'name', {});",
    "const text = 'class HttpError';\nObject.defineProperty(HttpError.prototype, 'name', {});",
    "class AssertionError {}\nObject.defineProperty(AssertionError.prototype, 'message', {});",
    "class TypeError {}\nObject.defineProperty(TypeError.prototype, 'message', {});",
  ])('that it does not, or that everybody has, is not: %j', (text) => {
    expect(rulesIn(text, 'lib/a.js')).toEqual(['judge-tampering']);
  });
});
