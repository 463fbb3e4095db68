/** The label box beside an issue or pull request: remove, choose a known one, or type a new one. */
import { html } from 'hono/html';
import { PageError } from './pages-api.ts';
import type { Html } from './pages-frame.ts';
import { labelPill } from './pages-parts.ts';
import type { Label } from './pages-schemas.ts';
import type { Action, Attempt } from './pages-visit.ts';

const addLabel: Action = async ({ api }, place, form, number) => {
  const name = form.new_label?.trim() || form.known_label;
  if (!name) throw new PageError('Choose a label or type its name.', 422);
  await api.send({ method: 'POST', path: `${place.route}/issues/${number}/labels`, body: { labels: [name] } });
  return undefined;
};

const removeLabel: Action = async ({ api }, place, form, number) => {
  await api.send({
    method: 'DELETE',
    path: `${place.route}/issues/${number}/labels/${encodeURIComponent(form.label ?? '')}`,
  });
  return undefined;
};

/** The rows for the page's action table. */
export const labelActions = { label: addLabel, unlabel: removeLabel };

/** The box itself; `known` are the repository's labels. */
export function labelEditor(current: readonly Label[], known: readonly Label[], attempt: Attempt): Html {
  const others = known.filter((label) => !current.some(({ name }) => name === label.name));
  return html`<section class="labels-box" aria-label="Labels"><h2>Labels</h2>
${current.length === 0 ? html`<p class="quiet">None yet</p>` : ''}
<ul class="plain">${current.map(
    (
      label,
    ) => html`<li>${labelPill(label)}<form method="post" class="inline"><input type="hidden" name="label" value="${label.name}">
<button class="link" name="action" value="unlabel" aria-label="Remove label ${label.name}" title="Remove">×</button></form></li>`,
  )}</ul>
<form method="post" class="stack">
<label>Known label <select name="known_label" autocomplete="off"><option value=""></option>${others.map((label) => html`<option>${label.name}</option>`)}</select></label>
<label>Or type one <input name="new_label" autocomplete="off" value="${attempt.typed.new_label ?? ''}"></label>
<button name="action" value="label">Add label</button></form></section>`;
}
