/** What looks like a secret: well-known token forms, and the known values of our own, also when they are encoded, cut or spaced out. */

interface SecretPattern {
  readonly name: string;
  readonly pattern: RegExp;
  /** What else must be so of a match. A pattern that fails after a long run begins again within it, and a stranger's text of few kB would hold the App up for hours. */
  readonly isSecret?: (match: string) => boolean;
}

/**
 * Where a token may begin: not within a word. Texts are looked through as JSON too, as JSON within JSON, as part of an address or with a terminal's colours,
 * where the letter before a token belongs to what stands between: `\n`, `\u000a`, `\x0a`, `\012`, `%0A`, `[32m`.
 */
const BEGINS =
  /(?:(?<![A-Za-z0-9])|(?<=\\(?:[befnrtv]|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|[0-7]{1,3}))|(?<=%[\dA-Fa-f]{2})|(?<=\[[\d;]{0,12}[mK]))/;

function token({ source, flags }: RegExp): RegExp {
  return new RegExp(`${BEGINS.source}(?:${source})`, `g${flags}`);
}

/** Prefixes as their issuers document them; a bare word of 20 letters is no secret, and neither is a git sha. */
const PATTERNS: readonly SecretPattern[] = [
  {
    name: 'private key',
    pattern: /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)/g,
  },
  { name: 'GitHub token', pattern: token(/gh[opusr]_[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_-]+)*/) },
  { name: 'GitHub token', pattern: token(/github_pat_[A-Za-z0-9_]{20,}/) },
  { name: 'GitLab token', pattern: token(/gl(?:pat|dt|rt|ptt|cbt|ft|soat)-[A-Za-z0-9_-]{16,}/) },
  { name: 'model key', pattern: token(/sk-[A-Za-z0-9_-]{20,}/), isSecret: (match) => /\d/.test(match) },
  { name: 'AWS key id', pattern: token(/(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}(?![0-9A-Za-z])/) },
  { name: 'Google key', pattern: token(/AIza[0-9A-Za-z_-]{35,}/) },
  { name: 'Google token', pattern: token(/ya29\.[0-9A-Za-z_-]{20,}/) },
  { name: 'Slack token', pattern: token(/xox[abeoprs]-[0-9A-Za-z-]{10,}|xapp-[0-9A-Za-z-]{10,}/) },
  {
    name: 'webhook address',
    pattern:
      /https:\/\/hooks\.slack\.com\/(?:services|workflows)\/[A-Za-z0-9/_-]+|https:\/\/discord(?:app)?\.com\/api\/webhooks\/[A-Za-z0-9/_-]+/g,
  },
  { name: 'npm token', pattern: token(/npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/) },
  { name: 'PyPI token', pattern: token(/pypi-AgE[A-Za-z0-9_-]{30,}/) },
  { name: 'Stripe key', pattern: token(/[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{16,}/) },
  { name: 'Hugging Face token', pattern: token(/hf_[A-Za-z0-9]{30,}/) },
  { name: 'SendGrid key', pattern: token(/SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/) },
  { name: 'DigitalOcean token', pattern: token(/do[oprt]_v1_[a-f0-9]{40,}/) },
  { name: 'Azure key', pattern: token(/(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{20,}={0,2}/) },
  { name: 'signed token', pattern: token(/eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)*/), isSecret: hasSignedParts },
  {
    name: 'bearer token',
    pattern: token(/(?:Bearer|Basic)(?:\s|%20|\\[nrt])+(?=[A-Za-z0-9._~+/-]*\d)[A-Za-z0-9._~+/-]{16,}=*/i),
  },
  { name: 'password in an address', pattern: /(?<=[a-z0-9+.-]:\/\/)[^\s/@:"'<>`]*:[^\s/@"'<>`]+(?=@)/gi },
];

/** `eyJ` is how JSON begins in base64: header and claims, and behind them the signature, which may be empty. */
const LEAST_PART = 'eyJ'.length + 8;

function hasSignedParts(match: string): boolean {
  const parts = match.split('.');
  return parts.some((header, index) => {
    const [claims = '', signature] = parts.slice(index + 1, index + 3);
    const begin = header.indexOf('eyJ');
    const isHeader = begin >= 0 && header.length - begin >= LEAST_PART;
    return isHeader && claims.startsWith('eyJ') && claims.length >= LEAST_PART && signature !== undefined;
  });
}

/** Canaries shorter than this would be found in ordinary words. */
export const SHORTEST_CANARY = 12;

/** Pieces of a canary of this many letters and digits give it away. */
const WINDOW = 12;

export interface SecretFind {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Where secrets stand in a text, in order and without overlap. `canaries` are values that must never leave. */
export function findSecrets(text: string, canaries: readonly string[] = []): readonly SecretFind[] {
  const known = PATTERNS.flatMap(({ name, pattern, isSecret = () => true }) =>
    [...text.matchAll(pattern)].flatMap(({ index: start, 0: match }) =>
      isSecret(match) ? { name, start, end: start + match.length } : [],
    ),
  );
  return merged([...known, ...findCanaries(text, canaries)]);
}

/** The text with `[… removed]` in place of each secret. Doing it again changes nothing. */
export function withoutSecrets(text: string, canaries: readonly string[] = []): string {
  let rest = text;
  // What stands beside a secret may only read as one once that is gone.
  for (let finds = findSecrets(rest, canaries); finds.length > 0; finds = findSecrets(rest, canaries)) {
    const kept: string[] = [];
    let from = 0;
    for (const { name, start, end } of finds) {
      kept.push(rest.slice(from, start), `[${name} removed]`);
      from = end;
    }
    rest = kept.join('') + rest.slice(from);
  }
  return rest;
}

function merged(finds: readonly SecretFind[]): readonly SecretFind[] {
  const result: SecretFind[] = [];
  for (const find of finds.toSorted((left, right) => left.start - right.start || right.end - left.end)) {
    const last = result.at(-1);
    if (last && find.start < last.end) result[result.length - 1] = { ...last, end: Math.max(last.end, find.end) };
    else if (find.end > find.start) result.push(find);
  }
  return result;
}

/** Where known values stand in a text, disguised or not. Compares letters and digits only and without case, so that spaces, dashes or quotes between the pieces hide nothing. */
export function findCanaries(text: string, canaries: readonly string[]): readonly SecretFind[] {
  const known = windowsOfAll(canaries);
  if (known.whole.size === 0) return [];
  const hits = hitsIn(lettersOf(text), known);
  if (hits.length === 0) return [];
  const places = [...text.matchAll(LETTER)].map((match) => match.index);
  return hits.map((index) => ({
    name: 'secret',
    start: places[index] ?? 0,
    end: (places[index + WINDOW - 1] ?? 0) + 1,
  }));
}

/** Half a window begins at one of so many places in a row, wherever the window begins. */
const STRIDE = WINDOW / 2 + 1;

/** Where windows begin, in order. Few places need a look: a whole window has half of one at one of them. */
function hitsIn(letters: string, { whole, halves }: Windows): readonly number[] {
  const hits: number[] = [];
  for (let place = 0; place + WINDOW / 2 <= letters.length; place += STRIDE) {
    if (!halves.has(letters.slice(place, place + WINDOW / 2))) continue;
    for (let index = Math.max(0, place - WINDOW / 2); index <= place; index += 1)
      if (whole.has(letters.slice(index, index + WINDOW))) hits.push(index);
  }
  return hits;
}

interface Windows {
  readonly whole: ReadonlySet<string>;
  readonly halves: ReadonlySet<string>;
}

/** By the list that holds the canaries: the same one is asked for with every text that leaves. */
const KNOWN_WINDOWS = new WeakMap<readonly string[], Windows>();

function windowsOfAll(canaries: readonly string[]): Windows {
  const known = KNOWN_WINDOWS.get(canaries) ?? windowsIn(canaries.flatMap(disguisesOf).map(lettersOf));
  KNOWN_WINDOWS.set(canaries, known);
  return known;
}

function windowsIn(disguises: readonly string[]): Windows {
  const pieces = (length: number): ReadonlySet<string> =>
    new Set(disguises.flatMap((letters) => piecesOf(letters, length)));
  return { whole: pieces(WINDOW), halves: pieces(WINDOW / 2) };
}

/** A canary as it is, backwards, in hex, and in base64 at each of the three places where a base64 group may begin. */
function disguisesOf(canary: string): readonly string[] {
  const value = canary.replace(/-----(?:BEGIN|END) [A-Z ]+-----/g, '').trim();
  if (value.length < SHORTEST_CANARY) return [];
  const bytes = new TextEncoder().encode(value);
  const encoded = [0, 1, 2].map((shift) =>
    base64(Uint8Array.from([...Array<number>(shift).fill(0), ...bytes])).slice(shift === 0 ? 0 : 4, -4),
  );
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [value, [...value].toReversed().join(''), hex, ...encoded];
}

function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

function piecesOf(letters: string, length: number): readonly string[] {
  return Array.from({ length: Math.max(0, letters.length - length + 1) }, (_, index) =>
    letters.slice(index, index + length),
  );
}

const LETTER = /[A-Za-z0-9]/g;

/** Letters and digits alone, in small letters. */
function lettersOf(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]+/g, '').toLowerCase();
}
