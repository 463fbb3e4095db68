import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { relevanceOf, selectParts, tokensOf, wordsOf } from '../../src/context/select.ts';

const part = fc.record({
  name: fc.string(),
  text: fc.string({ maxLength: 200 }),
  mustKeep: fc.boolean(),
  worth: fc.integer({ min: 0, max: 9 }),
});

describe('selectParts', () => {
  it('keeps every must-keep part, stays within the budget with the rest, and cuts nothing', () => {
    fc.assert(
      fc.property(fc.array(part), fc.integer({ min: 0, max: 300 }), (parts, budget) => {
        const { kept, leftOut, tokens } = selectParts(parts, budget);
        const must = parts.filter(({ mustKeep }) => mustKeep);
        expect(kept).toEqual(parts.filter((each) => kept.includes(each)));
        expect(must.every((each) => kept.includes(each))).toBe(true);
        expect(kept.length + leftOut.length).toBe(parts.length);
        const needed = must.reduce((total, { text }) => total + tokensOf(text), 0);
        expect(tokens).toBeLessThanOrEqual(Math.max(budget, needed));
      }),
    );
  });

  it('prefers worth, and still takes a smaller part when a larger one does not fit', () => {
    const parts = [
      { name: 'large', text: 'x'.repeat(400), mustKeep: false, worth: 9 },
      { name: 'small', text: 'x'.repeat(40), mustKeep: false, worth: 1 },
      { name: 'middle', text: 'x'.repeat(80), mustKeep: false, worth: 5 },
    ];
    const { kept, leftOut } = selectParts(parts, 30);
    expect(kept.map(({ name }) => name)).toEqual(['small', 'middle']);
    expect(leftOut).toEqual(['large']);
  });
});

describe('relevanceOf', () => {
  it('counts a shared word in the path more than one in the text', () => {
    const asked = wordsOf('Filter the items by state');
    expect(relevanceOf('src/items.js', '', asked)).toBeGreaterThan(relevanceOf('src/other.js', 'filter items', asked));
    expect(relevanceOf('src/other.js', 'nothing shared', asked)).toBe(0);
  });
});
