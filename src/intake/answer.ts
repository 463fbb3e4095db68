/** What a request is answered with: one sentence, also where its body was not read to its end. */
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Answer {
  readonly status: number;
  /** One sentence and a line end. */
  readonly text: string;
}

/** So long a sender whose body is not read to its end has for reading the answer. */
const PARTING_MS = 1000;

/** Answers; a sender that still has some of its body to send is then disconnected, and the rest is not read. */
export function send(request: IncomingMessage, response: ServerResponse, { status, text }: Answer): void {
  const headers = { 'content-type': 'text/plain', 'content-length': Buffer.byteLength(text) };
  if (request.complete) {
    response.writeHead(status, headers).end(text);
    return;
  }
  // Ended, Node would read the rest of the body; closed at once, the sender's system would throw away the answer with what it could not send.
  // The request alone, paused, would still take 64 kB: of pieces of a byte these are 65,536 objects.
  request.pause();
  request.socket.pause();
  response.writeHead(status, { ...headers, connection: 'close' }).write(text);
  const timer = setTimeout(() => request.socket.destroy(), PARTING_MS);
  request.socket.once('close', () => clearTimeout(timer));
}
