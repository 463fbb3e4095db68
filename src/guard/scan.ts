/** Finds secrets and risky code on the lines that a change adds. Needs no scanner installed. */
import type { Defect } from '../loop/measurement.ts';
import type { AddedLine } from './added-lines.ts';
import { PYTHON, RECOGNITIONS, REPLACEMENTS, RISKS, type Rule, SCRIPT, TAMPERINGS } from './line-rules.ts';
import { quotedCode } from './quoted-code.ts';
import { CHARACTER_RULES } from './scan-characters.ts';
import { findingDefect } from './waivers.ts';

const REMOVE = 'Remove it from the change and revoke it; read it from the environment.';
const secret = (name: string, pattern: RegExp, what: string): Rule => ({
  name: `secret-${name}`,
  pattern,
  because: `${what} is written into the code`,
  fix: REMOVE,
});

/** Formats as their issuers document them; all are matched with their prefix, so that a hit is rarely wrong. */
const SECRETS: readonly Rule[] = [
  secret('aws-key', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/, 'an AWS access key id'),
  secret('github-token', /\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_[A-Za-z0-9_]{50,}\b/, 'a GitHub token'),
  secret('gitlab-token', /\bglpat-[A-Za-z0-9_-]{20,}/, 'a GitLab token'),
  secret('slack-token', /\bxox[abeprs]-[A-Za-z0-9-]{10,}/, 'a Slack token'),
  secret(
    'slack-webhook',
    /hooks\.slack\.com\/services\/T[A-Z0-9]+\/B[A-Z0-9]+\/[A-Za-z0-9]+/,
    'a Slack webhook address',
  ),
  secret('google-key', /\bAIza[0-9A-Za-z_-]{35}\b/, 'a Google API key'),
  secret('stripe-key', /\b[sr]k_live_[0-9A-Za-z]{16,}/, 'a Stripe live key'),
  secret('openai-key', /\bsk-(?:proj-|ant-)?[A-Za-z0-9_-]{32,}/, 'a model API key'),
  secret('npm-token', /\bnpm_[A-Za-z0-9]{36}\b/, 'an npm token'),
  secret('pypi-token', /\bpypi-AgE[A-Za-z0-9_-]{50,}/, 'a PyPI token'),
  secret('private-key', /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/, 'a private key'),
  secret('jwt', /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/, 'a signed web token'),
  secret(
    'url-password',
    /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@'"`$<{]{1,60}:(?!(?:pass|passwd|password|pwd|secret|xxx+|\*+)@)[^\s:/@'"`$<{]{3,100}@(?![\w.-]*\bexample\.(?:com|net|org|test)\b)[A-Za-z0-9]/i,
    'a password in an address',
  ),
];

const ASSIGNED =
  /(?:secret|token|passw(?:or)?d|api[_-]?key|private[_-]?key|credential)[\w-]*['"]?\s*[:=]\s*['"`](?<value>[^'"`\s]{12,200})['"`]/i;
/** Bits per character from which on a text looks random; words and sentences stay below. */
const RANDOM_BITS = 3.6;
/** Long lines are minified or embedded content; patterns are tried on this much of them. */
const LONGEST_LINE = 5000;

export interface BrokenRule {
  readonly name: string;
  /** What breaks it. */
  readonly code: string;
}

/** What the syntax tree of a file tells, by name of rule: of lines of its own, and whether nothing is left for the rules that read lines. */
export interface TreeFindings {
  readonly rules: ReadonlyMap<number, readonly BrokenRule[]>;
  readonly isWhole: boolean;
}

/** One blocking defect for each rule that an added line breaks; the message quotes the code of it, and never a secret. Files without a tree are read by lines. */
export function scanLines(
  lines: readonly AddedLine[],
  trees: ReadonlyMap<string, TreeFindings> = new Map(),
): readonly Defect[] {
  const seen = new Map<string, number>();
  return lines.flatMap((line) =>
    brokenBy(line, trees.get(line.file)).map((rule) => {
      // The same text at two places of a file is two findings.
      const key = JSON.stringify([rule.name, line.file, line.text.trim()]);
      const serial = (seen.get(key) ?? 0) + 1;
      seen.set(key, serial);
      return defectOf(line, rule, serial);
    }),
  );
}

function brokenBy({ file, line, text }: AddedLine, tree: TreeFindings | undefined): readonly Finding[] {
  const part = text.slice(0, LONGEST_LINE);
  const byLine = tree?.isWhole || isComment(file, part) ? [] : matching(CODE_RULES, file, part);
  const byTree = (tree?.rules.get(line) ?? []).flatMap(({ name, code }): readonly Finding[] => {
    const rule = CODE_RULES.find((one) => one.name === name);
    return rule === undefined ? [] : [{ ...rule, code }];
  });
  const secrets = matching(SECRETS, file, part).map(withoutCode);
  const characters = CHARACTER_RULES.filter(({ finds }) => finds(part));
  const assigned = looksAssigned(part);
  const unnamed = secrets.length === 0 && assigned ? [ASSIGNED_SECRET] : [];
  // Beside a secret nothing is quoted.
  const codes = [...byTree, ...byLine].map((one) =>
    secrets.length > 0 || assigned || looksAssigned(one.code ?? '') ? withoutCode(one) : one,
  );
  const all: readonly Finding[] = [...secrets, ...codes, ...unnamed, ...characters];
  return [...new Map(all.map((rule): [string, Finding] => [rule.name, rule])).values()];
}

function matching(rules: readonly Rule[], file: string, text: string): readonly Finding[] {
  return rules.flatMap(({ name, because, fix, files, pattern }) => {
    const found = (files?.test(file) ?? true) ? pattern.exec(text) : null;
    return found === null ? [] : [{ name, because, fix, code: text.slice(found.index) }];
  });
}

function withoutCode({ name, because, fix }: Finding): Finding {
  return { name, because, fix };
}

const CODE_RULES: readonly Rule[] = [...RISKS, ...TAMPERINGS, ...REPLACEMENTS, ...RECOGNITIONS];

/** A line that is nothing else runs nowhere; inside a text that is run, the running is found. */
function isComment(file: string, line: string): boolean {
  return (PYTHON.test(file) && /^\s*#/.test(line)) || (SCRIPT.test(file) && /^\s*\/\//.test(line));
}

interface Finding extends Pick<Rule, 'name' | 'because' | 'fix'> {
  readonly code?: string;
}

const ASSIGNED_SECRET = secret('assigned', ASSIGNED, 'something that looks like a secret');

function looksAssigned(text: string): boolean {
  const value = ASSIGNED.exec(text)?.groups?.value;
  return value !== undefined && !/[${}<>]/.test(value) && /\d/.test(value) && entropyOf(value) >= RANDOM_BITS;
}

/** Shannon entropy in bits per character. */
function entropyOf(text: string): number {
  const counts = Map.groupBy(text, (character) => character);
  return [...counts.values()].reduce((sum, { length }) => {
    const share = length / text.length;
    return sum - share * Math.log2(share);
  }, 0);
}

function defectOf({ file, line, text }: AddedLine, { name, because, fix, code = '' }: Finding, serial: number): Defect {
  const about = `${file}:${line}`;
  const message = `${about}: ${because}${quotedCode(code)}.`;
  const bound = [text.trim(), String(serial)];
  return findingDefect({ rule: name, about, file, line, message, suggestion: fix, bound });
}
