import { expect, it } from 'vitest';
import { slipOf } from '../../src/loop/people/slips.ts';

it.each([
  ['/aprove', '/aprove', 'approve'],
  ['/approved', '/approved', 'approve'],
  ['/apporve now', '/apporve', 'approve'],
  ['/Rejcet R2: smaller', '/Rejcet', 'reject'],
  ['/contxt: mind it', '/contxt:', 'context'],
  ['/approve?', '/approve?', 'approve'],
  ['/approve!', '/approve!', 'approve'],
  ['/release.', '/release.', 'release'],
  ['/rerun.', '/rerun.', 'rerun'],
  ['/stop?', '/stop?', 'stop'],
  ['/stpo', '/stpo', 'stop'],
  ['/stopp', '/stopp', 'stop'],
])('%s was meant as a command', (line, written, meant) => {
  expect(slipOf(line)).toEqual({ written, meant });
});

it.each([
  '/approve',
  '/stop!',
  '/auth',
  '/shop',
  '/hold',
  '/lgtm',
  '/retest',
  '/etc/hosts',
  '/stop/now',
  'aprove',
  '/',
])('%s was not', (line) => {
  expect(slipOf(line)).toBeUndefined();
});
