/** What pip's `requirements.txt` asks for, and what a change of it may add. Pure: texts in, sentences out. */

export const REQUIREMENTS = 'requirements.txt';

/** Where Python, and so pip, ends a line, and wherever else there is a control character: https://docs.python.org/3/library/stdtypes.html#str.splitlines */
const LINE_END = /\r\n|[^\P{Cc}\t]|[\u2028\u2029]/u;
const COMMENT = /(?:^|\s)#.*$/;

/** The lines of such a file, without comments and with each line joined that goes on, as pip reads it: https://pip.pypa.io/en/stable/reference/requirements-file-format/ */
export function linesOf(text: string): readonly string[] {
  const lines: string[] = [];
  let begun = '';
  for (const physical of text.split(LINE_END)) {
    const isComment = /^\s*#/.test(physical);
    if (physical.endsWith('\\') && !isComment) {
      begun += physical.replace(/^\\+|\\+$/g, '');
      continue;
    }
    lines.push(begun + (isComment ? ' ' : '') + physical);
    begun = '';
  }
  return [...lines, begun].map((line) => line.replace(COMMENT, '').trim().split(/\s+/).join(' ')).filter(Boolean);
}

/** What the one text asks for and the other does not, a line each. */
export function addedRequirements(before: string, after: string): readonly string[] {
  const known = new Set(linesOf(before));
  return [...new Set(linesOf(after))].filter((line) => !known.has(line));
}

/** Why a changed text is not followed, a clause each: only requirements are added, each of one version, with digests where those of the base have them. */
export function strangeRequirements(before: string, after: string): readonly string[] {
  const gone = addedRequirements(after, before);
  const stays = linesOf(before).filter((line) => !gone.includes(line));
  const base = { named: new Set(stays.flatMap(nameOf)), digests: digestsIn(linesOf(before)) };
  return [
    ...gone.map(
      (line) => `${shown(line)} of the base is altered or gone, which a person does on the default branch first`,
    ),
    ...addedRequirements(before, after).flatMap((line) => strangeness(line, base) ?? []),
  ];
}

/** https://github.com/pypa/pip/blob/main/src/pip/_internal/req/req_file.py: in a comment of the first two lines it names the encoding of all. */
const ENCODING = /coding[:=]\s*([-\w.]+)/;
const SAME_AS_OURS = /^(?:utf-?8|ascii)$/i;

/** Why pip would not read the text that people and we read, in comments too, a clause each; what the base has already is none. */
export function otherReadings(before: string, after: string): readonly string[] {
  const encoding = encodingOf(after);
  const isOther = encoding !== undefined && !SAME_AS_OURS.test(encoding) && encoding !== encodingOf(before);
  const strange = STRANGE.filter(([character]) => after.includes(character, 1) && !before.includes(character, 1));
  return [
    ...(isOther ? [`a comment has pip read it as ${shown(encoding)}, and not as UTF-8`] : []),
    ...strange.map(([, what]) => `it has ${what}`),
  ];
}

const STRANGE = [
  ['\u{FFFD}', 'bytes that are no UTF-8'],
  ['\u{FEFF}', 'a byte order mark within'],
] as const;

function encodingOf(text: string): string | undefined {
  const [first = '', second = ''] = text.split('\n');
  return [first, second].map((line) => (line.startsWith('#') ? ENCODING.exec(line)?.[1] : undefined)).find(Boolean);
}

interface Known {
  readonly named: ReadonlySet<string>;
  readonly digests: 'all' | 'none' | 'either';
}

const FIRST = 'has to be on the default branch first';
const DIGEST = /^--hash=sha256:[0-9a-f]{64}$/;
const PINNED = /^[A-Za-z0-9][\w.-]* ?(?:\[[\w., -]*\] ?)?== ?[A-Za-z0-9][\w.!+-]*(?: ?;[\w\s"'.,<>=!~()+-]+)?$/;

function strangeness(line: string, { named, digests }: Known): string | undefined {
  const { requirement, options } = partsOf(line);
  if (requirement === '') return `${shown(line)} is an option, which ${FIRST}`;
  if (/:\/\/|^[./~]|[/\\@]|^git\+|\.(?:whl|zip|tar\.\w+|tgz)$/.test(requirement))
    return `${shown(line)} is an address or a path, which ${FIRST}`;
  if (!PINNED.test(requirement)) return `${shown(line)} does not ask for one version; write it as \`name==version\``;
  const other = options.find((option) => !DIGEST.test(option));
  if (other !== undefined)
    return `${shown(line)} has \`${cut(other)}\`, and nothing but \`--hash=sha256:…\` is followed`;
  if (digests === 'all' && options.length === 0)
    return `${shown(line)} has no digest, and the base's lines have; add its \`--hash=sha256:…\``;
  if (digests === 'none' && options.length > 0)
    return `${shown(line)} has a digest, and the base's lines have none, of which pip would want them then; leave it out`;
  const name = nameOf(line).find((one) => named.has(one));
  return name === undefined ? undefined : `${shown(line)} asks for \`${name}\` again, which the base asks for already`;
}

/** As pip does, at the first word that begins with a dash. */
function partsOf(line: string): { readonly requirement: string; readonly options: readonly string[] } {
  const words = line.split(' ');
  const at = words.findIndex((word) => word.startsWith('-'));
  const end = at < 0 ? words.length : at;
  return { requirement: words.slice(0, end).join(' '), options: words.slice(end) };
}

/** In the one spelling that all have: https://packaging.python.org/en/latest/specifications/name-normalization/ */
function nameOf(line: string): readonly string[] {
  const name = /^[A-Za-z0-9][\w.-]*/.exec(line)?.[0];
  return name === undefined ? [] : [name.toLowerCase().replaceAll(/[-_.]+/g, '-')];
}

/** pip wants digests of all or of none. */
function digestsIn(lines: readonly string[]): Known['digests'] {
  if (lines.some((line) => / --hash[= ]|^--require-hashes\b/.test(line))) return 'all';
  return lines.some((line) => !line.startsWith('-')) ? 'none' : 'either';
}

const MOST_SHOWN = 120;

/** For people to read. */
export function shown(line: string): string {
  return `\`${cut(line)}\``;
}

/** Without who asks, where a line holds an address. */
function cut(text: string): string {
  const plain = text.replaceAll(/\/\/[^@/ ]*@/g, '//');
  return plain.length <= MOST_SHOWN ? plain : `${plain.slice(0, MOST_SHOWN).toWellFormed()}…`;
}
