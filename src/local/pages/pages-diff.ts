/** Shows changed files with their unified diff, coloured and with line numbers on both sides; where it is reviewed, each line takes a comment. */
import { html } from 'hono/html';
import { type PatchLine, readPatch } from '../patch-lines.ts';
import type { Html } from './pages-frame.ts';
import { type LineField, nameOfField } from './pages-review.ts';
import type { ChangedFile } from './pages-schemas.ts';
import type { Form } from './pages-visit.ts';

/** All files of a change, each folding, with the sums above. Those in hidden folders come last and folded: they are seldom the product. */
export function diffFiles(files: readonly ChangedFile[], review?: Form): Html {
  const added = files.reduce((sum, file) => sum + file.additions, 0);
  const removed = files.reduce((sum, file) => sum + file.deletions, 0);
  return html`<p class="sums"><b>${files.length}</b> changed ${files.length === 1 ? 'file' : 'files'} <span class="added">+${added}</span> <span class="removed">−${removed}</span></p>
${[...files.filter((file) => !isHidden(file)), ...files.filter(isHidden)].map((file) => diffFile(file, review))}`;
}

function isHidden({ filename }: ChangedFile): boolean {
  return filename.startsWith('.');
}

function diffFile(file: ChangedFile, review: Form | undefined): Html {
  const name = file.previous_filename ? `${file.previous_filename} → ${file.filename}` : file.filename;
  return html`<details class="panel diff" ${isHidden(file) ? '' : 'open'}><summary class="panel-head"><b class="grow">${name}</b>
<span class="quiet">${file.status}</span> <span class="added">+${file.additions}</span> <span class="removed">−${file.deletions}</span></summary>
${file.patch === undefined ? html`<p class="padded quiet">No text difference to show (binary, renamed only, or too large).</p>` : html`<div class="table-scroll"><table class="code">${readPatch(file.patch).map((line) => diffLine(line, file.filename, review))}</table></div>`}
</details>`;
}

function diffLine(line: PatchLine, path: string, review: Form | undefined): Html {
  const field = review === undefined ? undefined : fieldOf(line, path);
  return html`<tr class="${line.kind}"><td class="line-number">${line.before ?? ''}</td><td class="line-number">${line.after ?? ''}</td><td>${line.text}${field === undefined ? '' : remark(field, review?.[nameOfField(field)] ?? '')}</td></tr>`;
}

/** A line is named on the side where it stands after the change; one that is taken away, on the other. */
function fieldOf({ before, after }: PatchLine, path: string): LineField | undefined {
  if (after !== undefined) return { path, side: 'RIGHT', line: after };
  return before === undefined ? undefined : { path, side: 'LEFT', line: before };
}

/** Folded until somebody has something to say; it belongs to the form of the review. */
function remark(field: LineField, typed: string): Html {
  const label = `Comment on ${field.path}, line ${field.line}${field.side === 'LEFT' ? ' before the change' : ''}`;
  return html`<details class="remark" ${typed === '' ? '' : 'open'}><summary aria-label="${label}" title="${label}"></summary><textarea form="review" name="${nameOfField(field)}" rows="3" aria-label="${label}">${typed}</textarea></details>`;
}
