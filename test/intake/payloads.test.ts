/** What GitHub may send: all of it is read or refused with a reason, and nothing comes back for ever. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { payloadOf, WEBHOOKS } from '../../src/intake/payloads.ts';
import { GHOST } from '../../src/loop/terms.ts';
import { createContract } from '../../src/referee/contract.ts';
import { fieldsOf } from '../../src/referee/json.ts';
import { commentOf, doors, from, issueOf, labelled, MARIA } from './door.ts';
import { arbitraryOf } from './github-arbitrary.ts';

const openDoor = doors();

describe('what GitHub leaves out', () => {
  it('of an account that was deleted is nobody', () => {
    expect(payloadOf('issues', labelled({ issue: { user: null } }))).toMatchObject({ issue: { user: GHOST } });
    expect(payloadOf('issues', from(null, { action: 'closed', issue: issueOf() }))).toMatchObject({ sender: GHOST });
    expect(payloadOf('issues', from(undefined, { action: 'closed', issue: issueOf() }))).toMatchObject({
      sender: GHOST,
    });
  });

  it('of what decides is a reason not to read it', () => {
    expect(payloadOf('issues', { ...labelled(), installation: undefined })).toEqual({
      refusal: 'issues.labeled cannot be read: installation: Invalid input: expected object, received undefined',
    });
    const repository = { id: 7, name: 'shop', owner: null };
    expect(payloadOf('issues', { ...labelled(), repository })).toEqual({
      refusal: 'issues.labeled cannot be read: repository.owner: Invalid input: expected object, received null',
    });
    for (const body of [5, 'x', null, undefined, []])
      expect(payloadOf('push', body)).toEqual({ refusal: expect.stringContaining('push cannot be read') });
  });

  it('is not asked of what nobody listens to', () => {
    expect(payloadOf('issues', { action: 'pinned' })).toBeUndefined();
    expect(payloadOf('star', undefined)).toBeUndefined();
    expect(payloadOf('constructor', { action: 'name' })).toBeUndefined();
  });
});

it('a word that GitHub adds some day is read as what it cannot do: an account of another kind is no person', () => {
  const sender = { ...MARIA, type: 'Android' };
  expect(payloadOf('issue_comment', commentOf('/stop', { sender }))).toMatchObject({ sender: { type: 'Bot' } });
});

it('app.yml asks GitHub for the webhooks that the App listens to; those of installations come unasked', () => {
  const { default_events } = z
    .object({ default_events: z.array(z.string()) })
    .parse(parse(readFileSync('app.yml', 'utf8')));
  const events = new Set(WEBHOOKS.map((name) => name.split('.', 1)[0] ?? ''));
  const unasked = ['installation', 'installation_repositories'];
  expect(default_events.toSorted()).toEqual([...events].filter((name) => !unasked.includes(name)).toSorted());
});

const recorded = z
  .array(z.object({ name: z.string(), examples: z.array(z.record(z.string(), z.unknown())) }))
  .parse(createRequire(import.meta.url)('@octokit/webhooks-examples'))
  .flatMap(({ name, examples }) => examples.map((payload) => ({ name, payload })));
const listened = recorded.filter(({ name, payload }) =>
  WEBHOOKS.some((webhook) => webhook === name || webhook === `${name}.${String(payload.action)}`),
);

test('the 52 recorded payloads of github.com that the App listens to are read and taken in', async () => {
  expect(listened).toHaveLength(52);
  const door = await openDoor();
  const refused: (string | undefined)[] = [];
  for (const { name, payload } of listened) {
    // Half of them were sent to a webhook of a repository, where no App is installed.
    const installation = { id: 1, ...fieldsOf(payload.installation) };
    refused.push(await door.deliver(name, { ...payload, installation }));
  }
  expect(refused.filter((reason) => reason !== undefined)).toEqual([]);
});

const contract = createContract();
const described = WEBHOOKS.flatMap((webhook) => {
  const [name = '', action] = webhook.split('.');
  const schema = contract.webhookSchema(name, action);
  return schema === undefined ? [] : [{ webhook, name, action, schema }];
});

test("GitHub's description knows what the App listens to", () => {
  const unknown = WEBHOOKS.filter((webhook) => described.every((one) => one.webhook !== webhook));
  expect(unknown.filter((webhook) => !/^(repository|installation)/.test(webhook))).toEqual([]);
});

describe.each(described)("$webhook as GitHub's schema allows it", ({ name, action, schema }) => {
  const payload = fc.tuple(arbitraryOf(contract, schema), fc.integer({ min: 0, max: 9 })).map(([made, without]) => ({
    installation: { id: 1 },
    ...fieldsOf(made),
    ...(action === undefined ? {} : { action }),
    ...(without === 0 ? { installation: undefined } : {}),
    ...(without === 1 ? { sender: null } : {}),
  }));

  it('is a payload or a refusal in one line, and parsed again it is the same', () => {
    fc.assert(
      fc.property(payload, (value) => {
        const read = payloadOf(name, value);
        expect(read).toBeDefined();
        if (read !== undefined && 'refusal' in read) expect(read.refusal).toMatch(/^[^\n]+$/);
        else expect(payloadOf(name, JSON.parse(JSON.stringify(read)))).toEqual(read);
      }),
      { numRuns: 60 },
    );
  });

  it('is taken in or left alone with a reason, and never tried again for what it says', async () => {
    const door = await openDoor();
    const reasons: (string | undefined)[] = [];
    await fc.assert(
      fc.asyncProperty(payload, async (value) => {
        reasons.push(await door.deliver(name, JSON.parse(JSON.stringify(value))));
      }),
      { numRuns: 25 },
    );
    expect(reasons).toContain(undefined);
  });
});
