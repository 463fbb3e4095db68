import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findSecrets, withoutSecrets } from '../../src/guard/secrets.ts';

// Assembled, so that no scanner takes this file for a leak.
const LETTERS = 'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3';
const TOKENS: readonly (readonly [string, string])[] = [
  ['GitHub token', `gh${'p_'}${LETTERS}`],
  ['GitHub token', `gh${'s_'}${LETTERS}`],
  ['GitHub token', `gh${'u_'}${LETTERS}`],
  ['GitHub token', `gh${'s_'}12345_eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2ln`],
  ['GitHub token', `github${'_pat_'}${LETTERS}_${LETTERS}`],
  ['model key', `sk${'-'}proj-${LETTERS}`],
  ['model key', `sk${'-'}ant-api03-${LETTERS}`],
  ['AWS key id', `AK${'IA'}IOSFODNN7EXAMPLE`],
  ['private key', `-----BEGIN RSA PRIVATE${' KEY'}-----\nMIIEow\n-----END RSA PRIVATE${' KEY'}-----`],
  ['private key', `-----BEGIN PRIVATE${' KEY'}-----\nMIIEow cut off`],
  ['bearer token', `Bearer ${LETTERS}`],
  ['Slack token', `xox${'b-'}123456789012-abcdef`],
  ['npm token', `npm${'_'}${LETTERS}`],
  ['GitHub token', `gh${'o_'}${LETTERS}`],
  ['GitHub token', `gh${'r_'}${LETTERS}`],
  ['GitLab token', `gl${'pat-'}${LETTERS.slice(0, 16)}`],
  ['GitLab token', `gl${'rt-'}${LETTERS}`],
  ['Google key', `AI${'za'}${LETTERS.slice(0, 35)}`],
  ['Google token', `ya${'29.'}${LETTERS}`],
  ['Slack token', `xa${'pp-'}1-A012345-${LETTERS}`],
  ['webhook address', `https://hooks.slack.${'com'}/workflows/T0/${LETTERS}`],
  ['webhook address', `https://discord.${'com'}/api/webhooks/1/${LETTERS}`],
  ['webhook address', `https://discordapp.${'com'}/api/webhooks/1/${LETTERS}`],
  ['PyPI token', `pypi${'-AgE'}${LETTERS}`],
  ['Stripe key', `sk${'_live_'}${LETTERS}`],
  ['Stripe key', `rk${'_test_'}${LETTERS}`],
  ['Stripe key', `whsec${'_'}${LETTERS}`],
  ['Hugging Face token', `hf${'_'}${LETTERS}`],
  ['SendGrid key', `S${'G.'}${LETTERS.slice(0, 16)}.${LETTERS}`],
  ['DigitalOcean token', `dop${'_v1_'}${'a1b2c3d4e5'.repeat(4)}`],
  ['Azure key', `Account${'Key='}${LETTERS}==`],
  ['private key', `-----BEGIN PGP PRIVATE${' KEY'} BLOCK-----\nMIIEow\n-----END PGP PRIVATE${' KEY'} BLOCK-----`],
  ['bearer token', `basic  ${LETTERS}==`],
  ['signed token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc'],
];

test.each(TOKENS)('a %s is taken out wherever it stands', (name, token) => {
  for (const text of [token, `key=${token}, then`, `\`${token}\``, `"${token}"`, `> ${token}`]) {
    const filtered = withoutSecrets(text);
    expect(filtered).toContain(`[${name} removed]`);
    expect(filtered).not.toContain(token.slice(-12));
  }
});

const ESCAPE = '\u001b';
const BEFORE: readonly (readonly [string, string])[] = [
  ['a line break', '\n'],
  ['a tab', '\t'],
  ['a carriage return', '\r\n'],
  ['a colour', `${ESCAPE}[1;32m`],
  ['the end of a colour', `${ESCAPE}[m${ESCAPE}[K`],
  ['the colour of a terminal that was cleaned', '[32m'],
  ['a line break of an address', 'a%0A'],
  ['a space of an address', 'a%20'],
  ['a line break in hex', String.raw`\x0a`],
  ['a line break in octal', String.raw`\012`],
  ['a colour in octal', String.raw`\033[0m`],
  ['an escape of Python', String.raw`\v`],
  ['an underscore', 'TOKEN_'],
];
const json = (text: string): string => JSON.stringify({ content: text });
const WRITTEN: readonly (readonly [string, (text: string) => string])[] = [
  ['as it is', (text) => text],
  ['as JSON', json],
  ['as JSON of numbers', (text) => json(text).replaceAll(String.raw`\n`, String.raw`\u000a`)],
  ['as JSON in JSON', (text) => json(json(text))],
];

describe.each(BEFORE)('a secret behind %s is taken out', (_, before) => {
  test.each(WRITTEN)('%s', (__, written) => {
    for (const [name, token] of TOKENS) {
      const filtered = withoutSecrets(written(`x${before}${token}\ny`));
      expect(filtered).toContain(`[${name} removed]`);
      expect(filtered).not.toContain(token.slice(-12));
    }
    const filtered = withoutSecrets(written(`x${before}https://me:pass@db.test`));
    expect(filtered).toContain('https://[password in an address removed]@db.test');
  });
});

test.each([
  ['_', '_'],
  ['', '\u001b[0m'],
  ['"', '"'],
])('a secret is taken out between %j and %j', (before, after) => {
  for (const [name, token] of TOKENS)
    expect(withoutSecrets(`${before}${token}${after}`)).toContain(`[${name} removed]`);
});

test.each(['%20', String.raw`\t`, '\n'])('a bearer token stands behind %j', (space) => {
  expect(withoutSecrets(`Bearer${space}${LETTERS}`)).toBe('[bearer token removed]');
});

test('what follows the last line of a private key is left', () => {
  const key = `-----BEGIN RSA PRIVATE${' KEY'}-----\nMIIEow\n-----END RSA PRIVATE${' KEY'}-----`;
  expect(withoutSecrets(`${key}\nthe end`)).toBe('[private key removed]\nthe end');
});

test('a password in an address is taken out and the host stays', () => {
  expect(withoutSecrets('see https://x-access-token:abc@github.com/a/b')).toBe(
    'see https://[password in an address removed]@github.com/a/b',
  );
});

test.each([
  'da39a3ee5e6b4b0d3255bfef95601890afd80709',
  `sha256:${'ab'.repeat(32)}`,
  'The Bearer authentication scheme needs a bearer token.',
  'risk-assessment-of-the-whole-basket-module',
  'sk-learn-compatible-estimators-and-tools',
  'AKIA is the prefix of an AWS key id',
  'ghp_ is the prefix of a personal token',
  'https://github.com/acme/shop/actions/runs/12345678901',
  'npm_config_registry and hf_hub',
  '[ask-for-the-2nd-time-what-is-meant](#ask)',
  String.raw`C:\docs\ask-for-the-2nd-time-what-is-meant`,
  String.raw`C:\new\risk-assessment-of-2024-the-basket`,
  'test_laughs_at_every_joke_of_the_other',
  'assert breakthroughs_of_the_year_2024_are_shown',
])('ordinary text is no secret: %s', (text) => {
  expect(withoutSecrets(text, ['a-canary-that-is-long-enough'])).toBe(text);
});

const CANARY = 'kanarie-7f3a9c51e2b84d06';
const DISGUISES: readonly (readonly [string, (canary: string) => string])[] = [
  ['plain', (canary) => canary],
  ['in capitals', (canary) => canary.toUpperCase()],
  ['backwards', (canary) => [...canary].toReversed().join('')],
  ['in hex', (canary) => Buffer.from(canary).toString('hex')],
  ['in base64', (canary) => Buffer.from(canary).toString('base64')],
  ['in base64 after one byte', (canary) => Buffer.from(`x${canary}`).toString('base64')],
  ['in base64 after two bytes', (canary) => Buffer.from(`xy${canary}yz`).toString('base64url')],
  ['without its first seven characters', (canary) => canary.slice(7)],
  ['spaced out', (canary) => [...canary].join(' ')],
  ['split over lines', (canary) => canary.replace(/(.{5})/g, '$1"\n+ "')],
];

test.each(DISGUISES)('a canary is found %s', (_, disguise) => {
  const filtered = withoutSecrets(`value: ${disguise(CANARY)} end`, [CANARY]);
  expect(filtered).toContain('[secret removed]');
  expect(filtered).not.toContain(disguise(CANARY).slice(4, -4));
});

test('a canary that is a private key is found by any part of it, and the words BEGIN and KEY are not', () => {
  const body = Buffer.from('0123456789abcdef'.repeat(12)).toString('base64');
  const key = `-----BEGIN RSA PRIVATE${' KEY'}-----\n${body}\n-----END RSA PRIVATE${' KEY'}-----`;
  expect(withoutSecrets(`part ${body.slice(40, 70)}`, [key])).toBe('part [secret removed]');
  expect(withoutSecrets('BEGIN RSA PRIVATE KEY, END RSA PRIVATE KEY', [key])).toBe(
    'BEGIN RSA PRIVATE KEY, END RSA PRIVATE KEY',
  );
});

test('finds are in order and do not overlap', () => {
  const pieces = fc.constantFrom(...TOKENS.map(([, token]) => token), CANARY, ' ', 'words', '\n');
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
      const text = parts.join('');
      let position = 0;
      for (const { start, end } of findSecrets(text, [CANARY])) {
        expect(start).toBeGreaterThanOrEqual(position);
        expect(end).toBeGreaterThan(start);
        position = end;
      }
    }),
  );
});

test('taking out twice is taking out once', () => {
  const pieces = fc.constantFrom(
    ...TOKENS.map(([, token]) => token),
    CANARY,
    CANARY.slice(0, 13),
    ' ',
    'x',
    '-',
    'Bearer ',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
      const once = withoutSecrets(parts.join(''), [CANARY]);
      expect(withoutSecrets(once, [CANARY])).toBe(once);
    }),
  );
});

// What takes the square of the length, or its cube, does not come to its end here.
test.each([
  ['keys without a digit', 'sk-a-'],
  ['signed tokens in a row', 'eyJaaaaaaaa.'],
  ['beginnings of signed tokens', 'eyJ-'],
  ['beginnings of other tokens', 'ghp_-xoxb-glpat-sk_live_-hf_-npm_-'],
  ['keys that do not end', '-----BEGIN PRIVATE KEY'],
  ['words before a token', 'Bearer Basic '],
  ['addresses without a password', 'a://b:'],
  ['addresses with a password', 'a://b:c@'],
  ['line breaks in JSON', String.raw`\n`],
  ['numbers of letters in JSON', String.raw`\u000a`],
  ['letters of addresses', '%0A'],
  ['colours', '[1;32m'],
  ['colours that do not end', '[1;32;'],
  ['beginnings of a colour', '['],
  ['semicolons', ';'],
  ['octal numbers', String.raw`\033`],
  ['beginnings of tokens in JSON', String.raw`\nghp_\nsk-\neyJ\nhf_\nSG.`],
  ['words before a token in JSON', String.raw`\nBearer\n`],
  ['words before a token in an address', 'Bearer%20'],
  ['words before a token and spaces', `Bearer${' '.repeat(1000)}`],
  ['words before a token and spaces of an address', `Bearer${'%20'.repeat(1000)}`],
  ['words before a token that is long', `Bearer ${'a'.repeat(1000)} `],
  ['underscores', '_'],
])('a text of %s is looked through in one go', (_, piece) => {
  const text = piece.repeat(Math.ceil(500_000 / piece.length));
  expect(withoutSecrets(text, ['a-value-that-is-ours-0123']).length).toBeGreaterThan(0);
});

test.each(TOKENS)('tokens in a row are taken out in one go: %s %s', (_, token) => {
  const text = token.repeat(Math.ceil(300_000 / token.length));
  expect(withoutSecrets(text).length).toBeGreaterThan(0);
});

// Each look goes through the whole text: one for each token is a minute of a text of some hundred kB.
test('tokens of two kinds in a row are taken out in few looks', () => {
  const kinds = [...new Map(TOKENS).values()];
  const looks = kinds.flatMap((one) => kinds.map((other) => looksAt(`${one}${other}`.repeat(12))));
  expect(Math.max(...looks)).toBeLessThanOrEqual(4);
});

function looksAt(text: string): number {
  const finds = findSecrets(text);
  const rest = finds.toReversed().reduce((left, { name, start, end }) => {
    return `${left.slice(0, start)}[${name} removed]${left.slice(end)}`;
  }, text);
  return finds.length === 0 ? 1 : 1 + looksAt(rest);
}
