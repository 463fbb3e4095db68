/** Shows changed files with their unified diff, coloured and with line numbers on both sides. */
import { html } from 'hono/html';
import { type PatchLine, readPatch } from '../patch-lines.ts';
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
${file.patch === undefined ? html`<p class="padded quiet">No text difference to show (binary, renamed only, or too large).</p>` : html`<div class="table-scroll"><table class="code">${readPatch(file.patch).map(diffLine)}</table></div>`}
</details>`;
}

function diffLine(line: PatchLine): Html {
  return html`<tr class="${line.kind}"><td class="line-number">${line.before ?? ''}</td><td class="line-number">${line.after ?? ''}</td><td>${line.text}</td></tr>`;
}
