import { createServer } from 'node:http';
import { renderPage } from './page.js';
import { createStore } from './store.js';

/** The HTTP server over one store; not yet listening. */
export function createApp(store = createStore()) {
  return createServer(async (request, response) => {
    const url = new URL(request.url, 'http://guestbook');
    const route = `${request.method} ${url.pathname}`;
    if (route === 'GET /health') return send(response, 200, 'text/plain', 'ok');
    if (route === 'GET /') return send(response, 200, 'text/html; charset=utf-8', renderPage({ entries: store.all() }));
    if (route === 'GET /api/entries') return sendJson(response, 200, store.all());
    if (route === 'POST /api/entries') return addEntry(request, response, store);
    return sendJson(response, 404, { error: `no route ${route}` });
  });
}

async function addEntry(request, response, store) {
  let text = '';
  for await (const chunk of request) text += chunk;
  const { name, message } = JSON.parse(text || '{}');
  if (typeof name !== 'string' || typeof message !== 'string') return sendJson(response, 422, { error: 'name and message are needed' });
  return sendJson(response, 201, store.add({ name, message }));
}

function sendJson(response, status, value) {
  send(response, status, 'application/json', JSON.stringify(value));
}

function send(response, status, type, body) {
  response.writeHead(status, { 'content-type': type });
  response.end(body);
}

if (process.argv[1] === import.meta.filename) {
  createApp().listen(Number(process.env.PORT ?? 8080), '127.0.0.1');
}
