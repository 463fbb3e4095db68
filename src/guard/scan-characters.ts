/** Characters on added lines that make code read otherwise than it runs ("Trojan Source", CVE-2021-42574 and CVE-2021-42694). Pure. */
import { stripInvisible } from './invisible.ts';

export interface CharacterRule {
  readonly name: string;
  readonly finds: (line: string) => boolean;
  readonly because: string;
  readonly fix: string;
}

/** Letters of Greek and Cyrillic that look like Latin ones; others, like π, Δ or я, deceive nobody. */
const LOOKALIKE = 'ΑΒΕΖΗΙΚΜΝΟΡΤΥΧνορАВЕКМНОРСТУХЅІЈасеорхуѕіјһԁԛԝ';
const MIXED = new RegExp(`[A-Za-z][\\w${LOOKALIKE}]*[${LOOKALIKE}]|[${LOOKALIKE}][\\w${LOOKALIKE}]*[A-Za-z]`, 'u');

export const CHARACTER_RULES: readonly CharacterRule[] = [
  {
    name: 'invisible-character',
    // The end of a line as Windows writes it, and the mark at the beginning of a file, are ordinary.
    finds: (line) => stripInvisible(line.replace(/^\uFEFF|\r$/g, '')).removed.length > 0,
    because: 'it has characters that nobody sees, or that change the order in which it is read',
    fix: 'Write such a character as an escape, or leave it out.',
  },
  {
    name: 'confusable-name',
    finds: (line) => MIXED.test(line),
    because: 'a word mixes Latin letters with letters of another script that look the same',
    fix: 'Write the word in the letters of one script.',
  },
];
