import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scanLines } from '../../src/guard/scan.ts';
import { integrityDefects } from '../../src/guard/test-integrity.ts';
import { findingDefect, judgeFindings, liftedNote } from '../../src/guard/waivers.ts';
import { defect } from '../../src/loop/defect.ts';
import type { Defect } from '../../src/loop/measurement.ts';
import { findingOf, type Waiver, waiver as waiverSchema } from '../../src/loop/waiver.ts';

const waiverFor = (finding: string, reason = 'An ETag is no secret.'): Waiver =>
  waiverSchema.parse({ finding, by: 'maria', at: '2026-01-02T03:04:05.000Z', reason });
const line = (text: string, at = 3, file = 'src/a.js') => ({ file, line: at, text });
const ETAG = "const etag = createHash('sha1').update(body).digest('hex');";
const [found] = scanLines([line(ETAG)]);
if (found === undefined) throw new Error('a weak hash is a finding');
const FINDING = findingOf(found) ?? '';

describe('a finding', () => {
  test('says by which words a person lifts it', () => {
    expect(FINDING).toMatch(/^W-[0-9a-f]{12}$/);
    expect(found.message).toBe(
      `src/a.js:3: the hash is broken: \`createHash('sha1').update(body).digest('hex')\`. A person who finds it right lifts it by \`/waive ${FINDING} <why>\`.`,
    );
  });

  test('keeps its name where its line moves, and is another one with another text, file or rule', () => {
    const named = (...lines: readonly ReturnType<typeof line>[]) => scanLines(lines).map(findingOf);
    expect(named(line(`  ${ETAG}`, 99))).toEqual([FINDING]);
    expect(named(line(ETAG.replace('body', 'password')))).not.toContain(FINDING);
    expect(named(line(ETAG, 3, 'src/b.js'))).not.toContain(FINDING);
    expect(new Set(named(line(ETAG, 3), line(ETAG, 9))).size).toBe(2);
  });

  test('that was lifted does not count, and stands in what the measurement says', () => {
    const other = scanLines([line('eval(text)', 5)]);
    const { standing, lifted } = judgeFindings([found, ...other], [waiverFor(FINDING, 'An ETag\nis no secret.')]);
    expect(standing).toEqual(other);
    expect(liftedNote(lifted)).toBe('; 1 waived by @maria: weak-hash in src/a.js:3, "An ETag is no secret."');
    expect(liftedNote([])).toBe('');
  });

  test('of the rules about tests is bound to the contents that the person saw', () => {
    const changedTo = (id: string) =>
      integrityDefects({
        trees: new Map(),
        runner: 'node-test',
        base: new Map([['test/a.test.js', '1']]),
        head: new Map([['test/a.test.js', id]]),
        baseText: () => undefined,
        headText: () => undefined,
        supersededTests: [],
        frozen: undefined,
        added: [line("const todo = { todo: 'buy milk' };", 4, 'test/a.test.js')],
      });
    const waivers = changedTo('2').map((one) => waiverFor(findingOf(one) ?? ''));
    expect(waivers).toHaveLength(2);
    expect(judgeFindings(changedTo('2'), waivers).standing).toEqual([]);
    expect(judgeFindings(changedTo('3'), waivers).standing).toHaveLength(2);
  });
});

describe('nobody lifts', () => {
  test.each<readonly [string, readonly Defect[]]>([
    ['a secret', scanLines([line(`const key = 'AKIA${'ABCD1234'.repeat(2)}';`)])],
    ['a password in an address', scanLines([line(`postgres://admin:${'hunter22'}@db.acme.dev/x`)])],
    [
      'a frozen test that was changed',
      integrityDefects({
        trees: new Map(),
        runner: 'node-test',
        base: new Map(),
        head: new Map(),
        baseText: () => undefined,
        headText: () => undefined,
        supersededTests: [],
        frozen: { files: [{ path: 'test/f.test.js', content: 'x' }], tests: [], digest: `sha256:${'0'.repeat(64)}` },
        added: [],
      }),
    ],
    ...['path-policy', 'evidence', 'acceptance', 'regression', 'flakiness', 'repository-check'].map(
      (rule) =>
        [`a defect of the rule ${rule}`, [findingDefect({ rule, message: 'm', file: 'f', bound: [] })]] as const,
    ),
  ])('%s: it has no name that could be said', (_, defects) => {
    expect(defects.length).toBeGreaterThan(0);
    expect(defects.map(findingOf)).toEqual(defects.map(() => undefined));
    for (const { message } of defects) expect(message).not.toContain('/waive');
    expect(judgeFindings(defects, [waiverFor(FINDING)]).standing).toEqual(defects);
  });

  test('a defect of another rule whose file is called like a finding', () => {
    const frozen = defect({ rule: 'frozen-test', file: `test/x#${FINDING}`, message: 'A frozen test was changed.' });
    const named = { ...frozen, id: `frozen-test#${FINDING}` };
    expect(judgeFindings([frozen, named], [waiverFor(FINDING)]).standing).toEqual([frozen, named]);
  });

  test('anything by a waiver that names something else', () => {
    const finding = fc.stringMatching(/^W-[0-9a-f]{12}$/).filter((name) => name !== FINDING);
    fc.assert(
      fc.property(fc.array(finding.map((name) => waiverFor(name))), (waivers) => {
        expect(judgeFindings([found, defect({ rule: 'suite', message: 'red' })], waivers).lifted).toEqual([]);
      }),
    );
  });
});
