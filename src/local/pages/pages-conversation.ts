/** The conversation of an issue or pull request: opening text, comments, reviews, reactions, and the box below. */
import { html } from 'hono/html';
import { type Api, PageError } from './pages-api.ts';
import type { Html } from './pages-frame.ts';
import { markdown, moment, personName, stateIcon } from './pages-parts.ts';
import { reviewRemarks } from './pages-review.ts';
import {
  type Comment,
  comment,
  type Issue,
  type Reaction,
  type Review,
  type ReviewComment,
  reaction,
} from './pages-schemas.ts';
import type { Action, Attempt, Place } from './pages-visit.ts';

export type Talk = {
  readonly comments: readonly Comment[];
  readonly reactions: ReadonlyMap<string, readonly Reaction[]>;
};

/** Reads comments and reactions (key: `issue`, or the comment's id). */
export async function readConversation(api: Api, place: Place, number: number): Promise<Talk> {
  const route = `${place.route}/issues/${number}`;
  const comments = await api.list(`${route}/comments`, comment);
  const places = [
    { key: 'issue', path: `${route}/reactions` },
    ...comments.map(({ id }) => ({ key: String(id), path: `${place.route}/issues/comments/${id}/reactions` })),
  ];
  const reactions = await Promise.all(
    places.map(async ({ key, path }) => [key, await api.list(path, reaction)] as const),
  );
  return { comments, reactions: new Map(reactions) };
}

const sendComment: Action = async ({ api }, place, { body = '' }, number) => {
  await api.send({ method: 'POST', path: `${place.route}/issues/${number}/comments`, body: { body } });
  return undefined;
};

/** As on GitHub, "Close with comment" first says what was typed. */
const changeState =
  (state: 'open' | 'closed'): Action =>
  async (visit, place, form, number) => {
    if (form.body?.trim()) await sendComment(visit, place, form, number);
    await visit.api.send({ method: 'PATCH', path: `${place.route}/issues/${number}`, body: { state } });
    return undefined;
  };

const react: Action = async ({ api }, place, { content = '', comment_id = '' }, number) => {
  if (comment_id && !/^\d+$/.test(comment_id)) throw new PageError(`"${comment_id}" is no comment id.`, 422);
  const path = comment_id
    ? `${place.route}/issues/comments/${comment_id}/reactions`
    : `${place.route}/issues/${number}/reactions`;
  await api.send({ method: 'POST', path, body: { content } });
  return undefined;
};

/** The rows for the page's action table. */
export const talkActions = { comment: sendComment, close: changeState('closed'), reopen: changeState('open'), react };

export type Conversation = Talk & {
  readonly place: Place;
  readonly opening: Pick<Issue, 'body' | 'user' | 'created_at'>;
  readonly reviews?: readonly Review[];
  /** What the reviews say line by line. */
  readonly remarks?: readonly ReviewComment[];
};

/** All entries in the order of time. */
export function conversation({ place, opening, comments, reviews = [], remarks = [], reactions }: Conversation): Html {
  const entries = [
    ...comments.map((item) => ({
      at: item.created_at,
      view: commentCard({ item, place, reactions: reactions.get(String(item.id)) ?? [] }),
    })),
    ...reviews.map((item) => ({ at: item.submitted_at ?? '', view: reviewCard(item, remarks, place) })),
  ];
  entries.sort((a, b) => a.at.localeCompare(b.at));
  return html`<div class="timeline">${commentCard({ item: { ...opening, updated_at: opening.created_at }, place, reactions: reactions.get('issue') ?? [] })}
${entries.map((entry) => entry.view)}</div>`;
}

type Card = { item: Omit<Comment, 'id'> & { id?: number }; place: Place; reactions: readonly Reaction[] };

function commentCard({ item, place, reactions }: Card): Html {
  const wasEdited = item.updated_at !== item.created_at;
  return html`<article class="panel comment" id="${item.id ? `comment-${item.id}` : 'description'}">
<header class="panel-head">${personName(item.user)} <span class="quiet">${item.id ? html`<a href="#comment-${item.id}">${moment(item.created_at)}</a>` : moment(item.created_at)}${wasEdited ? html`, edited ${moment(item.updated_at)}` : ''}</span></header>
<div class="padded">${markdown(item.body, place)}</div>${reactionBar(item.id, reactions)}</article>`;
}

const SIGNS: Readonly<Record<string, string>> = {
  '+1': '👍',
  '-1': '👎',
  laugh: '😄',
  hooray: '🎉',
  confused: '😕',
  heart: '❤️',
  rocket: '🚀',
  eyes: '👀',
};

function reactionBar(commentId: number | undefined, reactions: readonly Reaction[]): Html {
  const names = (content: string): readonly string[] =>
    reactions.filter((item) => item.content === content).map(({ user }) => user.login);
  const given = Object.entries(SIGNS).filter(([content]) => names(content).length > 0);
  return html`<footer class="reactions">${given.map(
    ([content, sign]) =>
      html`<span class="reaction" title="${names(content).join(', ')}" aria-label="${content} by ${names(content).join(', ')}">${sign} ${names(content).length}</span>`,
  )}<details class="menu"><summary aria-label="Add a reaction">☺</summary><form method="post" class="inline"><input type="hidden" name="action" value="react"><input type="hidden" name="comment_id" value="${commentId ?? ''}">${Object.entries(
    SIGNS,
  ).map(
    ([content, sign]) =>
      html`<button class="link" name="content" value="${content}" aria-label="${content}">${sign}</button>`,
  )}</form></details></footer>`;
}

const VERDICTS: Readonly<Record<string, string>> = {
  APPROVED: 'approved these changes',
  CHANGES_REQUESTED: 'requested changes',
  COMMENTED: 'reviewed',
  DISMISSED: 'reviewed (dismissed)',
  PENDING: 'began a review',
};

function reviewCard(item: Review, remarks: readonly ReviewComment[], place: Place): Html {
  const own = remarks.filter(({ pull_request_review_id: review }) => review === item.id);
  return html`<article class="panel comment review" id="review-${item.id}"><header class="panel-head">${stateIcon(item.state.toLowerCase())}
${personName(item.user)} ${VERDICTS[item.state] ?? item.state} <span class="quiet">${moment(item.submitted_at)}</span></header>
${item.body ? html`<div class="padded">${markdown(item.body, place)}</div>` : ''}${reviewRemarks(own, place)}</article>`;
}

/** The box below a conversation; what was typed before a refusal is still there. */
export function commentBox({ state, thing, attempt }: { state: string; thing: string; attempt: Attempt }): Html {
  const isOpen = state === 'open';
  const text = attempt.problem && attempt.typed.action !== 'review' ? (attempt.typed.body ?? '') : '';
  return html`<form method="post" class="panel padded stack comment-box">
<label>Add a comment <textarea name="body" rows="5" placeholder="Markdown works here.">${text}</textarea></label>
<p class="buttons"><button name="action" value="${isOpen ? 'close' : 'reopen'}">${isOpen ? 'Close' : 'Reopen'} ${thing}</button>
<button class="primary" name="action" value="comment">Comment</button></p></form>`;
}
