/** What keeps the App from working in a repository, as GitHub tells it. */
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { WithheldError } from '../../src/errors.ts';
import { createGitHub } from '../../src/github/github.ts';
import type { RepositoryRef } from '../../src/github/github-port.ts';
import { NEEDED } from '../../src/github/standing.ts';
import { wire } from '../../src/github/wire.ts';
import { readAppFile } from '../../src/settings/app-file.ts';
import { HERE, type Stage, startStage } from '../local/server.ts';

let stage: Stage;
let there: RepositoryRef;
let issue: number;
beforeAll(async () => {
  stage = await startStage();
  const { rest } = stage.as('alice');
  const { id } = (await rest.repos.get(HERE)).data;
  there = { installationId: stage.server.credentials.installationId, repositoryId: id, ...HERE };
  issue = (await rest.issues.create({ ...HERE, title: 'Here' })).data.number;
});
afterEach(() => arrange({}));
afterAll(() => stage.close());

const arrange = (arranged: object) => stage.local('PATCH', '/switches', { arranged });

function github() {
  const { appId, privateKey } = stage.server.credentials;
  const apiUrl = `${stage.server.url}/api/v3`;
  const log = pino({ level: 'silent' });
  return createGitHub({ appId, privateKey, apiUrl, fetch: wire({ apiUrl, checked: true }), pauseMs: 1, log });
}

test('what the App needs is what app.yml asks for', async () => {
  const { merge_queues: _, ...needed } = (await readAppFile()).permissions;
  expect(NEEDED).toEqual(needed);
});

const CASES: readonly (readonly [string, object, boolean, RegExp])[] = [
  ['suspended', { isSuspended: true }, true, /is suspended: unsuspend it on http\S+\/settings\/installations\/\d+\.$/],
  ['archived', { isArchived: true }, true, /^alice\/toys is archived and takes no writes: unarchive it on http\S+\.$/],
  ['not installed', { isInstalled: false }, true, /^The App is not installed on alice\/toys any more: add/],
  [
    'without a permission',
    { accepted: { ...NEEDED, issues: 'read', checks: undefined } },
    false,
    /lacks `issues: write`, `checks: write`: grant it on http/,
  ],
];

test.each(CASES)(
  '%s: the write is refused as withheld, and the port says why, until it is back',
  async (_, arranged, isWhole, says) => {
    const port = github();
    expect(await port.withheld(there)).toBeUndefined();
    await arrange(JSON.parse(JSON.stringify(arranged)));
    const since = 'isSuspended' in arranged ? { since: expect.stringMatching(/^2\d{3}-/) } : {};
    expect(await port.withheld(there)).toEqual({ isWhole, reason: expect.stringMatching(says), ...since });
    const said = () => port.comment(there, issue, { marker: 'x/1', body: 'Hello', isNew: true });
    if (!('isInstalled' in arranged)) await expect(said()).rejects.toThrow(WithheldError);
    await arrange({});
    expect(await port.withheld(there)).toBeUndefined();
    await expect(said()).resolves.toMatchObject({ id: expect.any(Number) });
  },
);

test('a repository that has another name, and is private, is found by its id', async () => {
  await arrange({ isPrivate: true });
  expect(await github().withheld({ ...there, owner: 'nobody', repo: 'nothing' })).toBeUndefined();
});
