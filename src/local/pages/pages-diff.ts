/** Shows changed files with their unified diff, coloured and with line numbers on both sides. */
import { html } from 'hono/html';
import type { Html } from './pages-frame.ts';
import type { ChangedFile } from './pages-schemas.ts';

/** All files of a change, each folding, with the sums above. Those in hidden folders come last and folded: they are seldom the product. */
export function diffFiles(files: readonly ChangedFile[]): Html {
  const added = files.reduce((sum, file) => sum + file.additions, 0);
  const removed = files.reduce((sum, file) => sum + file.deletions, 0);
  return html`<p class="sums"><b>${files.length}</b> changed ${files.length === 1 ? 'file' : 'files'} <span class="added">+${added}</span> <span class="removed">−${removed}</span></p>
${[...files.filter((file) => !isHidden(file)), ...files.filter(isHidden)].map(diffFile)}`;
}

function isHidden({ filename }: ChangedFile): boolean {
  return filename.startsWith('.');
}

function diffFile(file: ChangedFile): Html {
  const name = file.previous_filename ? `${file.previous_filename} → ${file.filename}` : file.filename;
  return html`<details class="panel diff" ${isHidden(file) ? '' : 'open'}><summary class="panel-head"><b class="grow">${name}</b>
<span class="quiet">${file.status}</span> <span class="added">+${file.additions}</span> <span class="removed">−${file.deletions}</span></summary>
${file.patch === undefined ? html`<p class="padded quiet">No text difference to show (binary, renamed only, or too large).</p>` : html`<div class="table-scroll"><table class="code">${readDiff(file.patch).map(diffLine)}</table></div>`}
</details>`;
}

export type DiffLine = {
  readonly kind: 'hunk' | 'added' | 'removed' | 'same' | 'note';
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
};

const KINDS = { '+': 'added', '-': 'removed', ' ': 'same', '\\': 'note' } as const;

/** Reads GitHub's `patch` field: hunks without file headers. */
export function readDiff(patch: string): readonly DiffLine[] {
  const next = { before: 0, after: 0 };
  return patch.split('\n').map((text): DiffLine => {
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
  kind: DiffLine['kind'],
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

function diffLine(line: DiffLine): Html {
  return html`<tr class="${line.kind}"><td class="line-number">${line.before ?? ''}</td><td class="line-number">${line.after ?? ''}</td><td>${line.text}</td></tr>`;
}
