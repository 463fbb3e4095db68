import { expect, test } from 'vitest';
import { z } from 'zod';
import { answerParser } from '../../src/adapters/model-format.ts';

test('an answer that cannot be used is sent back in bounds, however long it and its problems are', () => {
  const keys = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`key${index}`, 'x']));
  const content = JSON.stringify(keys);
  const received = { choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }] };
  const reading = answerParser(z.strictObject({ a: z.string() }))(received);
  expect(reading).toMatchObject({ type: 'unusable', what: 'an answer with 2 problems' });
  const sent = JSON.stringify('correction' in reading ? reading.correction : '');
  expect(sent.length).toBeGreaterThan(1000);
  expect(sent.length).toBeLessThan(300_000);
});

test('an answer that is far too long is not looked into', () => {
  const content = JSON.stringify({ a: 'x'.repeat(1_000_000) });
  const received = { choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }] };
  expect(answerParser(z.strictObject({ a: z.string() }))(received)).toEqual({
    type: 'unusable',
    what: 'an answer of more than 1000000 characters',
    correction: [],
  });
});
