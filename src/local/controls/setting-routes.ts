/** `/_local/switches` and `/_local/clock`: how the embedded GitHub behaves, read and set. */
import { Hono } from 'hono';
import { z } from 'zod';
import type { Host } from '../host.ts';
import { rearrange } from '../webhooks/arranging.ts';
import { arrangedSchema } from './arranged.ts';
import { bodyOf } from './body.ts';
import { switchesSchema } from './switches.ts';

/** Without defaults: what is not named stays as it is. */
const { mergeableAfterMs, protectsDefaultBranch, neutralPasses } = switchesSchema.shape;
const changeSchema = z
  .strictObject({
    mergeableAfterMs: mergeableAfterMs.unwrap(),
    protectsDefaultBranch: protectsDefaultBranch.unwrap(),
    neutralPasses: neutralPasses.unwrap(),
    /** As a whole: what is not named in it is as at first. */
    arranged: arrangedSchema,
  })
  .partial();

const clockSchema = z.union([z.strictObject({ offsetMs: z.int() }), z.strictObject({ advanceMs: z.int() })], {
  error: 'expected {"offsetMs": n}, away from this machine\'s clock, or {"advanceMs": n}, away from now',
});

/** The routes, to be mounted at `/_local`. */
export function settingRoutes(host: Host): Hono {
  const { switches, clock } = host;
  const app = new Hono();
  const told = () => ({ now: clock.now().toISOString(), offsetMs: switches.values().clockOffsetMs });
  app.get('/switches', (context) => context.json(switches.values()));
  app.patch('/switches', async (context) => {
    const { arranged, ...change } = await bodyOf(context.req, changeSchema);
    if (arranged !== undefined) rearrange(host, arranged);
    return context.json(switches.set(change));
  });
  app.get('/clock', (context) => context.json(told()));
  app.post('/clock', async (context) => {
    const wanted = await bodyOf(context.req, clockSchema);
    const offset = 'offsetMs' in wanted ? wanted.offsetMs : told().offsetMs + wanted.advanceMs;
    switches.set({ clockOffsetMs: offset });
    return context.json(told());
  });
  return app;
}
