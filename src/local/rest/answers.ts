/** Answers of the REST API as they go out: JSON in GitHub's shape, with the headers that all answers have. */
import { createHash } from 'node:crypto';
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

/** A read with its tag, or 304 where the caller has it already: https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#use-conditional-requests-if-appropriate */
export async function conditional(request: Request, response: Response): Promise<Response> {
  if (request.method !== 'GET' || response.status !== 200) return response;
  const body = await response.arrayBuffer();
  const etag = `W/"${createHash('sha256').update(new Uint8Array(body)).digest('hex')}"`;
  const headers = new Headers(response.headers);
  headers.set('etag', etag);
  const known = (request.headers.get('if-none-match') ?? '').split(',').map((tag) => tag.trim());
  if (!known.includes(etag)) return new Response(body, { status: 200, headers });
  headers.delete('content-type');
  return new Response(null, { status: 304, headers });
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
