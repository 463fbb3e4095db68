/** Who may act on the pages and look under `/_local`: whoever knows the secret of the printed address. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { getCookie } from 'hono/cookie';
import type { Host } from './host.ts';

/** The cookie that the printed address sets; scripts cannot read it, and other sites do not send it. */
export const SESSION_COOKIE = 'local_github_session';

/** Where the printed address leads, before the secret. */
export const ENTRANCE = '/_local/enter/';
/** Where people choose who they are. */
export const SIGN_IN = '/_local/sign-in';

/** What under `/_local` belongs to the pages, which look at the session themselves. */
export function isOfPages(path: string): boolean {
  return path === SIGN_IN || path.startsWith(ENTRANCE);
}

/** Whether `given` is the key; where none was set, everybody who reaches the server may act. */
export function opens(key: string | undefined, given: string | undefined): boolean {
  if (key === undefined) return true;
  return given !== undefined && timingSafeEqual(digestOf(key), digestOf(given));
}

/** Refuses a request with neither the session's cookie nor `authorization: Bearer <key>`. */
export function keyed({ key }: Pick<Host, 'key'>): MiddlewareHandler {
  return async (context, next) => {
    if (isOfPages(context.req.path)) return next();
    const bearer = context.req.header('authorization')?.replace(/^Bearer /, '');
    if ([bearer, getCookie(context, SESSION_COOKIE)].some((given) => opens(key, given))) return next();
    return context.json({ message: 'This is for whoever knows the address that was printed at the start.' }, 401);
  };
}

/** Comparing digests tells nothing of how much of the key was right. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
