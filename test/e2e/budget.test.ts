/** What may be spent, measured at the model's own door: no limit is passed by more than one call, and none at all is none. */
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { readScript } from '../../src/demo/script.ts';
import { type ScriptedModel, startScriptedModel } from '../../src/demo/scripted-model.ts';
import type { Loop } from '../../src/loop/loop.ts';
import { asStarted, type StartedLoop } from '../../src/loop/stages.ts';
import { packageFile } from '../../src/settings/package-root.ts';
import { listening } from '../listening.ts';
import { commanded, eventually, quiet, rightAtOnce, said } from './acts.ts';
import { startWorld, type World } from './world.ts';

/** A call of the script takes some thousand tokens, so the first limit lasts for a few of them. */
const PRICE = { prompt: 1, completion: 4 };
const usage = z.object({ usage: z.object({ prompt_tokens: z.int(), completion_tokens: z.int() }) });

let world: World;
let model: ScriptedModel;
let door: Server;
/** What each call cost that came through the door, in USD, by issue. */
const paid = new Map<number, number[]>();

beforeAll(async () => {
  const { issue: _, ...forAnyIssue } = await readScript(packageFile('src', 'demo', 'guestbook.yaml'));
  model = await startScriptedModel(rightAtOnce(forAnyIssue));
  door = createServer(async (request, response) => {
    const headers = new Headers({ 'content-type': 'application/json' });
    headers.set('x-loopwright-attempt', String(request.headers['x-loopwright-attempt']));
    const body = await text(request);
    const answered = await fetch(new URL(request.url ?? '', model.url), { method: 'POST', headers, body });
    const answer = await answered.text();
    const { usage: used } = usageIn(answer);
    const issue = Number(/#(\d+)/.exec(String(request.headers['x-loopwright-loop']))?.[1]);
    const usd = (used.prompt_tokens * PRICE.prompt + used.completion_tokens * PRICE.completion) / 1_000_000;
    paid.set(issue, [...paidFor(issue), usd]);
    const type = answered.headers.get('content-type') ?? 'application/json';
    response.writeHead(answered.status, { 'content-type': type }).end(answer);
  });
  const modelUrl = `${await listening(door)}/v1`;
  world = await startWorld({ modelUrl, price: PRICE });
});
afterAll(async () => {
  await world.close();
  door.closeAllConnections();
  door.close();
  await model.close();
});

/** Of an answer in one piece, or of the last words of a streamed one. */
function usageIn(answer: string): z.infer<typeof usage> {
  const pieces = answer.startsWith('data:')
    ? [...answer.matchAll(/^data: (\{.*\})$/gm)].map(([, json = '']) => json)
    : [answer];
  const stated = pieces.flatMap((piece) => usage.safeParse(JSON.parse(piece)).data ?? []);
  return usage.parse(stated.at(-1));
}

function paidFor(issue: number): readonly number[] {
  return paid.get(issue) ?? [];
}

const total = (issue: number): number => paidFor(issue).reduce((sum, usd) => sum + usd, 0);
/** Once nobody waits for a word; the work that there is no money for stays pending, unlike what `until` waits for. */
async function seen(issue: number, isSo: (loop: Loop) => boolean): Promise<StartedLoop> {
  await eventually(
    async () => {
      const loop = await world.loop(issue);
      return loop !== undefined && isSo(loop);
    },
    `#${issue} to rest`,
    300_000,
  );
  await quiet(world, issue);
  const loop = await world.loop(issue);
  if (loop === undefined) throw new Error(`#${issue} has no loop`);
  return asStarted(loop);
}

const isBroke = ({ status, pausedFor }: Loop): boolean => status === 'paused' && pausedFor === 'budget';
const goalWith = (limits: string): string =>
  `\`\`\`yaml\nkind: feature\nobjective: Let visitors search\nmetrics: [{ name: uat_pass_rate, operator: ">=", value: 0.95 }]\nlimits: ${limits}\n\`\`\``;

it('0 USD means no call at all, and a sentence that says how the loop goes on', async () => {
  const issue = await world.labelled({ body: goalWith('{ usd: 0 }') });
  await seen(issue, isBroke);
  expect(paidFor(issue)).toEqual([]);
  expect((await said(world, issue)).map(({ body }) => body).join('\n')).toContain(
    '@maria, the budget of 0 USD is used up (0.00 USD spent), so DISCOVER waits; `/budget +<usd>` goes on where it is, `/stop` ends the loop.',
  );
});

it('tokens are limited like money: 1 token is one call', async () => {
  const issue = await world.labelled({ body: goalWith('{ tokens: 1 }') });
  const loop = await seen(issue, ({ waitingFor }) => waitingFor === 'answers');
  expect(loop.spent.calls).toBe(1);
  await commanded(world, 'maria', issue, '/auto');
  await seen(issue, isBroke);
  expect(paidFor(issue)).toHaveLength(1);
});

it('0.01 USD, and each raise after it, is never passed by more than one call, in drafts and in runs, and every call is counted', async () => {
  const issue = await world.labelled({ body: goalWith('{ usd: 0.01 }') });
  const waits: string[] = [];
  for (let raises = 0; raises < 40; raises += 1) {
    const rested = ({ status, waitingFor }: Loop): boolean =>
      ['paused', 'succeeded', 'stopped'].includes(status) || waitingFor !== undefined;
    const loop = await seen(issue, rested);
    const { spent, started } = loop;
    expect(spent.calls).toBe(paidFor(issue).length);
    expect(spent.usd).toBeCloseTo(total(issue), 9);
    expect(spent.usd).toBeLessThanOrEqual(started.limits.usd + Math.max(...paidFor(issue)));
    if (loop.status === 'succeeded') break;
    expect(loop.status).not.toBe('stopped');
    const answer = { answers: '/auto', approval: '/approve', release: '/release', rerun: '/rerun' } as const;
    if (loop.waitingFor !== undefined) await commanded(world, 'maria', issue, answer[loop.waitingFor]);
    else {
      waits.push(loop.phase);
      // A task that costs more than a raise would begin again and again.
      await commanded(
        world,
        'maria',
        issue,
        loop.phase === 'BUILD' && waits.filter((phase) => phase === 'BUILD').length > 1
          ? '/budget +1'
          : '/budget +0.01',
      );
    }
  }
  expect((await world.loop(issue))?.status).toBe('succeeded');
  expect(waits).toEqual(expect.arrayContaining(['DEFINE', 'BUILD']));
});
