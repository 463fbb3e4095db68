/** Quotes the code that a finding is about, so that its reader knows what is meant. Pure. */
import { code } from '../documents/markdown.ts';
import { stripInvisible } from './invisible.ts';
import { findSecrets } from './secrets.ts';

/** In characters. */
const LONGEST = 80;
/** More of a text is not looked at: no secret that begins in what is quoted is longer. */
const LOOKED_AT = 400;

/** What follows in a sentence, such as `: eval(text)` with the code as code; empty where nothing can be shown, or a secret would be. */
export function quotedCode(source: string): string {
  const part = stripInvisible(source.slice(0, LOOKED_AT)).text.replaceAll(/\s+/g, ' ').trim();
  if (part === '' || findSecrets(part).length > 0) return '';
  const shown = cut([...closed(part)]).toWellFormed();
  return shown === '' ? '' : `: ${code(shown)}`;
}

function cut(characters: readonly string[]): string {
  if (characters.length <= LONGEST) return characters.join('');
  const kept = characters.slice(0, LONGEST - 1).join('');
  return `${kept.trimEnd()}…`;
}

const OPENS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** Without what only goes on, or closes what was opened before. */
function closed(part: string): string {
  const text = part.replace(/[\s;,:{]+$/, '');
  const last = text.at(-1) ?? '';
  const open = OPENS[last];
  const isOpened = open === undefined || text.split(open).length >= text.split(last).length;
  return isOpened ? text : closed(text.slice(0, -1));
}

/** The code from one place of a text to another, and the rest of the line there. */
export function codeFrom(text: string, start: number, end: number): string {
  const part = text.slice(start, start + LOOKED_AT);
  const lineEnd = part.indexOf('\n', end - start);
  return lineEnd === -1 ? part : part.slice(0, lineEnd);
}
