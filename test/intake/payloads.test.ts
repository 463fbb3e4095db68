/** What GitHub may send: all of it is read or refused with a reason, and nothing comes back for ever. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { payloadOf, WEBHOOKS } from '../../src/intake/payloads.ts';
import { GHOST } from '../../src/loop/terms.ts';
import { fieldsOf } from '../../src/referee/json.ts';
import { commentOf, doors, from, issueOf, labelled, MARIA } from './door.ts';
import { DESCRIBED, describePayloads } from './payload-behaviour.ts';

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

const { default_events, default_permissions } = z
  .object({ default_events: z.array(z.string()), default_permissions: z.record(z.string(), z.string()) })
  .parse(parse(readFileSync('app.yml', 'utf8')));
const heardOf = new Set(WEBHOOKS.map((name) => name.split('.', 1)[0] ?? ''));

/** The permission for which GitHub sends each: https://docs.github.com/webhooks/webhook-events-and-payloads. Those of installations come unasked. */
const SENT_FOR: Readonly<Record<string, string | undefined>> = {
  issues: 'issues',
  issue_comment: 'issues',
  pull_request: 'pull_requests',
  pull_request_review: 'pull_requests',
  check_run: 'checks',
  check_suite: 'checks',
  status: 'statuses',
  workflow_run: 'actions',
  push: 'contents',
  merge_group: 'merge_queues',
  delete: 'contents',
  repository: 'metadata',
  installation: undefined,
  installation_repositories: undefined,
};
const subscribed = Object.keys(SENT_FOR).filter((name) => SENT_FOR[name] !== undefined);

it('app.yml asks GitHub for the webhooks that the App listens to; those of installations come unasked', () => {
  expect([...heardOf].toSorted()).toEqual(Object.keys(SENT_FOR).toSorted());
  expect(default_events.toSorted()).toEqual(subscribed.toSorted());
});

it.each(subscribed)('app.yml asks for the permission without which GitHub sends no %s', (name) => {
  expect(['read', 'write']).toContain(default_permissions[SENT_FOR[name] ?? '']);
});

const recorded = z
  .array(z.object({ name: z.string(), examples: z.array(z.record(z.string(), z.unknown())) }))
  .parse(createRequire(import.meta.url)('@octokit/webhooks-examples'))
  .flatMap(({ name, examples }) => examples.map((payload) => ({ name, payload })));
const listened = recorded.filter(({ name, payload }) =>
  WEBHOOKS.some((webhook) => webhook === name || webhook === `${name}.${String(payload.action)}`),
);

test('the 74 recorded payloads of github.com that the App listens to are read and taken in', async () => {
  expect(listened).toHaveLength(74);
  const door = await openDoor();
  const refused: (string | undefined)[] = [];
  for (const { name, payload } of listened) {
    // Half of them were sent to a webhook of a repository, where no App is installed.
    const installation = { id: 1, ...fieldsOf(payload.installation) };
    refused.push(await door.deliver(name, { ...payload, installation }));
  }
  expect(refused.filter((reason) => reason !== undefined)).toEqual([]);
});

test("GitHub's description knows what the App listens to", () => {
  const unknown = WEBHOOKS.filter((webhook) => DESCRIBED.every((one) => one.webhook !== webhook));
  expect(unknown.filter((webhook) => !/^(repository|installation)/.test(webhook))).toEqual([]);
});

// The same payloads each time; test/e2e makes others, and many more.
describePayloads({ openDoor, read: { numRuns: 60, seed: 1 }, takenIn: { numRuns: 25, seed: 1 } });
