/** What a proposed change may never touch. The job and the App apply the same rules; the App's verdict counts. */
import type { FileChange } from '../loop/brief.ts';
import { defect } from '../loop/defect.ts';
import { isLockFile } from '../loop/lock-files.ts';
import type { Defect } from '../loop/measurement.ts';
import { matchesGlob } from './glob.ts';

export interface PatchPolicy {
  /** Globs that no change may touch, besides the built-in rules. */
  readonly protectedPaths: readonly string[];
  /** Exact paths or globs: when given, nothing else may change, and a lock file among them is allowed. */
  readonly allowedFiles?: readonly string[];
  readonly maxFiles: number;
  /** Largest sum of the decoded contents. */
  readonly maxBytes: number;
}

/** How large a change may be. */
export const CHANGE_LIMITS = { maxFiles: 60, maxBytes: 1_000_000 } as const;

/** The policy for paths that the approved plan names: a lock file among them may change, and every other rule stays. */
export function plannedPolicy(policy: Omit<PatchPolicy, 'allowedFiles'>): PatchPolicy {
  return { ...policy, allowedFiles: ['**'] };
}

/** What a report can carry. */
const LONGEST_PATH = 400;
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u;

/** The rules for one path, in the order in which they are tried. `folded` is the path as any file system may read it. */
const RULES: readonly { readonly breaks: (path: string, folded: string) => boolean; readonly because: string }[] = [
  { breaks: (path) => UNPRINTABLE.test(path), because: 'its name has invisible or control characters' },
  { breaks: (path) => path.length > LONGEST_PATH, because: `its path is longer than ${LONGEST_PATH} characters` },
  { breaks: (path) => /^[/\\]|^[A-Za-z]:/.test(path), because: 'its path is absolute' },
  { breaks: (path) => path.includes('\\'), because: 'its path has a backslash' },
  { breaks: (path) => path.split('/').some(isEmptyOrDots), because: 'its path has an empty, `.` or `..` segment' },
  { breaks: (path) => path.split('/').some((part) => /[. ]$/.test(part)), because: 'a name ends in a dot or a space' },
  {
    breaks: (_, folded) => folded.split('/').some((part) => part.startsWith('.git') || part.startsWith('git~')),
    because: 'files of git and GitHub (`.git*`) are changed by people only',
  },
  { breaks: (_, folded) => nameOf(folded) === 'codeowners', because: 'CODEOWNERS is changed by people only' },
  { breaks: (_, folded) => folded.startsWith('.loopwright/'), because: '`.loopwright/` is written by the App only' },
];

/** One blocking defect (`path-policy`) for every reason why the change must not land; empty when it may. */
export function refusalsOf(changes: readonly FileChange[], policy: PatchPolicy): readonly Defect[] {
  return [
    ...changes.flatMap((change) => {
      const reason = refusalOf(change, policy);
      return reason === undefined ? [] : [defectOf(change.path, reason)];
    }),
    ...repeated(changes),
    ...oversized(changes, policy),
  ];
}

/** Why this path must not change, as a clause; undefined when it may. */
export function pathRefusal(path: string, policy: PatchPolicy): string | undefined {
  const folded = foldPath(path);
  const broken = RULES.find(({ breaks }) => breaks(path, folded));
  if (broken !== undefined) return broken.because;
  const glob = policy.protectedPaths.find((candidate) => matchesGlob(foldPath(candidate), folded));
  if (glob !== undefined) return `it is protected by the policy (\`${glob}\`)`;
  const named = policy.allowedFiles?.some((allowed) => matchesGlob(allowed, path));
  if (named === false) return 'it is not among the files that the plan names';
  if (isLockFile(folded) && named !== true)
    return 'lock files and `requirements.txt` change only when the plan names them';
  return undefined;
}

/** The path as a case-insensitive, normalizing file system reads it; two paths that fold to the same are one file there. */
export function foldPath(path: string): string {
  return path.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

/** A blocking defect that refuses a path. */
export function defectOf(path: string, reason: string): Defect {
  return defect({
    rule: 'path-policy',
    about: path,
    file: path,
    message: `\`${printable(path)}\` must not change: ${reason}.`,
    suggestion: 'Leave the file as it is; where the change is needed, a person makes it.',
  });
}

function refusalOf(change: FileChange, policy: PatchPolicy): string | undefined {
  const mode: string = change.mode;
  if (mode !== '100644' && mode !== '100755') return `its mode ${mode} is not that of a regular file`;
  return pathRefusal(change.path, policy);
}

/** Two paths that are one file somewhere, or a file where another path needs a folder. */
function repeated(changes: readonly FileChange[]): readonly Defect[] {
  const seen = new Map<string, FileChange>();
  const defects: Defect[] = [];
  for (const change of changes) {
    const folded = foldPath(change.path);
    const other = seen.get(folded);
    if (other !== undefined) defects.push(defectOf(change.path, `it is the same file as \`${printable(other.path)}\``));
    seen.set(folded, change);
  }
  const written = changes.filter(({ content }) => content !== null);
  for (const { path } of written) {
    const parent = foldersOf(foldPath(path)).find((folder) => written.some((other) => foldPath(other.path) === folder));
    if (parent !== undefined)
      defects.push(defectOf(path, `\`${printable(parent)}\` is written as a file, not a folder`));
  }
  return defects;
}

function oversized(changes: readonly FileChange[], policy: PatchPolicy): readonly Defect[] {
  const bytes = changes.reduce((sum, { content }) => sum + Math.floor(((content ?? '').length * 3) / 4), 0);
  const largest = changes.toSorted((left, right) => (right.content ?? '').length - (left.content ?? '').length)[0];
  return [
    ...(changes.length > policy.maxFiles
      ? [wholeDefect('too-many', `The change has ${changes.length} files; at most ${policy.maxFiles} are accepted.`)]
      : []),
    ...(bytes > policy.maxBytes
      ? [
          wholeDefect(
            'too-large',
            `The change has ${bytes} bytes; at most ${policy.maxBytes} are accepted. Its largest file is \`${printable(largest?.path ?? '')}\`.`,
          ),
        ]
      : []),
  ];
}

function wholeDefect(about: string, message: string): Defect {
  const suggestion = 'Change less: leave generated files out, or ask for a smaller plan.';
  return defect({ rule: 'path-policy', about, message, suggestion });
}

function isEmptyOrDots(segment: string): boolean {
  return segment === '' || segment === '.' || segment === '..';
}

function foldersOf(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function printable(path: string): string {
  return path.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}`]/gu, '\uFFFD');
}
