/** What a schema found wrong, as a person reads it: a clause about the value, without the words of the validator. */
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** With `reportInput: true` at the parsing the clause says what stands there: `is "abc", and must be a number`. Our own messages are taken as they are; one that begins with `must` goes on in the same way. */
export function plainProblem(issue: Issue): string {
  const wanted = OWN_WISH.test(issue.message) ? issue.message : wantedBy(issue);
  if (wanted === undefined || !isKnown(issue.message)) return `is refused: ${issue.message}`;
  if (issue.input === undefined) return issue.code === 'invalid_type' ? 'is missing' : wanted;
  return `is ${shown(issue.input)}, and ${wanted}`;
}

/** How its own sentences begin; any other is ours. */
const VALIDATORS_OWN = /^(?:Invalid|Too small|Too big|Unrecognized)/;

/** How one of ours begins that says the same better. */
const OWN_WISH = /^must /;

const isKnown = (message: string): boolean => VALIDATORS_OWN.test(message) || OWN_WISH.test(message);

function wantedBy(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${NOUNS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${oneOf(issue.values.map(String))}`;
    case 'too_small':
      return `must ${sized(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)}`;
    case 'too_big':
      return `must ${sized(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)}`;
    case 'invalid_format':
      return issue.pattern === undefined ? `must be a ${issue.format}` : `must have the form ${issue.pattern}`;
    case 'unrecognized_keys':
      return `must not have the key ${issue.keys.map((key) => `"${key}"`).join(' or ')}`;
    default:
      return undefined;
  }
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a group of keys',
  record: 'a group of keys',
};

const UNITS: Readonly<Record<string, string>> = { string: ' characters', array: ' entries' };

function sized(origin: string, comparison: string, limit: number | bigint): string {
  return Object.hasOwn(UNITS, origin) ? `have ${comparison} ${limit}${UNITS[origin]}` : `be ${comparison} ${limit}`;
}

const LONGEST = 80;

/** Groups and lists are named by what they are: their text would hide the sentence. */
function shown(input: unknown): string {
  if (Array.isArray(input)) return 'a list';
  if (typeof input === 'object' && input !== null) return 'a group of keys';
  const text = typeof input === 'string' ? JSON.stringify(input) : String(input);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

/** `a, b or c`. */
function oneOf(names: readonly string[]): string {
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' or ');
}
