/** Reads what a conftest.py gains: fixtures, imports, helpers and constants, which by themselves change no test. Pure. */
import type { Node } from '../syntax/language.ts';
import { at } from './python-nodes.ts';
import { named } from './tree-rule.ts';

export interface AlreadyThere {
  /** Texts of what pytest loads on the base. */
  readonly conftests: readonly string[];
  /** What is changed beside tests, one text. */
  readonly product: string;
}

/** Fixtures that pytest has. */
const OWN =
  /^(?:request|cache|monkeypatch|recwarn|caplog|cap(?:fd|sys|tee)\w*|tmp_?(?:path|dir)(?:_factory)?|pytestconfig|pytester|testdir|doctest_namespace|record_\w+|subtests)$/;
/** Code in what is read when the function is made, not when it is called. */
const CODE = [
  ...['call', 'lambda', 'named_expression', 'await', 'list_comprehension', 'generator_expression'],
  ...['dictionary_comprehension', 'set_comprehension', 'default_parameter', 'typed_default_parameter', 'interpolation'],
];

export function isText(node: Node): boolean {
  const [only, ...more] = node.type === 'expression_statement' ? named(node) : [];
  return only?.type === 'string' && more.length === 0 && only.descendantsOfType('interpolation').length === 0;
}

/** An import that brings no hook, and no fixture that would work unasked. */
export function isImportOnly(node: Node, there: AlreadyThere): boolean {
  if (node.type === 'future_import_statement') return true;
  if (node.type === 'import_statement')
    return named(node).every((part) => PYTEST.test(part.text) || isNewName(boundBy(part), there));
  if (node.type !== 'import_from_statement' || /\bpytest\b|fixture/.test(there.product)) return false;
  const parts = named(node).slice(1);
  return parts.every((part) => part.type !== 'wildcard_import' && isNewName(boundBy(part), there));
}

/** `a.b` binds `a`, and `a.b as c` binds `c`. */
function boundBy(part: Node): string {
  return at(part, 'alias')?.text ?? part.text.split('.')[0] ?? '';
}

/** What makes fixtures; another module may not have its name. */
const PYTEST = /^pytest(?:_asyncio)?$/;

function isNewName(name: string, there: AlreadyThere): boolean {
  return !/^pytest(?:_|mark$|$)/.test(name) && !isTaken(name, there);
}

function isTaken(name: string, { conftests }: AlreadyThere): boolean {
  return OWN.test(name) || conftests.some((text) => new RegExp(`\\bdef +${name}\\b|"${name}"|'${name}'`).test(text));
}

/** A fixture that a test has to ask for, by a name that is new. */
export function isFixtureOnly(node: Node, there: AlreadyThere): boolean {
  const name = fixtureName(node);
  return name !== undefined && isNewName(name, there);
}

/** A function that somebody has to call, or a constant that somebody has to name, where nothing that is there does. */
export function isHelperOnly(node: Node, there: AlreadyThere): boolean {
  const name = node.type === 'function_definition' ? helperName(node) : constantName(node);
  return name !== undefined && isNewName(name, there) && !isNamedIn(name, there);
}

function helperName(made: Node): string | undefined {
  return hasPlainHead(made) ? at(made, 'name')?.text : undefined;
}

function constantName(node: Node): string | undefined {
  const [set, ...more] = node.type === 'expression_statement' ? named(node) : [];
  const [name, value] = set?.type === 'assignment' ? [at(set, 'left'), at(set, 'right')] : [];
  const isConstant = more.length === 0 && name?.type === 'identifier' && value !== undefined && isPlain(value);
  return isConstant ? name.text : undefined;
}

/** What pytest reads in a conftest.py, or Python of a module. */
const READ = /^(?:collect_ignore|test|__)/i;

function isNamedIn(name: string, { conftests }: AlreadyThere): boolean {
  return READ.test(name) || conftests.some((text) => new RegExp(`\\b${name}\\b`).test(text));
}

/** The same one, made anew: only what its function does, and asks for, is another. */
export function isSameFixture(before: Node, after: Node): boolean {
  const name = fixtureName(before);
  const isSame = name !== undefined && name === fixtureName(after) && !/^pytest_/.test(name);
  return isSame && named(before)[0]?.text === named(after)[0]?.text;
}

/** Of a fixture that a test has to ask for, and in whose head no code runs. */
export function fixtureName(node: Node): string | undefined {
  if (node.type !== 'decorated_definition') return undefined;
  const [decorator, made, ...more] = named(node);
  if (decorator?.type !== 'decorator' || made?.type !== 'function_definition' || more.length > 0) return undefined;
  return isFixture(decorator) && hasPlainHead(made) ? at(made, 'name')?.text : undefined;
}

/** No code runs where the function is made. */
function hasPlainHead(made: Node): boolean {
  return [at(made, 'parameters'), at(made, 'return_type')].every((part) => part === undefined || isPlain(part));
}

/** `@pytest.fixture`, also with a scope and values. */
function isFixture(decorator: Node): boolean {
  const [what] = named(decorator);
  if (what === undefined) return false;
  if (what.type !== 'call') return FIXTURE.test(what.text);
  const list = at(what, 'arguments');
  return (
    FIXTURE.test(at(what, 'function')?.text ?? '') && list?.type === 'argument_list' && named(list).every(isOption)
  );
}

const FIXTURE = /^(?:pytest|pytest_asyncio)\.fixture$/;

function isOption(node: Node): boolean {
  const value = at(node, 'value');
  const isKnown = node.type === 'keyword_argument' && /^(?:scope|params|ids)$/.test(at(node, 'name')?.text ?? '');
  return isKnown && value !== undefined && isPlain(value);
}

function isPlain(node: Node): boolean {
  return !CODE.includes(node.type) && node.descendantsOfType(CODE).length === 0;
}
