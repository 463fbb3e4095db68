/** Characters that people cannot see and that a model reads: one table, used for what comes in and for what goes out. */

export interface Removal {
  /** What kind of hidden thing it was. */
  readonly what: string;
  readonly count: number;
  /** What it said, where it said anything; at most 200 characters. */
  readonly said: string;
}

interface Kind {
  readonly what: string;
  readonly pattern: RegExp;
  readonly says?: (removed: string) => string;
}

const EXCERPT = 200;

const CONTROLS: Kind = { what: 'control characters', pattern: /[^\P{Cc}\t\n]/gu };

const KINDS: readonly Kind[] = [
  {
    what: 'tag characters',
    pattern: /[\u{E0000}-\u{E007F}]+/gu,
    says: (removed) => [...removed].map((one) => String.fromCodePoint((one.codePointAt(0) ?? 0) - 0xe0000)).join(''),
  },
  { what: 'bidirectional control characters', pattern: /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu },
  // A zero-width joiner between two emoji makes them one.
  {
    what: 'zero-width characters',
    pattern:
      /[\p{Default_Ignorable_Code_Point}--[\u200D\uFE00-\uFE0F\u{E0100}-\u{E01EF}]]|(?<!\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]?)\u200D|\u200D(?!\p{Extended_Pictographic})/gv,
  },
  // After an emoji, a digit of a keycap or a symbol that has both looks, U+FE0E and U+FE0F choose how it looks.
  {
    what: 'variation selectors',
    pattern: /[\uFE00-\uFE0D\u{E0100}-\u{E01EF}]|(?<![\p{Emoji}\p{Extended_Pictographic}])[\uFE0E\uFE0F]/gu,
  },
  CONTROLS,
];

/** Takes out every invisible character and says what was there, by kind. Where `keepsControls`, control characters stay: something else shows them. */
export function stripInvisible(
  text: string,
  keepsControls = false,
): { readonly text: string; readonly removed: readonly Removal[] } {
  // Most texts have none, and this is told at once.
  if (/^[\t\n -~]*$/.test(text)) return { text, removed: [] };
  const removed: Removal[] = [];
  let rest = text;
  for (const { what, pattern, says } of keepsControls ? KINDS.filter((kind) => kind !== CONTROLS) : KINDS) {
    const found = [...rest.matchAll(pattern)].map(([match]) => match);
    if (found.length === 0) continue;
    removed.push({ what, count: found.length, said: (says?.(found.join('')) ?? '').slice(0, EXCERPT) });
    rest = rest.replace(pattern, '');
  }
  return { text: rest, removed };
}
