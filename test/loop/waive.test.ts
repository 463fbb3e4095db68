/** `/waive <finding> <why>`: a person lifts one finding of the last try, and it is recorded who did and why. */
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/loop/decide.ts';
import { defect } from '../../src/loop/defect.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { parseCommands } from '../../src/loop/people/commands.ts';
import { building, sentences } from './stands.ts';
import { command, timeOf } from './world.ts';

const FINDING = 'W-3f9a2c0b1d4e';
const found = (): Loop => ({
  ...building(),
  status: 'stopped',
  feedback: [
    defect({ rule: 'shell-option', about: `src/a.ts:3#${FINDING}`, message: 'A shell is asked for.' }),
    defect({ rule: 'secret', about: 'src/b.ts:1', message: 'A secret is added.' }),
  ],
});
const said = (loop: Loop, argument: string) => decide(loop, command('waive', argument, timeOf(80))).loop;

describe('/waive', () => {
  it('lifts a finding of the last try, and records who did and why', () => {
    expect(said(found(), `${FINDING} it runs our own script`).waivers).toEqual([
      { finding: FINDING, by: 'maria', at: timeOf(80), reason: 'it runs our own script' },
    ]);
  });

  it('takes its name with code marks, and the reason from the lines below too', () => {
    expect(parseCommands([{ line: `/waive \`${FINDING}\``, below: 'it runs\nour own script' }])).toEqual([
      { command: 'waive', argument: `\`${FINDING}\`\nit runs\nour own script` },
    ]);
    expect(said(found(), `\`${FINDING}\`\nit runs\nour own script`).waivers).toMatchObject([
      { finding: FINDING, reason: 'it runs our own script' },
    ]);
  });

  it.each([
    ['no finding', '', 'Say which finding'],
    ['one that was not found', 'W-000000000000', 'found nothing named "W-000000000000"'],
    ['a secret', 'secret:src/b.ts:1', 'secrets, gaps in the evidence'],
  ])('answers with one sentence where it names %s', (_, argument, sentence) => {
    const after = said(found(), argument);
    expect(after.waivers).toEqual([]);
    expect(sentences(after).join()).toContain(sentence);
  });

  it('lifts nothing twice', () => {
    const twice = said(said(found(), FINDING), FINDING);
    expect(twice.waivers).toHaveLength(1);
    expect(sentences(twice).join()).toContain('is waived already');
  });

  it('is for people with write permission', () => {
    const by = { ...command('waive', FINDING, timeOf(80)), permitted: false };
    expect(decide(found(), by).loop.waivers).toEqual([]);
  });
});
