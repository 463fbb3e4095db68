/** Finds secrets and risky code on the lines that a change adds. Needs no scanner installed. */
import type { Defect } from '../loop/measurement.ts';
import { type AddedLine, addedLinesOf } from './added-lines.ts';
import { CHARACTER_RULES } from './scan-characters.ts';
import { findingDefect } from './waivers.ts';

interface Rule {
  readonly name: string;
  readonly pattern: RegExp;
  readonly because: string;
  readonly fix: string;
  /** Which files the rule reads; all when undefined. */
  readonly files?: RegExp;
}

const SCRIPT = /\.[cm]?[jt]sx?$/;
const PYTHON = /\.py$/;
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

const RISKS: readonly Rule[] = [
  {
    name: 'eval',
    files: SCRIPT,
    pattern: /(?<![.\w])eval\s*\(|\bnew Function\s*\(/,
    because: 'text is run as code',
    fix: 'Parse the text, or use a table of functions.',
  },
  {
    name: 'shell-interpolation',
    files: SCRIPT,
    pattern: /\b(?:exec|execSync)\s*\(\s*(?:`[^`]*\$\{|['"][^'"]*['"]\s*\+)/,
    because: 'a shell command is put together from values',
    fix: 'Use execFile or spawn with a list of arguments.',
  },
  {
    name: 'shell-option',
    files: SCRIPT,
    pattern: /\b(?:spawn|spawnSync|execFile|execFileSync)\s*\(.*shell:\s*true/,
    because: 'a program is started through a shell',
    fix: 'Leave the option `shell` out.',
  },
  {
    name: 'tls-disabled',
    pattern:
      /rejectUnauthorized\s*:\s*false|NODE_TLS_REJECT_UNAUTHORIZED['"\]]*\s*[=:]\s*['"]?0|verify\s*=\s*False|_create_unverified_context|CERT_NONE/,
    because: 'the certificate of the other side is not checked',
    fix: 'Leave the check on; add the authority where it is your own.',
  },
  {
    name: 'raw-html',
    files: SCRIPT,
    pattern:
      /\.(?:innerHTML|outerHTML)\s*\+?=\s*(?!\s*['"`][^'"`$]*['"`]\s*;?\s*$)|dangerouslySetInnerHTML|document\.write\s*\(/,
    because: 'text becomes HTML without being escaped',
    fix: 'Use textContent, or escape the text.',
  },
  {
    name: 'sql-interpolation',
    pattern:
      /\b(?:query|execute|exec|run|all|get)\s*\(\s*(?:f['"]|`)\s*(?:SELECT|INSERT|UPDATE|DELETE)\b[^'"`]*(?:\$\{|\{)/i,
    because: 'a query is put together from values',
    fix: 'Use the parameters of the driver.',
  },
  {
    name: 'python-eval',
    files: PYTHON,
    pattern: /(?<![.\w])(?:eval|exec)\s*\(/,
    because: 'text is run as code',
    fix: 'Use ast.literal_eval or a table of functions.',
  },
  {
    name: 'python-shell',
    files: PYTHON,
    pattern: /shell\s*=\s*True|\bos\.(?:system|popen)\s*\(/,
    because: 'a command goes through a shell',
    fix: 'Use subprocess.run with a list of arguments.',
  },
  {
    name: 'unsafe-load',
    files: PYTHON,
    pattern: /\b(?:pickle|marshal)\.loads?\s*\(|\byaml\.load\s*\((?!.*SafeLoader)/,
    because: 'reading the text can run code',
    fix: 'Use json, or yaml.safe_load.',
  },
  {
    name: 'weak-hash',
    pattern: /createHash\s*\(\s*['"](?:md5|sha1)['"]|hashlib\.(?:md5|sha1)\s*\(/,
    because: 'the hash is broken',
    fix: 'Use sha256.',
  },
];

const TAMPERING = {
  name: 'judge-tampering',
  because: 'it reaches for what judges the tests, such as assertions, built-ins, frames or the memory of the process',
  fix: 'Leave test runner, assertions and built-ins as they are; pass what the code needs as an argument.',
} as const;
/** The runners lock what they can (src/jobs); these are the ways around them. */
const TAMPERINGS: readonly Rule[] = [
  {
    ...TAMPERING,
    files: SCRIPT,
    pattern:
      /\bsyncBuiltinESMExports\b|['"](?:node:)?inspector(?:\/promises)?['"]|\bprocess\.binding\s*\(|\bNODE_TEST_CONTEXT\b|\bModule\._\w+\s*=[^=]|\bassert(?:\.strict)?(?:\.\w+)?\.\w+\s*=[^=>]/,
  },
  {
    ...TAMPERING,
    files: SCRIPT,
    pattern:
      /\b(?:Object|Function|Array|String|Number|Promise|RegExp|Map|Set|JSON|Reflect)(?:\.prototype)?(?:\.\w+|\[[^\]]+\])\s*=[^=>]|\bdefineProperty\s*\(\s*(?:\w+\.prototype|Object|Promise|JSON|Reflect)\b/,
  },
  {
    ...TAMPERING,
    files: SCRIPT,
    pattern:
      /\brequire\.cache\s*\[[^\]]*\]\s*=[^=>]|\bmodule\.(?:parent|constructor)\s*(?:\?\.|[.[])|\b_extensions\b|\bregisterHooks\s*\(|\bModule\.prototype\b|\bprocess\.dlopen\s*\(|\bsetFlagsFromString\b|\bpromiseHooks\b|\btracing:node\.test\b|\bError\.prepareStackTrace\s*=[^=>]/,
  },
  {
    ...TAMPERING,
    files: PYTHON,
    // Hooks of warnings are replaced by honest programs, and judge nothing.
    pattern:
      /\b(?:asyncio|contextlib|functools|inspect|json|traceback|warnings(?!\.(?:showwarning|formatwarning|filters)\b))(?:\.\w+)+\s*=[^=]|\bsys\.set(?:trace|profile)\s*\(\s*[^)\s]|\.load_tests\s*=[^=]|\bdef\s+__eq__\([^)]*\)[^:]*:\s*return True\b/,
  },
  {
    ...TAMPERING,
    files: PYTHON,
    // Who called is honest to ask; what is in the caller's hands is not, except for its module's own names.
    pattern:
      /\.(?:f_locals|cell_contents)\b|['"](?:f_locals|f_globals|f_back|cell_contents)['"]|(?<!\bin\s[\w.]{1,60})(?<!\blinecache\.\w{1,20}\([^)]{0,80})\.f_globals\b(?!(?:\.get\(|\[)['"]__(?:name|file|package|spec|doc)__['"])|\binspect\.(?:getargvalues|getclosurevars|getinnerframes)\b|\bgc\.get_(?:objects|referrers|referents)\b/,
  },
  {
    ...TAMPERING,
    files: PYTHON,
    pattern:
      /\b(?:pythonapi|string_at|wstring_at|memmove|memset|from_address|py_object|PyDLL)\b|\bCDLL\s*\(\s*(?:None\b|\))|\bunittest(?:\.\w+)+\s*=[^=]|\bbuiltins\.(?!(?:copyright|credits|license|exit|quit|help|_)\b)\w+\s*=[^=]|(?<!\bself)\.__code__\s*=[^=]/,
  },
  {
    ...TAMPERING,
    pattern: /\/proc\/(?:self|\d+|\$)\S*\/(?:mem|fd|environ|maps)\b|\/proc\/self\/(?:mem|fd|environ|maps)\b/,
  },
];

const ASSIGNED =
  /(?:secret|token|passw(?:or)?d|api[_-]?key|private[_-]?key|credential)[\w-]*['"]?\s*[:=]\s*['"`](?<value>[^'"`\s]{12,200})['"`]/i;
/** Bits per character from which on a text looks random; words and sentences stay below. */
const RANDOM_BITS = 3.6;
/** Long lines are minified or embedded content; patterns are tried on this much of them. */
const LONGEST_LINE = 5000;

/** One blocking defect for each finding on the lines that the unified diff adds. */
export function scanDiff(diff: string): readonly Defect[] {
  return scanLines(addedLinesOf(diff));
}

/** One blocking defect for each rule that an added line breaks; the message never repeats the line. */
export function scanLines(lines: readonly AddedLine[]): readonly Defect[] {
  const seen = new Map<string, number>();
  return lines.flatMap((line) =>
    brokenBy(line).map((rule) => {
      // The same text at two places of a file is two findings.
      const key = JSON.stringify([rule.name, line.file, line.text.trim()]);
      const serial = (seen.get(key) ?? 0) + 1;
      seen.set(key, serial);
      return defectOf(line, rule, serial);
    }),
  );
}

function brokenBy({ file, text }: AddedLine): readonly Finding[] {
  const part = text.slice(0, LONGEST_LINE);
  const rules = isComment(file, part) ? SECRETS : [...SECRETS, ...RISKS, ...TAMPERINGS];
  const found = rules.filter(({ files, pattern }) => (files?.test(file) ?? true) && pattern.test(part));
  const isKnown = found.some(({ name }) => name.startsWith('secret-'));
  const characters = CHARACTER_RULES.filter(({ finds }) => finds(part));
  const all = [...found, ...(!isKnown && looksAssigned(part) ? [ASSIGNED_SECRET] : []), ...characters];
  return [...new Map(all.map((rule): [string, Finding] => [rule.name, rule])).values()];
}

/** A line that is nothing else runs nowhere; inside a text that is run, the running is found. */
function isComment(file: string, line: string): boolean {
  return (PYTHON.test(file) && /^\s*#/.test(line)) || (SCRIPT.test(file) && /^\s*\/\//.test(line));
}

type Finding = Pick<Rule, 'name' | 'because' | 'fix'>;

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

function defectOf({ file, line, text }: AddedLine, { name, because, fix }: Finding, serial: number): Defect {
  const about = `${file}:${line}`;
  const message = `${about}: ${because}.`;
  const bound = [text.trim(), String(serial)];
  return findingDefect({ rule: name, about, file, line, message, suggestion: fix, bound });
}
