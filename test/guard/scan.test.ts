import { describe, expect, it } from 'vitest';
import { scanDiff, scanLines } from '../../src/guard/scan.ts';

const rulesOf = (text: string, file = 'src/a.ts') => scanLines([{ file, line: 3, text }]).map(({ rule }) => rule);
const random = 'q7Zr2Lw9Xc4Vb8Nm1Kj5Hg3Fd6Sa0Pq9Tz2Yw4';

describe('secrets on added lines', () => {
  it.each([
    [`const key = 'AKIA${'ABCD1234'.repeat(2)}';`, 'secret-aws-key'],
    [`token: gh${'p'}_${random.slice(0, 36)}`, 'secret-github-token'],
    [`-----BEGIN RSA ${'PRIVATE'} KEY-----`, 'secret-private-key'],
    [`sk${'_live_'}${random.slice(0, 20)}`, 'secret-stripe-key'],
    [`postgres://admin:${'hunter22'}@db.example.org/x`, 'secret-url-password'],
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
    ["require('node:module').syncBuiltinESMExports();", 'src/a.cjs', 'judge-tampering'],
    ["import { Session } from 'node:inspector/promises';", 'src/a.ts', 'judge-tampering'],
    ['Module._load = load;', 'src/a.cjs', 'judge-tampering'],
    ['Promise.prototype.then = resolve;', 'src/a.js', 'judge-tampering'],
    ["Object.defineProperty(Array.prototype, 'map', {})", 'src/a.js', 'judge-tampering'],
    ['assert.strict.equal = () => {};', 'src/a.js', 'judge-tampering'],
    ['require.cache[path] = fake;', 'src/a.cjs', 'judge-tampering'],
    ['const load = module.parent.require;', 'src/a.cjs', 'judge-tampering'],
    ["process.dlopen(own, './a.node');", 'src/a.cjs', 'judge-tampering'],
    ['frame = sys._getframe(2)', 'a.py', 'judge-tampering'],
    ['asyncio.Runner.run = fake', 'a.py', 'judge-tampering'],
    ['scope = frame.f_back.f_locals', 'a.py', 'judge-tampering'],
    ['    def __eq__(self, other): return True', 'a.py', 'judge-tampering'],
    ['unittest.TestCase.assertEqual = fake', 'a.py', 'judge-tampering'],
    ['main = sys.modules["__main__"]', 'a.py', 'judge-tampering'],
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
