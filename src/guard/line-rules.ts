/** What risky code and code that reaches for its judges looks like on one line: for files whose syntax cannot be read. Pure. */

import { PRODUCT } from './product-files.ts';

export interface Rule {
  readonly name: string;
  readonly pattern: RegExp;
  readonly because: string;
  readonly fix: string;
  /** Which files the rule reads; all when undefined. */
  readonly files?: RegExp;
}

export const SCRIPT: RegExp = /\.[cm]?[jt]sx?$/;
export const PYTHON: RegExp = /\.py$/;

export const RISKS: readonly Rule[] = [
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
export const TAMPERINGS: readonly Rule[] = [
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

/** In tests too: people add assertions there, and have no reason to give those of the library another meaning. */
export const REPLACEMENTS: readonly Rule[] = [
  {
    name: 'assertion-replaced',
    files: SCRIPT,
    pattern: /\bexpect\.extend\s*\(\s*\{\s*to(?:Be|Equal|StrictEqual|Match|Contain|Throw)\b/,
    because: 'an assertion of the test library gets another meaning',
    fix: 'Give the assertion a name of its own.',
  },
];

/** Honest programs ask so now and then, so that it is told and can be lifted. */
export const RECOGNITIONS: readonly Rule[] = [
  {
    name: 'test-recognised',
    files: PRODUCT,
    pattern:
      /\b(?:JEST_WORKER_ID|PYTEST_CURRENT_TEST|__vitest_worker__)\b|\benv(?:\??\.|\[['"])VITEST\b|['"](?:pytest|unittest)['"]\s+(?:not\s+)?in\s+sys\.modules\b/,
    because: 'it asks whether it is being tested, and could answer tests otherwise than everybody else',
    fix: 'Do the same in tests as elsewhere; pass what differs as an argument or a setting.',
  },
];
