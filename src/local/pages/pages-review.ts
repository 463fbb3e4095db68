/** A review as one form: a verdict, a summary, and a field for each line of the change. */
import { html } from 'hono/html';
import type { Html } from './pages-frame.ts';
import { markdown } from './pages-parts.ts';
import type { ReviewComment } from './pages-schemas.ts';
import type { Action, Attempt, Form, Place } from './pages-visit.ts';

/** A line of the change, on the side where it stands. */
export interface LineField {
  readonly path: string;
  readonly side: 'LEFT' | 'RIGHT';
  readonly line: number;
}

/** How the field of a line is called in the form. */
export function nameOfField({ path, side, line }: LineField): string {
  return `line:${path}:${side}:${line}`;
}

/** The fields in which something was typed, as GitHub takes comments. */
function commentsIn(form: Form): readonly (LineField & { readonly body: string })[] {
  return Object.entries(form).flatMap(([name, body]) => {
    const [, path, side, line] = /^line:(.*):(LEFT|RIGHT):(\d+)$/s.exec(name) ?? [];
    if (path === undefined || body.trim() === '') return [];
    return [{ path, side: side === 'LEFT' ? 'LEFT' : 'RIGHT', line: Number(line), body }];
  });
}

/** Submits the whole review at once. */
export const sendReview: Action = async ({ api }, place, form, number) => {
  const { event = '', body = '' } = form;
  const comments = commentsIn(form);
  await api.send({
    method: 'POST',
    path: `${place.route}/pulls/${number}/reviews`,
    body: { event, ...(body.trim() === '' ? {} : { body }), ...(comments.length === 0 ? {} : { comments }) },
  });
  return `${place.link}/pull/${number}`;
};

const EVENTS = [
  { event: 'COMMENT', title: 'Comment', text: 'General feedback without a verdict.' },
  { event: 'APPROVE', title: 'Approve', text: 'Approve these changes.' },
  { event: 'REQUEST_CHANGES', title: 'Request changes', text: 'What must be different before merging.' },
] as const;

/** Summary and verdict; the comments on lines are typed in the difference below, and are sent with them. */
export function reviewForm({ typed }: Attempt): Html {
  const chosen = typed.event ?? 'COMMENT';
  return html`<details class="panel review-form" ${typed.body === undefined ? '' : 'open'}><summary class="panel-head"><b>Review changes</b></summary>
<form method="post" id="review" class="padded stack">
<p class="quiet">The + beside a line takes a comment on it; all of them are sent with this review.</p>
<label>Summary <textarea name="body" rows="4">${typed.body ?? ''}</textarea></label>
<fieldset><legend>Verdict</legend>${EVENTS.map(
    ({ event, title, text }) =>
      html`<label class="choice"><input type="radio" name="event" value="${event}" ${event === chosen ? 'checked' : ''}> <b>${title}</b> <span class="quiet">${text}</span></label>`,
  )}</fieldset>
<p class="buttons"><button class="primary" name="action" value="review">Submit review</button></p></form></details>`;
}

/** Lines of the hunk that are shown above a comment. */
const SHOWN = 4;

/** What a review says line by line, each below the lines that it is about. */
export function reviewRemarks(comments: readonly ReviewComment[], place: Place): Html {
  return html`${comments.map(
    ({ id, path, line, diff_hunk: hunk, body }) =>
      html`<section class="padded said" id="discussion_r${id}" aria-label="Comment on ${path}"><p class="quiet"><code>${path}${line ? `:${line}` : ''}</code></p>
<pre>${hunk.split('\n').slice(1).slice(-SHOWN).join('\n')}</pre>${markdown(body, place)}</section>`,
  )}`;
}
