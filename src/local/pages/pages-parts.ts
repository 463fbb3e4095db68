/** Small pieces that several pages show: Markdown, times, states, labels, people and buttons. */
import { html, raw } from 'hono/html';
import type { Html } from './pages-frame.ts';
import { renderMarkdown } from './pages-markdown.ts';
import type { Label } from './pages-schemas.ts';
import type { Place } from './pages-visit.ts';

/** A rendered comment, or a quiet line when there is none. */
export function markdown(text: string, place: Place): Html {
  if (text.trim() === '') return html`<p class="quiet">No description provided.</p>`;
  return html`<div class="markdown">${raw(renderMarkdown(text, { repository: place.fullName, kind: 'comment' }))}</div>`;
}

/** A moment; the client script words it relative to now. */
export function moment(at: string | undefined): Html | string {
  if (!at) return '';
  const readable = new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
  return html`<time datetime="${at}" title="${readable} UTC">${readable}</time>`;
}

/** Time between two moments, or nothing while one is missing. */
export function duration(from: string | undefined, to: string | undefined): string {
  if (!from || !to) return '';
  const seconds = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** A person or app by name, apps marked as such. */
export function personName(user: { login: string; type?: string | undefined }): Html {
  return html`<b>${user.login}</b>${user.type === 'Bot' ? html` <span class="tag">bot</span>` : ''}`;
}

/** Labels as pills in their own colour. */
export function labelPills(labels: readonly Label[]): Html | string {
  if (labels.length === 0) return '';
  return html`<span class="labels">${labels.map(labelPill)}</span>`;
}

/** One label; the colour is a dot, so that any colour stays readable in light and dark. */
export function labelPill(label: Label): Html {
  const colour = /^[0-9a-f]{6}$/i.test(label.color) ? label.color : '8b949e';
  return html`<span class="label" title="${label.description}"><svg viewBox="0 0 8 8" aria-hidden="true"><circle cx="4" cy="4" r="4" fill="#${colour}"/></svg>${label.name}</span>`;
}

/** The first characters of a commit, as people quote it. */
export function shortSha(sha: string): string {
  return sha.slice(0, 7);
}

const TONES: Readonly<Record<string, string>> = {
  success: 'good',
  approved: 'good',
  failure: 'bad',
  error: 'bad',
  timed_out: 'bad',
  startup_failure: 'bad',
  changes_requested: 'bad',
  action_required: 'asks',
  in_progress: 'busy',
  queued: 'waiting',
  pending: 'waiting',
  waiting: 'waiting',
  requested: 'waiting',
};

const SHAPES: Readonly<Record<string, string>> = {
  good: '<circle cx="8" cy="8" r="8"/><path class="mark" d="M4.5 8.3 7 10.8l4.6-5.2"/>',
  bad: '<circle cx="8" cy="8" r="8"/><path class="mark" d="m5.3 5.3 5.4 5.4m0-5.4-5.4 5.4"/>',
  asks: '<circle cx="8" cy="8" r="8"/><path class="mark" d="M8 4v4.6m0 2.6v.6"/>',
  busy: '<circle class="ring" cx="8" cy="8" r="6.5"/><path class="arc" d="M8 1.5A6.5 6.5 0 0 1 14.5 8"/>',
  waiting: '<circle class="ring" cx="8" cy="8" r="6.5"/>',
  calm: '<circle cx="8" cy="8" r="8"/><path class="mark" d="M4.8 8h6.4"/>',
};

/** What a run, job, step or check says about itself in one word. */
export function stateOf(run: { status: string; conclusion?: string | undefined }): string {
  return run.status === 'completed' ? (run.conclusion ?? 'unknown') : run.status || 'unknown';
}

/** A coloured sign with the state's name for those who do not see it. */
export function stateIcon(state: string): Html {
  const tone = TONES[state] ?? 'calm';
  const words = state.replaceAll('_', ' ');
  return html`<svg class="state ${tone}" viewBox="0 0 16 16" role="img" aria-label="${words}"><title>${words}</title>${raw(SHAPES[tone] ?? '')}</svg>`;
}

/** A form of one button; hidden fields carry what it acts on. */
export function buttonForm({ fields, label, title, tone }: ButtonForm): Html {
  return html`<form method="post" class="inline">${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button class="${tone ?? ''}" title="${title ?? ''}">${label}</button></form>`;
}

export type ButtonForm = {
  readonly fields: Readonly<Record<string, string>>;
  readonly label: string;
  readonly title?: string;
  readonly tone?: 'primary' | 'danger' | 'link';
};
