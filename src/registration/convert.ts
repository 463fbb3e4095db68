/** Exchanges the code that GitHub hands to the browser for the App's id, key and secret. */
import { z } from 'zod';
import { wire } from '../github/wire.ts';
import { type RegistrationRequest, settingsUrlOf } from './request.ts';

/** What ends up in a file of variables is made of what needs no escape there. */
const conversion = z.object({
  id: z.int().positive(),
  slug: z.string().regex(/^[\w-]+$/),
  html_url: z.url({ protocol: /^https?$/ }),
  webhook_secret: z.string().regex(/^[\w.~+/=-]+$/),
  pem: z.string().regex(/^-----BEGIN [A-Z ]+-----\n[\w+/=\n]+\n-----END [A-Z ]+-----\n?$/),
});

export type RegisteredApp = z.infer<typeof conversion>;

export type Exchange =
  | { readonly type: 'registered'; readonly app: RegisteredApp }
  /** `again`: GitHub may still take the same code. */
  | { readonly type: 'failed'; readonly sentence: string; readonly again: boolean };

const WITHIN_MS = 15_000;

/** The code is the only credential. https://docs.github.com/en/rest/apps/apps#create-a-github-app-from-a-manifest */
export async function exchange(request: RegistrationRequest, code: string): Promise<Exchange> {
  const { apiUrl } = request;
  const { host } = new URL(apiUrl);
  const answer = await sent(apiUrl, code);
  if (typeof answer === 'string')
    return { type: 'failed', sentence: `${host} gave no answer (${answer}); try again.`, again: true };
  if (answer.status !== 201) return refusal(request, answer.status);
  const { data: app } = conversion.safeParse(answer.body);
  if (app !== undefined) return { type: 'registered', app };
  const sentence = `${host} answered what is no registered App, and the code is used up; look whether there is one at ${settingsUrlOf(request)}, delete it there, and begin again.`;
  return { type: 'failed', sentence, again: false };
}

function refusal(request: RegistrationRequest, status: number): Exchange {
  const { host } = new URL(request.apiUrl);
  if (status === 404) {
    const sentence = `${host} does not know this code: it was used already, or is older than an hour. Delete the App that has no key at ${settingsUrlOf(request)}, and begin again.`;
    return { type: 'failed', sentence, again: false };
  }
  const again = status === 403 || status === 429 || status >= 500;
  const remedy = again
    ? 'try again in a minute'
    : `look whether there is an App at ${settingsUrlOf(request)}, delete it there, and begin again`;
  return { type: 'failed', sentence: `${host} refused the code with status ${status}; ${remedy}.`, again };
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A text says why there is no answer; one that is no JSON has no body. */
async function sent(apiUrl: string, code: string): Promise<Answer | string> {
  const send = wire({ apiUrl, checked: false, registers: true });
  try {
    const response = await send(`${apiUrl}/app-manifests/${code}/conversions`, {
      method: 'POST',
      headers: { accept: 'application/vnd.github+json', 'user-agent': 'loopwright' },
      signal: AbortSignal.timeout(WITHIN_MS),
    });
    const text = await response.text();
    return { status: response.status, body: jsonIn(text) };
  } catch (error) {
    return reasonOf(error);
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `ECONNREFUSED`, `TimeoutError` …; the message of a failed fetch says less. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause === undefined ? error.name : reasonOf(error.cause);
}
