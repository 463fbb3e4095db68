/** What the person's browser is served: the page with the button, and what came of GitHub's answer. */
import { type Context, Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Desk } from './desk.ts';
import { askingPage, type Html, policyOf, refusedPage, writtenPage } from './pages.ts';
import type { RegistrationRequest } from './request.ts';
import { newBrowser } from './states.ts';

export interface SiteOptions {
  readonly request: RegistrationRequest;
  readonly desk: Desk;
  /** Of this site, without a slash: `http://127.0.0.1:3000`. */
  readonly address: string;
}

const COOKIE = 'loopwright-register';

/** Answers by its own name only: a page from elsewhere that has its name lead here reads nothing. */
export function createSite({ request, desk, address }: SiteOptions): Hono {
  const site = new Hono();
  const { host } = new URL(address);
  site.use(async (context, next) => {
    if (context.req.header('host') !== host) return refusal(context, 421, `Open ${address}/ instead.`);
    return context.req.method === 'GET' ? next() : refusal(context, 405, 'Only GET is served here.');
  });
  site.get('/', (context) => {
    const state = desk.begin(browserIn(context));
    // The address holds no secret, and where a referrer is forbidden a browser sends the form with the origin `null`.
    const policies = { formAction: request.webUrl, referrer: 'strict-origin' };
    return page(context, askingPage({ request, address, state }), policies);
  });
  site.get('/registered', async (context) => {
    const { state = '', code = '' } = context.req.query();
    const received = await desk.receive({ state, code, browser: getCookie(context, COOKIE) });
    if (received.type === 'registered') return page(context, writtenPage(received.registered));
    const { pathname, search } = new URL(context.req.url);
    return refusal(context, received.status, received.sentence, received.again ? `${pathname}${search}` : undefined);
  });
  site.notFound((context) => refusal(context, 404, 'There is nothing at this address.'));
  return site;
}

/** One that is known keeps what it began in another tab. */
function browserIn(context: Context): string {
  const known = getCookie(context, COOKIE);
  if (known !== undefined) return known;
  const browser = newBrowser();
  setCookie(context, COOKIE, browser, { httpOnly: true, sameSite: 'Lax', path: '/' });
  return browser;
}

function refusal(
  context: Context,
  status: ContentfulStatusCode,
  sentence: string,
  again?: string,
): Response | Promise<Response> {
  const links = { ...(again === undefined ? {} : { 'Try again': again }), 'Begin again': '/' };
  context.status(status);
  return page(context, refusedPage(sentence, links));
}

/** The connection ends with each answer, so that the command can. */
function page(
  context: Context,
  body: Html,
  { formAction = "'none'", referrer = 'no-referrer' } = {},
): Response | Promise<Response> {
  const headers = {
    'cache-control': 'no-store',
    'content-security-policy': policyOf(formAction),
    'referrer-policy': referrer,
    'x-content-type-options': 'nosniff',
    connection: 'close',
  };
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  return context.html(body);
}
