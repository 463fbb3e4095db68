/** What a long conversation sends to the model, and what of it is kept for people. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KEPT_RESULTS, shortened } from '../../src/jobs/build/history.ts';
import { abridged, TRANSCRIPT_CHARACTERS } from '../../src/jobs/report/transcripts.ts';
import type { Message } from '../../src/ports.ts';

const BEGINNING: readonly Message[] = [
  { role: 'system', content: 'S'.repeat(5_000) },
  { role: 'user', content: 'T'.repeat(5_000) },
];
const turn = (index: number, size: number): readonly Message[] => [
  {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: `c${index}`, name: 'write_file', arguments: JSON.stringify({ content: 'x'.repeat(size) }) }],
  },
  { role: 'tool', toolCallId: `c${index}`, content: `${index} ${'r'.repeat(size)}` },
];
const conversation = (turns: number, size: number): readonly Message[] => [
  ...BEGINNING,
  ...Array.from({ length: turns }, (_, index) => turn(index, size)).flat(),
];
const sizeOf = (messages: readonly unknown[]) => JSON.stringify(messages).length;
const shapeOf = (messages: readonly Message[]) =>
  messages.map((message) => ('toolCallId' in message ? message.toolCallId : message.role));

describe('a conversation', () => {
  test('that fits is sent as it is', () => {
    const messages = conversation(5, 1000);
    expect(shortened(messages, 60_000)).toBe(messages);
  });

  test('that grows past its budget loses old results and texts of old calls, never the task, the last results or a call', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 8000 }), (turns, size) => {
        const messages = conversation(turns, size);
        const sent = shortened(messages, 200_000);
        expect(sent.slice(0, 2)).toEqual(BEGINNING);
        expect(sent.slice(-2 * KEPT_RESULTS + 1)).toEqual(messages.slice(-2 * KEPT_RESULTS + 1));
        expect(shapeOf(sent)).toEqual(shapeOf(messages));
        for (const message of sent)
          if (message.role === 'assistant') for (const call of message.toolCalls) JSON.parse(call.arguments);
        expect(sizeOf(sent)).toBeLessThan(200_000 + KEPT_RESULTS * 2 * 8_000);
      }),
    );
  });

  test('is shortened well below its budget, so that its beginning stays the same for the turns that follow', () => {
    const sent = shortened(conversation(60, 4000), 200_000);
    const later = shortened([...sent, ...turn(60, 4000), ...turn(61, 4000)], 200_000);
    expect(later.slice(0, sent.length)).toEqual(sent);
  });
});

describe('a transcript', () => {
  test('of a short conversation is whole', () => {
    expect(abridged(conversation(2, 100))).toEqual(conversation(2, 100));
  });

  test('of any conversation is small, and says what lies between its beginning and its end', () => {
    const kept = abridged(conversation(400, 20_000));
    expect(sizeOf(kept)).toBeLessThan(TRANSCRIPT_CHARACTERS * 1.1);
    expect(kept).toContainEqual({ note: expect.stringMatching(/^\d+ messages left out$/) });
    expect(kept.at(-1)).toMatchObject({ role: 'tool', toolCallId: 'c399' });
  });
});
