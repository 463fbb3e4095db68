/** The way from enclosed steps on a runner to the server, which is shown to them without what is local only. */
import { ENCLOSED_HEADER } from '../actions/job-message.ts';
import type { Answering } from '../faults/faulty.ts';

/** Hands requests on, and answers back as they come. */
export function relayTo(url: string): Answering {
  return (request) => {
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    for (const name of ['host', 'connection', 'content-length', 'transfer-encoding', 'expect']) headers.delete(name);
    headers.set(ENCLOSED_HEADER, '1');
    // Bytes go through as they are: what fetch would unpack is asked for unpacked.
    headers.set('accept-encoding', 'identity');
    const { method, body } = request;
    return fetch(`${url}${pathname}${search}`, {
      method,
      headers,
      redirect: 'manual',
      ...(body && { body, duplex: 'half' }),
    });
  };
}
