import { describe, expect, it } from 'vitest';
import { addedLinesOf } from '../../src/guard/added-lines.ts';
import { scanLines } from '../../src/guard/scan.ts';
import { HONEST, RISKY } from './risky-lines.ts';

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
  it.each(RISKY)('%s in %s breaks %s', (text, file, rule) => {
    expect(rulesOf(text, file)).toEqual([rule]);
  });

  it.each(HONEST)('%s in %s breaks nothing', (text, file) => {
    expect(rulesOf(text, file)).toEqual([]);
  });
});

it('reads added lines only and names file and line', () => {
  const diff = ['--- a/x.js', '+++ b/x.js', '@@ -1,2 +1,3 @@', ' eval(a)', '-eval(b)', '+ok()', '+eval(c)', ''].join(
    '\n',
  );
  expect(scanLines(addedLinesOf(diff))).toMatchObject([{ file: 'x.js', line: 3, rule: 'eval', severity: 'blocker' }]);
});
