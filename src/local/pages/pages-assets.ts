/** Serves the stylesheet, the client script and Mermaid's own browser build. */
import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Hono } from 'hono';
import type { PageEnvironment } from './pages-visit.ts';

const OURS = fileURLToPath(new URL('./assets/', import.meta.url));
// The package's entry lies in the folder that also has the browser build with its chunks.
const MERMAID = fileURLToPath(new URL('.', import.meta.resolve('mermaid')));

/** Adds `/_assets/…`; Mermaid's main file loads a diagram's chunk only when a page needs it. */
export function addAssets(site: Hono<PageEnvironment>): void {
  site.get(
    '/_assets/mermaid/*',
    serveStatic({
      root: MERMAID,
      rewriteRequestPath: (path) => path.replace('/_assets/mermaid', ''),
      onFound: (_path, context) => context.header('cache-control', 'max-age=3600'),
    }),
  );
  site.get(
    '/_assets/*',
    serveStatic({
      root: OURS,
      rewriteRequestPath: (path) => path.replace('/_assets', ''),
      onFound: (_path, context) => context.header('cache-control', 'no-cache'),
    }),
  );
}
