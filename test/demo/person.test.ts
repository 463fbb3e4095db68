/** Who sits before the demo is heard in order, and asked only for what is still open. */
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { personAt } from '../../src/demo/person.ts';
import { eventually } from '../eventually.ts';

test('lines typed together are said in their order, where they were asked for', async () => {
  const said: string[] = [];
  const asked: string[] = [];
  const input = new PassThrough();
  const comment = async (number: number, words: string): Promise<void> => {
    await sleep(words.startsWith('/context') ? 50 : 1);
    said.push(`#${number} ${words}`);
  };
  const story = { said: () => undefined, asks: (hint: string) => void asked.push(hint) };
  const person = personAt(input, { maintainer: { comment }, story, entrance: 'http://127.0.0.1/enter' });
  await person.awaited('/answer 1a', 1);
  person.at(7);
  input.write('/answer 1b\n');
  await eventually(async () => said.length === 1, 'the answer');
  person.at(7);
  input.write('/context use tabs\n/approve\n\n');
  await eventually(async () => asked.length === 2, 'the empty line');
  expect(said).toEqual(['#1 /answer 1b', '#7 /context use tabs', '#7 /approve']);
  expect(asked[0]).toContain('/answer 1a');
  expect(asked[1]).toContain('nothing waits for you now');
  person.close();
});
