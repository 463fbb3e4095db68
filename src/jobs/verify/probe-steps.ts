/** Performs one acceptance step against the product and says what differs from the expectation. */
import { isDeepStrictEqual } from 'node:util';
import { execa } from 'execa';
import { parseHTML } from 'linkedom';
import { z } from 'zod';
import type { Step } from '../../documents/step.ts';
import { parseJson } from '../report/json.ts';

export interface StepContext {
  /** Where the product answers; undefined for surfaces that start nothing, or when it is not there. */
  readonly origin: string | undefined;
  /** Why it is not there. */
  readonly problem: string | undefined;
  readonly stepMs: number;
}

export interface StepResult {
  /** What was done, in a few words. */
  readonly detail: string;
  /** What was not as expected; empty when the step passed. */
  readonly problems: readonly string[];
}

type StepOf<Type extends Step['type']> = Extract<Step, { type: Type }>;

/** Performs the step; whatever cannot be performed is a problem, never a pass. */
export async function performStep(step: Step, context: StepContext): Promise<StepResult> {
  try {
    return await perform(step, context);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const reason = error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
    return { detail: step.type, problems: [`could not be performed: ${reason}`] };
  }
}

function perform(step: Step, context: StepContext): Promise<StepResult> {
  switch (step.type) {
    case 'http':
      return performHttp(step, context);
    case 'page':
      return performPage(step, context);
    case 'cli':
      return performCli(step, context);
    case 'call':
      return performCall(step, context);
  }
}

async function performHttp(step: StepOf<'http'>, context: StepContext): Promise<StepResult> {
  const { method, path, headers, body, expected } = step;
  const response = await fetch(originOf(context) + path, {
    method,
    headers: headers.map(({ name, value }): [string, string] => [name, value]),
    ...(body === null ? {} : { body }),
    redirect: 'manual',
    signal: AbortSignal.timeout(context.stepMs),
  });
  const text = await response.text();
  const seen = `status ${response.status}, body ${shown(text)}`;
  return {
    detail: `${method} ${path}`,
    problems: [
      ...(response.status === expected.status ? [] : [`expected status ${expected.status}, actual ${seen}`]),
      ...missingTexts(expected.contains, text, 'the body'),
      ...expected.json.flatMap(({ pointer, equals }) => jsonProblem(text, pointer, equals)),
    ],
  };
}

function jsonProblem(text: string, pointer: string, equals: string): readonly string[] {
  const wanted = parseJson(equals);
  if (wanted === undefined) return [`the expected value ${shown(equals)} is not JSON`];
  const body = parseJson(text);
  if (body === undefined) return [`expected JSON, actual ${shown(text)}`];
  const actual = valueAt(body, pointer);
  return isDeepStrictEqual(actual, wanted)
    ? []
    : [`expected ${shown(equals)} at ${JSON.stringify(pointer)}, actual ${shown(JSON.stringify(actual) ?? 'nothing')}`];
}

/** The value under a JSON pointer (RFC 6901); undefined when there is none. */
export function valueAt(value: unknown, pointer: string): unknown {
  const keys = pointer.split('/').slice(1);
  return keys.reduce<unknown>((inside, key) => {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    const members = z.record(z.string(), z.unknown()).or(z.array(z.unknown())).safeParse(inside).data;
    if (members === undefined || !Object.hasOwn(members, name)) return undefined;
    return new Map<string, unknown>(Object.entries(members)).get(name);
  }, value);
}

async function performPage({ path, expected }: StepOf<'page'>, context: StepContext): Promise<StepResult> {
  const response = await fetch(originOf(context) + path, { signal: AbortSignal.timeout(context.stepMs) });
  const html = await response.text();
  const element = parseHTML(html).document.querySelector(expected.selector);
  const text = element?.textContent ?? '';
  const status = response.status === 200 ? [] : [`expected status 200, actual ${response.status}`];
  const found = element === null ? [`nothing matches ${expected.selector}; the page is ${shown(html)}`] : [];
  return {
    detail: `page ${path} (HTML as served, no scripts run)`,
    problems: [
      ...status,
      ...found,
      ...(element === null ? [] : missingTexts([expected.contains], text, expected.selector)),
    ],
  };
}

async function performCli(step: StepOf<'cli'>, { stepMs }: StepContext): Promise<StepResult> {
  const [program = '', ...rest] = step.arguments;
  const options = { reject: false, timeout: stepMs, stripFinalNewline: false, input: step.stdin ?? '' } as const;
  const result = await execa(program, rest, options);
  const ending = result.timedOut ? `no end within ${stepMs} ms` : String(result.exitCode ?? result.shortMessage);
  const said = result.stderr === '' ? '' : `, standard error ${shown(result.stderr)}`;
  const { exitCode, contains, equals, matches, stderr } = step.expected;
  const actual = shown(JSON.stringify(result.stdout));
  const same = equals === null || result.stdout === equals || result.stdout === `${equals}\n`;
  return {
    detail: `command ${step.arguments.join(' ')}`,
    problems: [
      ...(result.exitCode === exitCode ? [] : [`expected exit code ${exitCode}, actual ${ending}${said}`]),
      ...missingTexts(contains, result.stdout, 'standard output'),
      ...(same ? [] : [`expected exactly ${shown(JSON.stringify(equals))} as standard output, actual ${actual}`]),
      ...matches
        .filter((pattern) => !new RegExp(pattern, 'm').test(result.stdout))
        .map((pattern) => `nothing in standard output matches /${pattern}/m, actual ${actual}`),
      ...missingTexts(stderr, result.stderr, 'standard error'),
    ],
  };
}

/** In a process of its own: the called code must not be where results are written. */
const CALLERS = {
  node: [
    'node',
    '--input-type=module',
    '-e',
    `import { writeSync } from 'node:fs'; import { resolve } from 'node:path'; import { pathToFileURL } from 'node:url';
const { module, name, values } = JSON.parse(process.argv[1]);
const loaded = await import(pathToFileURL(resolve(module)).href);
const called = loaded[name] ?? loaded.default?.[name];
const answer = typeof called === 'function' ? { value: (await called(...values)) ?? null } : { error: name + ' is not exported' };
writeSync(3, JSON.stringify(answer)); process.exit(0);`,
  ],
  python: [
    'python3',
    '-c',
    `import importlib.util, json, os, sys
request = json.loads(sys.argv[1])
sys.path.insert(0, os.getcwd())
spec = importlib.util.spec_from_file_location(os.path.splitext(request["module"])[0].replace("/", "."), request["module"])
module = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = module
spec.loader.exec_module(module)
called = getattr(module, request["name"], None)
answer = {"value": called(*request["values"])} if callable(called) else {"error": request["name"] + " is not defined"}
os.write(3, json.dumps(answer).encode())`,
  ],
} as const;
const CALLER_BY_EXTENSION: Readonly<Record<string, keyof typeof CALLERS>> = {
  js: 'node',
  mjs: 'node',
  cjs: 'node',
  ts: 'node',
  mts: 'node',
  py: 'python',
};
const callAnswer = z.union([z.strictObject({ value: z.unknown() }), z.strictObject({ error: z.string() })]);

async function performCall(step: StepOf<'call'>, { stepMs }: StepContext): Promise<StepResult> {
  const detail = `call ${step.function}(${shown(step.arguments)}) of ${step.module}`;
  const caller = CALLER_BY_EXTENSION[step.module.split('.').at(-1) ?? ''];
  if (caller === undefined) return { detail, problems: [`${step.module} is neither a JavaScript nor a Python file`] };
  const values = z.array(z.unknown()).safeParse(parseJson(step.arguments));
  const wanted = parseJson(step.expected.equals);
  if (!values.success || wanted === undefined) {
    return { detail, problems: ['its arguments must be a JSON array and its expected value JSON'] };
  }
  const [program, ...rest] = CALLERS[caller];
  const request = JSON.stringify({ module: step.module, name: step.function, values: values.data });
  const result = await execa(program, [...rest, request], {
    reject: false,
    timeout: stepMs,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const answer = callAnswer.safeParse(parseJson(String(result.stdio[3] ?? '')));
  if (!answer.success)
    return { detail, problems: [`no result: ${shown(result.stderr || String(result.shortMessage))}`] };
  if ('error' in answer.data) return { detail, problems: [answer.data.error] };
  const actual = answer.data.value;
  const isEqual = isDeepStrictEqual(actual, wanted);
  return {
    detail,
    problems: isEqual ? [] : [`expected ${shown(step.expected.equals)}, actual ${shown(JSON.stringify(actual))}`],
  };
}

function originOf({ origin, problem }: StepContext): string {
  if (origin === undefined) throw new Error(problem ?? 'no product is started for this surface');
  return origin;
}

function missingTexts(texts: readonly string[], inside: string, where: string): readonly string[] {
  return texts
    .filter((text) => !inside.includes(text))
    .map((text) => `expected ${JSON.stringify(text)} in ${where}, actual ${shown(inside)}`);
}

function shown(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length} characters)` : text;
}
