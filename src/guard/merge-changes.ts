/** Brings earlier work of the loop onto a head that people have moved: three-way per file, and their side wins. Pure. */
import type { FileChange, FrozenTests } from '../loop/brief.ts';
import { defect } from '../loop/defect.ts';
import type { Defect } from '../loop/measurement.ts';
import { mergeLines } from './merge-lines.ts';

/** One file of a commit. */
export interface TreeFile {
  /** As git writes it: 100644, 100755, 120000 for a link, 160000 for a submodule. */
  readonly mode: string;
  /** Base64; undefined where it was not read, because it is no regular file or too large. */
  readonly content: string | undefined;
}
/** All files of a commit by path; contents are needed of those paths only that the earlier work changed. */
export type Tree = ReadonlyMap<string, TreeFile>;

export interface MergeRequest {
  /** What the loop had changed against `before`. */
  readonly changes: readonly FileChange[];
  /** The frozen tests, which lie over every candidate letter by letter. */
  readonly frozen: FrozenTests | null;
  /** The commit that the earlier work was made on; undefined when the branch was rewritten and it is gone. */
  readonly before: Tree | undefined;
  /** The branch as it is now. */
  readonly after: Tree;
}

/** A place where the earlier work gave way, or where a frozen test covers what people wrote. */
export interface Conflict {
  readonly path: string;
  /** What people did, as a sentence. */
  readonly why: string;
  /** The loop's lines that were left out, if any can be shown. */
  readonly lost: string;
}

export interface MergedChanges {
  /** Against `after`; what is there already is no change. */
  readonly changes: readonly FileChange[];
  readonly conflicts: readonly Conflict[];
}

/** The three sides of one path; a side is undefined where the path has no file. */
interface Sides {
  readonly path: string;
  readonly base: TreeFile | undefined;
  readonly ours: TreeFile | undefined;
  readonly theirs: TreeFile | undefined;
  readonly isFrozen: boolean;
  readonly isRewritten: boolean;
}
interface Outcome {
  /** What the path shall have; undefined for no file. */
  readonly file: TreeFile | undefined;
  readonly why?: string;
  readonly lost?: string;
}

const ours = ({ ours: file }: Sides): Outcome => ({ file });
const theirs = ({ theirs: file }: Sides): Outcome => ({ file });
/** Their file stands, and it is told. */
const yields =
  (why: string) =>
  ({ theirs: file, ours: lost }: Sides): Outcome => ({ file, why, lost: textOf(lost) ?? '' });

/** What becomes of a path; the first row that fits decides. Their side is lost in no row but the one of frozen tests, and that one tells. */
const ROWS: readonly { readonly when: (sides: Sides) => boolean; readonly take: (sides: Sides) => Outcome }[] = [
  { when: (sides) => isSame(sides.ours, sides.theirs), take: theirs },
  {
    // A commit approves nothing: the frozen tests say what was approved, so people change them by a new plan.
    when: ({ isFrozen, isRewritten, base, theirs: file }) =>
      isFrozen && (isRewritten ? file !== undefined : !isSame(base, file)),
    take: (sides) => ({
      ...ours(sides),
      why: 'is a frozen test, and people changed it; it was put back, because it stands for the approved acceptance rows. To change it, say `/reject plan: …`; tests of your own go into new files',
    }),
  },
  { when: ({ isFrozen }) => isFrozen, take: ours },
  {
    when: ({ isRewritten }) => isRewritten,
    take: yields('may have been changed by people, who rewrote the branch; it is as they left it'),
  },
  { when: ({ base, theirs: file }) => isSame(base, file), take: ours },
  { when: ({ base, ours: file }) => isSame(base, file), take: theirs },
  { when: ({ theirs: file }) => file === undefined, take: yields('was deleted by people; it stays deleted') },
  {
    when: ({ ours: file }) => file === undefined,
    take: yields('was deleted by the earlier work, but people changed it; it stays as they left it'),
  },
  { when: ({ base }) => base === undefined, take: yields('was made by people too; theirs stays') },
  { when: () => true, take: both },
];

/** What of the earlier work can be taken over on top of the new head, and what had to give way. */
export function mergeChanges(request: MergeRequest): MergedChanges {
  const found = sidesOf(request).map((sides) => {
    const outcome = ROWS.find(({ when }) => when(sides))?.take(sides) ?? theirs(sides);
    return { path: sides.path, theirs: sides.theirs, ...outcome };
  });
  const changes = found.flatMap(({ path, file, theirs: there }) =>
    isSame(file, there) ? [] : [changeTo(path, file, there)],
  );
  const blocked = blockedOf(changes, request.after);
  return {
    changes: changes.filter(({ path }) => !blocked.some((other) => other.path === path)),
    conflicts: [
      ...found.flatMap(({ path, why, lost }) => (why === undefined ? [] : [{ path, why, lost: lost ?? '' }])),
      ...blocked,
    ],
  };
}

const SHOWN_CHARACTERS = 2500;

/** What the builder and people are told of a conflict. It is no mistake of the candidate, so it blocks nothing by itself. */
export function conflictDefect({ path, why, lost }: Conflict): Defect {
  const shown = lost.length > SHOWN_CHARACTERS ? `${lost.slice(0, SHOWN_CHARACTERS)}\n…` : lost;
  return defect({
    rule: 'person-conflict',
    about: path,
    file: path,
    severity: 'major',
    message: `\`${path}\` ${why}.${shown.trim() === '' ? '' : ` The earlier work had:\n${shown}`}`,
    suggestion: 'Keep what people wrote, and build what is still missing around it.',
  });
}

function sidesOf({ changes, frozen, before, after }: MergeRequest): readonly Sides[] {
  const wanted = new Map(
    changes.map(({ path, mode, content }) => [path, content === null ? undefined : { mode, content }]),
  );
  const tests = new Map(
    (frozen?.files ?? []).map(({ path, content }) => [path, Buffer.from(content).toString('base64')]),
  );
  for (const [path, content] of tests) wanted.set(path, { mode: wanted.get(path)?.mode ?? '100644', content });
  return [...wanted].map(([path, file]) => ({
    path,
    base: before?.get(path),
    ours: file,
    theirs: after.get(path),
    isFrozen: tests.has(path),
    isRewritten: before === undefined,
  }));
}

/** Both changed the file: mode and content are merged each by its own. */
function both(sides: Sides): Outcome {
  const { base, theirs: there, ours: here } = sides;
  const mode = (there?.mode === base?.mode ? here?.mode : there?.mode) ?? '100644';
  if (isEqual(here?.content, base?.content)) return { file: { mode, content: there?.content } };
  if (isEqual(there?.content, base?.content)) return { file: { mode, content: here?.content } };
  const [before, ourText, theirText] = [base, here, there].map(textOf);
  if (before === undefined || ourText === undefined || theirText === undefined)
    return yields('was changed by people too, and it is no text that could be merged; theirs stays')(sides);
  const merged = mergeLines(before, ourText, theirText);
  if (merged === undefined) return yields('was changed by people in too many lines to merge; theirs stays')(sides);
  const file = { mode, content: Buffer.from(merged.text).toString('base64') };
  if (merged.lost.length === 0) return { file };
  return { file, why: 'was changed by people in the same lines; theirs stand', lost: merged.lost.join('\n…\n') };
}

function isSame(left: TreeFile | undefined, right: TreeFile | undefined): boolean {
  if (left === right) return true;
  if (left === undefined || right === undefined) return false;
  return left.mode === right.mode && isEqual(left.content, right.content);
}

/** What was not read is equal to nothing. */
function isEqual(left: string | undefined, right: string | undefined): boolean {
  return left !== undefined && left === right;
}

const REGULAR = ['100644', '100755'];

/** The text of a regular file that is valid UTF-8 without NUL; undefined for everything else. */
function textOf(file: TreeFile | undefined): string | undefined {
  if (file?.content === undefined || !REGULAR.includes(file.mode)) return undefined;
  const bytes = Buffer.from(file.content, 'base64');
  const text = bytes.toString('utf8');
  return text.includes('\0') || !bytes.equals(Buffer.from(text)) ? undefined : text;
}

function changeTo(path: string, file: TreeFile | undefined, there: TreeFile | undefined): FileChange {
  const mode = (file ?? there)?.mode === '100755' ? '100755' : '100644';
  return { path, mode, content: file?.content ?? null };
}

/** New files that cannot be written, because people have a file where a folder is needed, or a folder there. */
function blockedOf(changes: readonly FileChange[], after: Tree): readonly Conflict[] {
  const deleted = new Set(changes.flatMap(({ path, content }) => (content === null ? [path] : [])));
  const people = [...after.keys()].filter((path) => !deleted.has(path));
  return changes
    .filter(({ path, content }) => content !== null && people.some((other) => isInTheWay(other, path)))
    .map(({ path, mode, content }) => ({
      path,
      why: 'cannot be written any more: people have a file where it needs a folder, or a folder in its place',
      lost: textOf({ mode, content: content ?? undefined }) ?? '',
    }));
}

function isInTheWay(other: string, path: string): boolean {
  return path.startsWith(`${other}/`) || other.startsWith(`${path}/`);
}
