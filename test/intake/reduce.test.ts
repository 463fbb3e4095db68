import { expect, test } from 'vitest';
import { payloadOf } from '../../src/intake/payloads.ts';
import { deliveryOf } from '../../src/intake/reduce.ts';

const SELF = 'loopwright[bot]';
const SHA = 'a'.repeat(40);
const maria = { id: 7, login: 'maria', type: 'User' };
const bot = { id: 8, login: SELF, type: 'Bot' };
const envelope = {
  repository: { id: 5, name: 'shop', owner: { login: 'acme' }, default_branch: 'main', topics: ['secret'] },
  installation: { id: 1 },
  sender: maria,
};
const issue = { number: 3, title: 'Sort', body: 'hello', user: maria, labels: [] };
const labelled = (name: string, more = {}) => ({ ...envelope, action: 'labeled', issue, label: { name }, ...more });
const unlabelled = (more = {}) => ({ ...envelope, action: 'unlabeled', issue, label: { name: 'loop' }, ...more });
const comment = (body: string, more = {}) => ({
  ...envelope,
  action: 'created',
  issue,
  comment: { id: 1, body, created_at: '2026-01-01T00:00:00Z' },
  ...more,
});
const check = (action: string, external_id: string, more = {}) => ({
  ...envelope,
  action,
  check_run: { external_id, head_sha: SHA },
  requested_action: { identifier: 'approve' },
  ...more,
});
const pushTo = (ref: string, more = {}) => ({ ...envelope, ref, before: SHA, after: SHA, ...more });
const deletionOf = (ref: string, ref_type: string) => ({ ...envelope, ref, ref_type });

function kept(name: string, payload: unknown) {
  return deliveryOf({ id: 'd', name, payload, receivedAt: '2026-01-01T00:00:00.000Z' }, SELF);
}

test.each([
  ['issues', labelled('loop')],
  ['issues', labelled('Loop')],
  ['issues', unlabelled()],
  ['issues', { ...envelope, action: 'closed', issue }],
  ['issue_comment', comment('please\n/approve')],
  ['check_run', check('requested_action', '5/3/1/packet')],
  ['check_run', check('completed', 'of another app')],
  ['push', pushTo('refs/heads/main')],
  ['push', pushTo('refs/heads/loopwright/3')],
  // The branch is gone; `delete` says so too, and either of them may not arrive.
  ['push', pushTo('refs/heads/loopwright/3', { after: '0'.repeat(40) })],
  ['delete', deletionOf('loopwright/3', 'branch')],
])('%s that may decide something is kept as what is read of it, and reads the same again (%#)', (name, payload) => {
  const { repositoryId, payload: reduced, note } = kept(name, payload);
  expect([repositoryId, note]).toEqual([5, undefined]);
  expect(payloadOf(name, JSON.parse(JSON.stringify(reduced)))).toEqual(payloadOf(name, payload));
  expect(JSON.stringify(reduced)).not.toContain('secret');
});

test.each([
  ['star', { ...envelope, action: 'created' }],
  ['check_run', check('created', '5/3/1/packet')],
  ['issues', labelled('bug')],
  ['issues', unlabelled({ sender: bot })],
  ['issue_comment', comment('a remark, not /approve')],
  ['issue_comment', comment('/approve', { sender: { ...bot, login: 'other[bot]' } })],
  ['check_run', check('requested_action', 'of another app')],
  ['check_run', check('rerequested', '')],
  ['check_run', check('completed', '5/3/1/packet', { sender: bot })],
  ['push', pushTo('refs/heads/feature')],
  ['push', pushTo('refs/tags/v1')],
  ['push', pushTo('refs/heads/loopwright/3', { sender: bot })],
  ['delete', deletionOf('feature', 'branch')],
  ['delete', deletionOf('loopwright/3', 'tag')],
])('%s that decides nothing leaves its id alone (%#)', (name, payload) => {
  expect(kept(name, payload)).toEqual({
    id: 'd',
    name,
    receivedAt: '2026-01-01T00:00:00.000Z',
    repositoryId: undefined,
    payload: undefined,
    note: undefined,
  });
});

test.each([
  ['issues', labelled('loop', { installation: undefined }), /^issues\.labeled cannot be read: installation: [^\n]+$/],
  [
    'issues',
    labelled('loop', { issue: { ...issue, number: '3' } }),
    /^issues\.labeled cannot be read: issue\.number: [^\n]+$/,
  ],
])('%s that cannot be read leaves its id and the reason (%#)', (name, payload, note) => {
  expect(kept(name, payload)).toMatchObject({ payload: undefined, repositoryId: undefined });
  expect(kept(name, payload).note).toMatch(note);
});
