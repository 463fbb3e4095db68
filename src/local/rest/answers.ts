/** Answers of the REST API as they go out: JSON in GitHub's shape, with the headers that all answers have. */
import { type Clock, now } from '../clock.ts';
import type { HttpError } from '../http-error.ts';

/** An answer with a JSON body, or without any. */
export function jsonResponse(
  clock: Clock,
  { status, body, headers = {} }: { readonly status: number; readonly body?: unknown; readonly headers?: object },
): Response {
  const common = {
    date: clock.now().toUTCString(),
    'x-github-request-id': `local-${now({ clock })}`,
    ...headers,
  };
  if (body === undefined) return new Response(null, { status, headers: common });
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...common },
  });
}

const DOCUMENTATION = 'https://docs.github.com/rest';
const ABOUT_REDIRECTS = 'https://docs.github.com/v3/#http-redirects';

/** GitHub's body for a refusal or a redirect. */
export function errorResponse(clock: Clock, { status, message, errors, location }: HttpError): Response {
  if (location !== undefined) {
    const body = { message, url: location, documentation_url: ABOUT_REDIRECTS };
    return jsonResponse(clock, { status, body, headers: { location } });
  }
  const listed = errors.length > 0 ? { errors } : {};
  return jsonResponse(clock, {
    status,
    body: { message, ...listed, documentation_url: DOCUMENTATION, status: String(status) },
  });
}
