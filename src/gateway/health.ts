/** Health, for whoever runs the App: whether the process lives, and whether it can work. */
import { type Context, Hono } from 'hono';

/** Why the App cannot work, in a sentence that anybody may read; undefined where it can. It is not rejected. */
export type Obstacle = () => Promise<string | undefined>;

/** How long an answer stands: anybody can ask, and the database shall not notice how often. */
const STANDS_MS = 1000;

/** `/healthz` answers 200 while the process lives, `/readyz` 200 where it can work and else 503 with the reason; each is one JSON object. */
export function createHealth(obstacle: Obstacle): Hono {
  const app = new Hono();
  const standing = kept(obstacle);
  app.get('/healthz', (context) => told(context, { status: 'alive' }));
  app.get('/readyz', async (context) => {
    const reason = await standing();
    return told(context, reason === undefined ? { status: 'ready' } : { status: 'not ready', reason });
  });
  return app;
}

interface Health {
  readonly status: 'alive' | 'ready' | 'not ready';
  readonly reason?: string;
}

function told(context: Context, health: Health): Response {
  return context.json(health, health.reason === undefined ? 200 : 503, { 'cache-control': 'no-store' });
}

function kept(obstacle: Obstacle): Obstacle {
  let asked: ReturnType<Obstacle> | undefined;
  const forget = (): void => {
    asked = undefined;
  };
  return () => {
    asked ??= obstacle().finally(() => setTimeout(forget, STANDS_MS).unref());
    return asked;
  };
}
