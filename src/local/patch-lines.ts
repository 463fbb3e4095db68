/** The lines of a patch, with their numbers before and after the change. Pure. */

export interface PatchLine {
  readonly kind: 'hunk' | 'added' | 'removed' | 'same' | 'note';
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
}

const KINDS = { '+': 'added', '-': 'removed', ' ': 'same', '\\': 'note' } as const;

/** Reads GitHub's `patch` field: hunks without file headers. */
export function readPatch(patch: string): readonly PatchLine[] {
  const next = { before: 0, after: 0 };
  return patch.split('\n').map((text): PatchLine => {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    if (hunk) {
      next.before = Number(hunk[1]);
      next.after = Number(hunk[2]);
      return { kind: 'hunk', text };
    }
    const kind = Object.entries(KINDS).find(([sign]) => text.startsWith(sign))?.[1] ?? 'same';
    return { kind, text, ...numbersOf(kind, next) };
  });
}

/** Takes the line's number on each side where it exists. */
function numbersOf(
  kind: PatchLine['kind'],
  next: { before: number; after: number },
): { before?: number; after?: number } {
  switch (kind) {
    case 'same':
      return { before: next.before++, after: next.after++ };
    case 'removed':
      return { before: next.before++ };
    case 'added':
      return { after: next.after++ };
    case 'hunk':
    case 'note':
      return {};
  }
}
