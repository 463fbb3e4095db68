/** The browser pages of the embedded GitHub: a person reads, labels, comments, presses buttons, reviews and merges, all through REST. */
import { Hono } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { csrf } from 'hono/csrf';
import { html } from 'hono/html';
import { HTTPException } from 'hono/http-exception';
import { secureHeaders } from 'hono/secure-headers';
import { ENTRANCE, isOfPages, opens, SESSION_COOKIE, SIGN_IN } from '../session.ts';
import { addActionPages } from './pages-actions.ts';
import { createApi, PageError, type PageRequest } from './pages-api.ts';
import { addAppPages } from './pages-app.ts';
import { addAssets } from './pages-assets.ts';
import { addCodePages } from './pages-code.ts';
import { addEnvironmentPage } from './pages-environments.ts';
import { showPage } from './pages-frame.ts';
import { addHomePage } from './pages-home.ts';
import { addIssuePages } from './pages-issues.ts';
import { addNewAppPages, isManifestPost } from './pages-new-app.ts';
import { addNewFilePage } from './pages-new-file.ts';
import { addPullPages } from './pages-pulls.ts';
import type { LocalUser } from './pages-schemas.ts';
import { CLOSED, type PageContext, type PageEnvironment, type Visit } from './pages-visit.ts';

export type PagesOptions = {
  /** The server's own front door, `app.request`: the pages have no other way to its state. */
  readonly request: PageRequest;
  /** Who can be chosen. */
  readonly people: () => readonly LocalUser[];
  /** Secret of the printed address; without one everybody may choose. */
  readonly key?: string | undefined;
  /** Markdown above the list of repositories: what to do next. */
  readonly welcome?: string | undefined;
};

const COOKIE = 'local_github_token';

/** The pages as an app to mount at `/` after all API routes; paths of the API are left to the host. */
export function createPages(options: PagesOptions): Hono {
  const site = createSite(options);
  const pages = new Hono();
  pages.all('*', (context, next) => (isElsewhere(context.req.path) ? next() : site.fetch(context.req.raw)));
  return pages;
}

function isElsewhere(path: string): boolean {
  return /^\/(?:api|graphql|_local)(?:\/|$)/.test(path) && !isOfPages(path);
}

function createSite(options: PagesOptions): Hono<PageEnvironment> {
  const site = new Hono<PageEnvironment>();
  site.use(withOtherTarget);
  site.use(secureHeaders({ strictTransportSecurity: false, contentSecurityPolicy: CONTENT_SECURITY_POLICY }));
  const fromHere = csrf();
  site.use((context, next) => (isManifestPost(context.req) ? next() : fromHere(context, next)));
  addAssets(site);
  site.use(async (context, next) => {
    context.set('visit', visitOf(options, getCookie(context)));
    await next();
  });
  site.get(`${ENTRANCE}:key`, (context) => enter(context, options.key));
  site.post(SIGN_IN, signIn);
  addHomePage(site, options.welcome);
  addNewAppPages(site);
  addAppPages(site);
  addIssuePages(site);
  addPullPages(site);
  addActionPages(site);
  addNewFilePage(site);
  addEnvironmentPage(site);
  addCodePages(site);
  site.notFound((context) => showProblem(context, new PageError(`There is no page ${context.req.path}.`, 404)));
  site.onError((error, context) => {
    if (error instanceof PageError) return showProblem(context, error);
    if (error instanceof HTTPException) return error.getResponse();
    throw error;
  });
  return site;
}

const CONTENT_SECURITY_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  // Mermaid writes <style> and style attributes into its drawings; Markdown cannot, as it carries no HTML.
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'"],
  connectSrc: ["'self'"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
  baseUri: ["'none'"],
};

/** Lets the forms of one page lead to an origin that the page names. */
async function withOtherTarget(context: PageContext, next: () => Promise<void>): Promise<void> {
  await next();
  const { formsLeadTo } = context.var;
  const policy = context.res.headers.get(POLICY);
  if (formsLeadTo === undefined || policy === null) return;
  context.res.headers.set(
    POLICY,
    policy.replace("form-action 'self'", () => `form-action 'self' ${formsLeadTo}`),
  );
}

const POLICY = 'content-security-policy';

function visitOf({ request, people, key }: PagesOptions, cookies: Readonly<Record<string, string>>): Visit {
  const isOpen = opens(key, cookies[SESSION_COOKIE]);
  const users = isOpen ? people() : [];
  // Cookies are shared by all ports of a host: a token of another local server is nobody here.
  const me = users.find((user) => user.token === cookies[COOKIE]);
  return { api: createApi(request, me?.token), users, me, isOpen };
}

/** The printed address: whoever opens it may choose who they are, in this browser. */
function enter(context: PageContext, key: string | undefined): Response {
  const given = context.req.param('key');
  if (!opens(key, given))
    throw new PageError('This is not the address that was printed at the last start; open that one.', 403);
  if (key !== undefined) setCookie(context, SESSION_COOKIE, key, { path: '/', httpOnly: true, sameSite: 'Strict' });
  return context.redirect('/', 303);
}

async function signIn(context: PageContext): Promise<Response> {
  if (!context.var.visit.isOpen) throw new PageError(CLOSED, 401);
  const form = await context.req.parseBody();
  const user = context.var.visit.users.find(({ login }) => login === form.login);
  if (user) setCookie(context, COOKIE, user.token, { path: '/', httpOnly: true, sameSite: 'Strict' });
  else if (form.login === '') deleteCookie(context, COOKIE, { path: '/' });
  else throw new PageError(`Nobody here is called "${String(form.login)}"; choose one of the list.`, 422);
  const target = typeof form.return_to === 'string' ? form.return_to : '/';
  return context.redirect(/^\/(?![/\\])/.test(target) ? target : '/', 303);
}

async function showProblem(context: PageContext, problem: PageError): Promise<Response> {
  const body = html`<p class="quiet">Nothing to show here. <a href="/">All repositories</a></p>`;
  const response = await showPage(context, { title: 'Not shown', body, attempt: { typed: {}, problem } });
  return new Response(response.body, { status: problem.status, headers: response.headers });
}
