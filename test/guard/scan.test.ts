import { describe, expect, it } from 'vitest';
import { scanDiff, scanLines } from '../../src/guard/scan.ts';

const rulesOf = (text: string, file = 'src/a.ts') => scanLines([{ file, line: 3, text }]).map(({ rule }) => rule);
const random = 'q7Zr2Lw9Xc4Vb8Nm1Kj5Hg3Fd6Sa0Pq9Tz2Yw4Re7Ui3Op5As8Df1';
/** How each kind of secret begins, and how many letters follow at the least. Assembled, so that no scanner takes this file for a leak. */
const FORMS: readonly (readonly [rule: string, start: string, letters: number])[] = [
  ['aws-key', `AK${'IA'}`, 16],
  ['aws-key', `AS${'IA'}`, 16],
  ...[...'pousr'].map((kind) => ['github-token', `gh${kind}${'_'}`, 36] as const),
  ['github-token', `github${'_pat_'}`, 50],
  ['gitlab-token', `glp${'at-'}`, 20],
  ...[...'abeprs'].map((kind) => ['slack-token', `xox${kind}${'-'}`, 10] as const),
  ['google-key', `AI${'za'}`, 35],
  ['stripe-key', `sk${'_live_'}`, 16],
  ['stripe-key', `rk${'_live_'}`, 16],
  ['openai-key', `sk${'-'}`, 32],
  ['npm-token', `npm${'_'}`, 36],
  ['pypi-token', `pypi${'-AgE'}`, 50],
  ['jwt', `ey${'J'}${random.slice(0, 10)}.ey${'J'}${random.slice(0, 10)}.`, 10],
];

describe('secrets on added lines', () => {
  it.each(FORMS)(
    'are found by the form of %s, %s… with %i letters, and with one less are none',
    (rule, start, letters) => {
      const body = rule === 'aws-key' ? random.toUpperCase() : random;
      for (const around of ['', ' ', '"', '(']) {
        expect(rulesOf(`${around}${start}${body.slice(0, letters)}${around}`)).toEqual([`secret-${rule}`]);
        expect(rulesOf(`${around}${start}${body.slice(0, letters - 1)}${around}`)).toEqual([]);
      }
    },
  );

  it.each(FORMS.filter(([rule]) => rule !== 'slack-token'))(
    'of the form %s are none in the middle of a word: x%s…',
    (rule, start, letters) => {
      const body = rule === 'aws-key' ? random.toUpperCase() : random;
      expect(rulesOf(`x${start}${body.slice(0, letters)}`)).toEqual([]);
    },
  );

  it.each(['', 'RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED '])('are found in the first line of a key: %s', (kind) => {
    expect(rulesOf(`-----BEGIN ${kind}PRIVATE${' KEY'}-----`)).toEqual(['secret-private-key']);
    expect(rulesOf(`-----BEGIN ${kind}PUBLIC KEY-----`)).toEqual([]);
  });

  it.each([
    'secret',
    'TOKEN',
    'passwd',
    'password',
    'apiKey',
    'api_key',
    'api-key',
    'privateKey',
    'private_key',
    'credential',
  ])('are found where a random text is the value of %s', (name) => {
    const value = random.slice(0, 20);
    for (const line of [`${name} = '${value}'`, `"${name}": "${value}"`, `my${name}_2:\`${value}\``])
      expect(rulesOf(line)).toEqual(['secret-assigned']);
    expect(rulesOf(`${name} = ${value}`)).toEqual([]);
    expect(rulesOf(`${name} = '${random.slice(0, 11)}'`)).toEqual([]);
  });

  it.each([
    [`const key = 'AKIA${'ABCD1234'.repeat(2)}';`, 'secret-aws-key'],
    [`token: gh${'p'}_${random.slice(0, 36)}`, 'secret-github-token'],
    [`-----BEGIN RSA ${'PRIVATE'} KEY-----`, 'secret-private-key'],
    [`sk${'_live_'}${random.slice(0, 20)}`, 'secret-stripe-key'],
    [`https://hooks.slack.${'com'}/services/T0AB/B0CD/x9Yz`, 'secret-slack-webhook'],
    [`sk${'-'}proj-${random.slice(0, 32)}`, 'secret-openai-key'],
    [`sk${'-'}ant-${random.slice(0, 32)}`, 'secret-openai-key'],
    [`postgres://admin:${'hunter22'}@db.acme.dev/x`, 'secret-url-password'],
    [`const apiKey = '${random}';`, 'secret-assigned'],
    [`PASSWORD = "${random}"`, 'secret-assigned'],
  ])('are found in %s', (text, rule) => {
    expect(rulesOf(text)).toEqual([rule]);
  });

  it.each([
    'const token = process.env.TOKEN;',
    "const passwordField = 'user-password-input';",
    "const secretName = 'projects/one/secrets';",
    `const url = \`http://\${user}:\${password}@host\`;`,
    'const digest = "sha256:abc";',
    "const key = 'AKIA';",
  ])('are not seen in %s', (text) => {
    expect(rulesOf(text)).toEqual([]);
  });

  it('never shows the secret in the finding', () => {
    expect(JSON.stringify(scanLines([{ file: 'a.js', line: 1, text: `apiKey = '${random}'` }]))).not.toContain(random);
  });
});

describe('risky code on added lines', () => {
  it.each([
    ['eval(text)', 'src/a.js', 'eval'],
    ['execSync(`git log $' + '{name}`)', 'src/a.js', 'shell-interpolation'],
    ["exec('rm ' + path)", 'src/a.mjs', 'shell-interpolation'],
    ["spawn('ls', [], { shell: true })", 'src/a.ts', 'shell-option'],
    ['agent({ rejectUnauthorized: false })', 'src/a.ts', 'tls-disabled'],
    ['requests.get(url, verify=False)', 'a.py', 'tls-disabled'],
    ['node.innerHTML = entry.message;', 'src/a.js', 'raw-html'],
    ['db.query(`SELECT * FROM t WHERE id = $' + '{id}`)', 'src/a.js', 'sql-interpolation'],
    ['subprocess.run(command, shell=True)', 'a.py', 'python-shell'],
    ['pickle.loads(body)', 'a.py', 'unsafe-load'],
    ["createHash('md5')", 'src/a.ts', 'weak-hash'],
    ['const f = new Function (text);', 'src/a.tsx', 'eval'],
    ["execFileSync('ls', [], {shell:true})", 'src/a.ts', 'shell-option'],
    ["process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'", 'src/a.ts', 'tls-disabled'],
    ['NODE_TLS_REJECT_UNAUTHORIZED=0 node a.js', 'run.sh', 'tls-disabled'],
    ['ssl._create_unverified_context()', 'a.py', 'tls-disabled'],
    ['context.verify_mode = ssl.CERT_NONE', 'a.py', 'tls-disabled'],
    ['node.outerHTML += entry', 'src/a.js', 'raw-html'],
    ['<p dangerouslySetInnerHTML={{ __html: text }} />', 'src/a.jsx', 'raw-html'],
    ['document.write (text)', 'src/a.js', 'raw-html'],
    ["cursor.execute(f'delete from t where id = {id}')", 'a.py', 'sql-interpolation'],
    ['db.run(` INSERT INTO t VALUES ($' + '{id})`)', 'src/a.js', 'sql-interpolation'],
    ['exec (text)', 'a.py', 'python-eval'],
    ['value = eval(text)', 'a.py', 'python-eval'],
    ['os.system(command)', 'a.py', 'python-shell'],
    ['os.popen (command)', 'a.py', 'python-shell'],
    ['marshal.load (file)', 'a.py', 'unsafe-load'],
    ['yaml.load(text)', 'a.py', 'unsafe-load'],
    ['yaml.load (text, Loader=Loader)', 'a.py', 'unsafe-load'],
    ["createHash ( 'sha1')", 'src/a.ts', 'weak-hash'],
    ['hashlib.md5(text)', 'a.py', 'weak-hash'],
    ["process.binding('fs')", 'src/a.cjs', 'judge-tampering'],
    ['delete process.env.NODE_TEST_CONTEXT;', 'src/a.js', 'judge-tampering'],
    ['assert.ok = () => {};', 'src/a.js', 'judge-tampering'],
    ['JSON.parse = fake;', 'src/a.js', 'judge-tampering'],
    ["Reflect['get'] = fake;", 'src/a.js', 'judge-tampering'],
    ["Object.defineProperty(JSON, 'parse', {})", 'src/a.js', 'judge-tampering'],
    ["module.constructor['_load']", 'src/a.cjs', 'judge-tampering'],
    ["require('module')._extensions['.js'] = fake", 'src/a.cjs', 'judge-tampering'],
    ['registerHooks({ load })', 'src/a.js', 'judge-tampering'],
    ['const { require } = Module.prototype;', 'src/a.cjs', 'judge-tampering'],
    ["v8.setFlagsFromString('--allow-natives-syntax')", 'src/a.js', 'judge-tampering'],
    ['v8.promiseHooks.onInit(see)', 'src/a.js', 'judge-tampering'],
    ["channel('tracing:node.test:start')", 'src/a.js', 'judge-tampering'],
    ['Error.prepareStackTrace = (_, frames) => frames;', 'src/a.js', 'judge-tampering'],
    ['sys.settrace(see)', 'a.py', 'judge-tampering'],
    ['cell = fake.__closure__[0].cell_contents', 'a.py', 'judge-tampering'],
    ['module.load_tests = fake', 'a.py', 'judge-tampering'],
    ['caller = inspect.stack()[1].frame.f_locals', 'a.py', 'judge-tampering'],
    ['for one in gc.get_objects():', 'a.py', 'judge-tampering'],
    ["emit = getattr(frame, 'f_globals')['emit']", 'a.py', 'judge-tampering'],
    ['key = ctypes.string_at(place, 64)', 'a.py', 'judge-tampering'],
    ['whole = ctypes.CDLL(None)', 'a.py', 'judge-tampering'],
    ['builtins.open = fake', 'a.py', 'judge-tampering'],
    ['total.__code__ = fake.__code__', 'a.py', 'judge-tampering'],
    ['cat /proc/1/environ', 'run.sh', 'judge-tampering'],
    ['cat /proc/$pid/fd/1', 'run.sh', 'judge-tampering'],
    ['const allowed = 1; // \u2066 admins only \u2069', 'src/a.js', 'invisible-character'],
    ['const us\u200Ber = 1;', 'src/a.js', 'invisible-character'],
    ['name = "\u{E0041}"', 'a.py', 'invisible-character'],
    ['const \u0430dmin = 1;', 'src/a.js', 'confusable-name'],
    ['def check_\u0440assword():', 'a.py', 'confusable-name'],
    ["require('node:module').syncBuiltinESMExports();", 'src/a.cjs', 'judge-tampering'],
    ["import { Session } from 'node:inspector/promises';", 'src/a.ts', 'judge-tampering'],
    ['Module._load = load;', 'src/a.cjs', 'judge-tampering'],
    ['Promise.prototype.then = resolve;', 'src/a.js', 'judge-tampering'],
    ["Object.defineProperty(Array.prototype, 'map', {})", 'src/a.js', 'judge-tampering'],
    ['assert.strict.equal = () => {};', 'src/a.js', 'judge-tampering'],
    ['require.cache[path] = fake;', 'src/a.cjs', 'judge-tampering'],
    ['const load = module.parent.require;', 'src/a.cjs', 'judge-tampering'],
    ["process.dlopen(own, './a.node');", 'src/a.cjs', 'judge-tampering'],
    ['names = sys._getframe(2).f_globals', 'a.py', 'judge-tampering'],
    ['asyncio.Runner.run = fake', 'a.py', 'judge-tampering'],
    ['scope = frame.f_back.f_locals', 'a.py', 'judge-tampering'],
    ['    def __eq__(self, other): return True', 'a.py', 'judge-tampering'],
    ['unittest.TestCase.assertEqual = fake', 'a.py', 'judge-tampering'],
    ['names = inspect.getargvalues(frame).locals', 'a.py', 'judge-tampering'],
    ["open('/proc/self/mem', 'rb')", 'a.py', 'judge-tampering'],
  ])('%s in %s breaks %s', (text, file, rule) => {
    expect(rulesOf(text, file)).toEqual([rule]);
  });

  it.each([
    ["const value = expression.exec('text');", 'src/a.js'],
    ["execFile('git', ['log', name]);", 'src/a.js'],
    ['medieval(text)', 'src/a.js'],
    ["node.innerHTML = '';", 'src/a.js'],
    ['yaml.load(text, Loader=SafeLoader)', 'a.py'],
    ['expression.eval(text)', 'src/a.js'],
    ["spawn('ls', [], { shell: false })", 'src/a.ts'],
    ['agent({ rejectUnauthorized: true })', 'src/a.ts'],
    ["createHash('sha256')", 'src/a.ts'],
    ['db.query(`SELECT * FROM t WHERE id = ?`, [id])', 'src/a.js'],
    ['json.loads(text)', 'a.py'],
    ['yaml.safe_load(text)', 'a.py'],
    ['if (JSON.parse === own) return;', 'src/a.js'],
    ['const total = Array.from(list);', 'src/a.js'],
    ['if inspect.stack == one:', 'src/a.js'],
    ['cat /proc/meminfo', 'run.sh'],
    ['\uFEFFconst a = 1;\r', 'src/a.js'],
    ['const family = "\u{1F468}\u200D\u{1F469}"; // \u2764\uFE0F', 'src/a.js'],
    ['const \u0394x = 2 * \u03C0;', 'src/a.js'],
    ["const greeting = '\u041F\u0440\u0438\u0432\u0435\u0442, Ada';", 'src/a.js'],
    ['model.eval()', 'a.py'],
    ['if (Array.prototype.includes.call(list, one) === true) return;', 'src/a.js'],
    ['assert.equal(one, two);', 'src/a.js'],
    ['if (!module.parent) main();', 'src/a.cjs'],
    ['delete require.cache[path];', 'src/a.cjs'],
    ['text = json.dumps(value, default=str)', 'a.py'],
    ['    def __eq__(self, other): return self.id == other.id', 'a.py'],
    ['if __name__ == "__main__":', 'a.py'],
    ['class Total(unittest.TestCase):', 'a.py'],
    ['We never use eval( here.', 'README.md'],
    ['// we never use eval(text) here', 'src/a.js'],
    ['    # sys.settrace(see) is what a debugger does', 'a.py'],
    ["module = sys._getframe(1).f_globals.get('__name__', '__main__')", 'a.py'],
    ['caller = inspect.stack()[1].function', 'a.py'],
    ["return '__unittest' in tb.tb_frame.f_globals", 'a.py'],
    ['line = linecache.getline(name, number, frame.f_globals)', 'a.py'],
    ['import ctypes', 'a.py'],
    ['size = ctypes.sizeof(ctypes.c_int)', 'a.py'],
    ['warnings.showwarning = show', 'a.py'],
    ['builtins._ = gettext', 'a.py'],
    ["url = 'https://user:password@shop.test/'", 'a.py'],
    ["url = 'https://maria:hunter22@example.com/'", 'a.py'],
  ])('%s in %s breaks nothing', (text, file) => {
    expect(rulesOf(text, file)).toEqual([]);
  });
});

it('reads added lines only and names file and line', () => {
  const diff = ['--- a/x.js', '+++ b/x.js', '@@ -1,2 +1,3 @@', ' eval(a)', '-eval(b)', '+ok()', '+eval(c)', ''].join(
    '\n',
  );
  expect(scanDiff(diff)).toMatchObject([{ file: 'x.js', line: 3, rule: 'eval', severity: 'blocker' }]);
});
