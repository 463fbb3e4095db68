/** The browser pages of the embedded GitHub: a person reads, labels, comments, presses buttons, reviews and merges, all through REST. */
import { Hono } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { csrf } from 'hono/csrf';
import { html } from 'hono/html';
import { HTTPException } from 'hono/http-exception';
import { secureHeaders } from 'hono/secure-headers';
import { z } from 'zod';
import { addActionPages } from './pages-actions.ts';
import { createApi, PageError, type PageRequest } from './pages-api.ts';
import { addAssets } from './pages-assets.ts';
import { addCodePages } from './pages-code.ts';
import { showPage } from './pages-frame.ts';
import { addHomePage } from './pages-home.ts';
import { addIssuePages } from './pages-issues.ts';
import { addPullPages } from './pages-pulls.ts';
import { localUser } from './pages-schemas.ts';
import type { PageContext, PageEnvironment, Visit } from './pages-visit.ts';

export type PagesOptions = {
  /** The server's own front door, `app.request`: the pages have no other way to its state. */
  readonly request: PageRequest;
  /** Markdown above the list of repositories: what to do next. */
  readonly welcome?: string;
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
  return /^\/(?:api|graphql|_local)(?:\/|$)/.test(path) && path !== '/_local/sign-in';
}

function createSite({ request, welcome }: PagesOptions): Hono<PageEnvironment> {
  const site = new Hono<PageEnvironment>();
  site.use(secureHeaders({ strictTransportSecurity: false, contentSecurityPolicy: CONTENT_SECURITY_POLICY }));
  site.use(csrf());
  addAssets(site);
  site.use(async (context, next) => {
    // Set first, so that a refusal of the user list itself can still be shown in the frame.
    context.set('visit', { api: createApi(request, undefined), users: [], me: undefined });
    context.set('visit', await visitOf(request, getCookie(context, COOKIE)));
    await next();
  });
  site.post('/_local/sign-in', signIn);
  addHomePage(site, welcome);
  addIssuePages(site);
  addPullPages(site);
  addActionPages(site);
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

async function visitOf(request: PageRequest, token: string | undefined): Promise<Visit> {
  const users = await createApi(request, undefined).get('/_local/users', z.array(localUser));
  // Cookies are shared by all ports of a host: a token of another local server is nobody here.
  const me = users.find((user) => user.token === token);
  return { api: createApi(request, me?.token), users, me };
}

async function signIn(context: PageContext): Promise<Response> {
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
