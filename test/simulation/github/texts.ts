/** Texts as they leave: through the real filter, on a part of them that their own letters decide, because it costs a millisecond each. */
import { outgoing, outgoingPlain } from '../../../src/guard/outgoing.ts';

const RULES = { allowedHosts: ['github.com'], canaries: ['a canary that never leaves'] };
const SHARE = 9;

export function markdown(text: string, mention: readonly string[] = []): string {
  return isChosen(text) ? outgoing(text, { ...RULES, mention }) : text;
}

export function plain(text: string): string {
  return isChosen(text) ? outgoingPlain(text, RULES) : text;
}

function isChosen(text: string): boolean {
  let sum = 0;
  for (let index = 0; index < text.length; index += 7) sum += text.charCodeAt(index);
  return sum % SHARE === 0;
}
