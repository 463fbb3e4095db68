/** What every page knows about its visitor, and how a form's buttons act: redirect on success, else the same page with the reason and what was typed. */
import type { Context } from 'hono';
import { type Api, PageError, pathOf } from './pages-api.ts';
import type { LocalUser } from './pages-schemas.ts';

export type Visit = {
  readonly api: Api;
  readonly users: readonly LocalUser[];
  readonly me: LocalUser | undefined;
  /** Whether the visitor came by the printed address, and so may choose who they are. */
  readonly isOpen: boolean;
};

/** What is said to those who did not. */
export const CLOSED = 'Open the address that was printed at the start to act here; this one is for reading only.';
export type PageEnvironment = {
  Variables: {
    visit: Visit;
    /** Another origin to which a form of this page leads in the end. */
    formsLeadTo?: string;
  };
};
export type PageContext = Context<PageEnvironment>;

export type Form = Readonly<Record<string, string>>;
/** A page is shown for the first time (`typed` is empty), or again after a refusal. */
export type Attempt = { readonly typed: Form; readonly problem?: PageError };
export type Place = {
  readonly owner: string;
  readonly name: string;
  /** `owner/name` */
  readonly fullName: string;
  /** Where its pages begin, escaped, without a slash at the end. */
  readonly link: string;
  /** Where its REST routes begin, relative to `/api/v3/`. */
  readonly route: string;
};
/** Does what a button says and answers where to go next; `undefined` is the page itself. */
export type Action = (visit: Visit, place: Place, form: Form, number: string) => Promise<string | undefined>;
export type Show = (context: PageContext, attempt: Attempt) => Promise<Response>;

/** A GET handler. */
export function reading(show: Show): (context: PageContext) => Promise<Response> {
  return (context) => show(context, { typed: {} });
}

/** A POST handler: the field `action` names the row of the table. */
export function acting(
  show: Show,
  actions: Readonly<Record<string, Action>>,
): (context: PageContext) => Promise<Response> {
  return async (context) => {
    const typed = formOf(await context.req.parseBody());
    try {
      const next = await performAction(context, actions, typed);
      return context.redirect(next ?? new URL(context.req.url).pathname, 303);
    } catch (problem) {
      if (!(problem instanceof PageError)) throw problem;
      return show(context, { typed, problem });
    }
  };
}

async function performAction(
  context: PageContext,
  actions: Readonly<Record<string, Action>>,
  typed: Form,
): Promise<string | undefined> {
  const { visit } = context.var;
  if (!visit.isOpen) throw new PageError(CLOSED, 401);
  if (!visit.me) throw new PageError('Choose who you are first (top right): nobody is signed in.', 401);
  const action = Object.entries(actions).find(([name]) => name === typed.action)?.[1];
  if (!action) throw new PageError(`This page has no action "${typed.action ?? ''}"; reload it.`, 422);
  return action(visit, placeOf(context), typed, numberOf(context));
}

/** The repository that a page is about. */
export function placeOf(context: PageContext): Place {
  const owner = context.req.param('owner') ?? '';
  const name = context.req.param('repo') ?? '';
  const link = `/${pathOf(owner, name)}`;
  return { owner, name, fullName: `${owner}/${name}`, link, route: `repos${link}` };
}

/** The issue, pull request or run that a page is about. */
export function numberOf(context: PageContext): string {
  return context.req.param('number') ?? '';
}

function formOf(body: Readonly<Record<string, unknown>>): Form {
  // A browser sends line breaks as CRLF; GitHub's own pages store LF.
  const texts = Object.entries(body).flatMap(([key, value]) =>
    typeof value === 'string' ? [[key, value.replaceAll('\r\n', '\n')] as const] : [],
  );
  return Object.fromEntries(texts);
}
