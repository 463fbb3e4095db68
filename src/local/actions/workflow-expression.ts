/** `${{ }}` expressions in GitHub's own grammar (@actions/expressions), with the four status functions. */
import { data, Evaluator, type Expr, Lexer, Parser } from '@actions/expressions';
import type { FunctionDefinition } from '@actions/expressions/funcs/info';
import { truthy } from '@actions/expressions/result';

/** `skipped`: something before was skipped, so that neither success() nor failure() holds. */
export type Status = 'success' | 'failure' | 'cancelled' | 'skipped';

export interface Scope {
  readonly contexts: Readonly<Record<string, unknown>>;
  /** What success(), failure() and cancelled() answer. */
  readonly status: Status;
}

/** Replaces every `${{ }}` of a text by its value. @throws Error for an expression that does not parse. */
export function interpolate(template: string, scope: Scope): string {
  const rest = template.replaceAll(expressionPattern, '');
  if (rest.includes('${{')) throw new Error(`The expression is not closed in: ${template}`);
  return template.replaceAll(expressionPattern, (_, expression: string) => evaluate(expression, scope).coerceString());
}

/** `interpolate` for every value of a map. */
export function interpolateMap(
  templates: Readonly<Record<string, string>> | undefined,
  scope: Scope,
): Record<string, string> {
  return Object.fromEntries(Object.entries(templates ?? {}).map(([name, text]) => [name, interpolate(text, scope)]));
}

/** The verdict of an `if:`; without a status function it also needs success(), as on GitHub. */
export function conditionHolds(condition: string | number | boolean | undefined, scope: Scope): boolean {
  if (condition === undefined) return scope.status === 'success';
  const expression = bareExpression(String(condition));
  const result = truthy(evaluate(expression, scope));
  return result && (scope.status === 'success' || statusFunctionPattern.test(expression));
}

/** A flag that is a literal or one expression. */
export function flagHolds(flag: boolean | string | undefined, scope: Scope): boolean {
  return typeof flag === 'string' ? truthy(evaluate(bareExpression(flag), scope)) : flag === true;
}

/** Minutes as a literal or one expression. @throws Error when they are no positive number that a timer can hold. */
export function minutesOf(value: number | string | undefined, scope: Scope): number | undefined {
  if (value === undefined) return undefined;
  const result = typeof value === 'number' ? value : evaluate(bareExpression(value), scope).number();
  if (!(result > 0 && result <= 35_000))
    throw new Error(`timeout-minutes: "${value}" must be over 0 and at most 35000`);
  return result;
}

// A quoted string may contain braces; `''` inside one reads as two adjacent strings, which is the same here.
const expressionPattern = /\$\{\{((?:[^'}]|'[^']*'|\}(?!\}))*)\}\}/g;
const wholePattern = /^\s*\$\{\{((?:[^'}]|'[^']*'|\}(?!\}))*)\}\}\s*$/;
const statusFunctionPattern = /\b(success|failure|always|cancelled)\s*\(/i;

function bareExpression(text: string): string {
  const whole = wholePattern.exec(text)?.[1];
  if (whole === undefined && text.includes('${{')) {
    throw new Error(`"${text}" mixes text and \${{ }}, which GitHub reads as always true: wrap the whole condition`);
  }
  return whole ?? text;
}

function evaluate(expression: string, scope: Scope): data.ExpressionData {
  const functions = statusFunctions(scope.status);
  const parsed = parse(expression, Object.keys(scope.contexts), functions);
  const byName = new Map(functions.map((definition) => [definition.name, definition]));
  return new Evaluator(parsed, dictionaryOf(scope.contexts), byName).evaluate();
}

function parse(expression: string, contexts: string[], functions: FunctionDefinition[]): Expr {
  const { tokens } = new Lexer(expression).lex();
  for (const token of tokens) {
    // @actions/expressions 0.3.61 unescapes only the first '' of a string.
    if (token.lexeme.startsWith("'")) token.value = token.lexeme.slice(1, -1).replaceAll("''", "'");
  }
  return new Parser(tokens, contexts, functions).parse();
}

function statusFunctions(status: Status): FunctionDefinition[] {
  const answers = {
    success: status === 'success',
    failure: status === 'failure',
    cancelled: status === 'cancelled',
    always: true,
  };
  return Object.entries(answers).map(([name, answer]) => ({
    name,
    description: '',
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(answer),
  }));
}

function dataOf(value: unknown): data.ExpressionData {
  if (value === undefined || value === null) return new data.Null();
  if (typeof value === 'string') return new data.StringData(value);
  if (typeof value === 'number') return new data.NumberData(value);
  if (typeof value === 'boolean') return new data.BooleanData(value);
  if (Array.isArray(value)) return new data.Array(...value.map(dataOf));
  return dictionaryOf(value);
}

function dictionaryOf(value: object): data.Dictionary {
  return new data.Dictionary(...Object.entries(value).map(([key, entry]) => ({ key, value: dataOf(entry) })));
}
