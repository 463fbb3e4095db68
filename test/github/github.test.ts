import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { GoneError, LoopError, SecretError, UnansweredError, WriteRefusedError } from '../../src/errors.ts';
import { blobSha } from '../../src/github/git-tree.ts';
import { createGitHub, type GitHubOptions } from '../../src/github/github.ts';
import type { RepositoryRef } from '../../src/github/github-port.ts';
import { wire } from '../../src/github/wire.ts';
import type { CheckRun } from '../../src/loop/check-run.ts';
import type { ShownCheck, ShownComment } from '../../src/loop/shown.ts';
import { git, HERE, type Stage, startStage } from '../local/server.ts';

const CANARY = 'kanarie-7f3a9c51e2b84d06';

let stage: Stage;
let repository: RepositoryRef;
beforeAll(async () => {
  stage = await startStage({
    files: {
      'README.md': '# Toys\n',
      'src/basket.ts': 'export {};\n',
      'src/deep/er/x.txt': 'x\n',
      'run.sh': '#!/bin/sh\n',
    },
  });
  const { data } = await stage.as('alice').rest.repos.get(HERE);
  repository = { installationId: stage.server.credentials.installationId, repositoryId: data.id, ...HERE };
});
afterAll(async () => {
  expect(await stage.problems()).toEqual([]);
  await stage.close();
});

function github(change: Partial<GitHubOptions> = {}) {
  const { appId, privateKey } = stage.server.credentials;
  const apiUrl = `${stage.server.url}/api/v3`;
  const fetch = wire({ apiUrl, checked: true });
  return createGitHub({
    appId,
    privateKey,
    apiUrl,
    fetch,
    canaries: [CANARY],
    pauseMs: 1,
    log: pino({ level: 'silent' }),
    ...change,
  });
}

const requestRows = z.array(
  z.object({ id: z.int(), actor: z.string(), method: z.string(), path: z.string(), status: z.int() }),
);

/** Requests of the App that write, while something is done. */
async function writesDuring(action: () => Promise<unknown>): Promise<readonly string[]> {
  return (await requestsDuring(action)).filter((request) => !request.startsWith('GET '));
}

/** Requests of the App while something is done, but for those of its tokens. */
async function requestsDuring(action: () => Promise<unknown>): Promise<readonly string[]> {
  // The log answers with a page of what came after an id.
  const rows = async (after: number) =>
    requestRows.parse(await (await fetch(`${stage.server.url}/_local/requests?after=${after}`)).json());
  let before = 0;
  for (let page = await rows(before); page.length > 0; page = await rows(before)) before = page.at(-1)?.id ?? before;
  await action();
  return (await rows(before))
    .filter(
      ({ id, actor, path }) => id > before && actor === 'app' && path !== '/app' && !path.endsWith('/access_tokens'),
    )
    .map(({ method, path }) => `${method} ${path.replace(/^.*\/repos\/alice\/toys/, '').replace(/\d+/g, 'N')}`);
}

/** Git and GitHub tell times in whole seconds: what is written after this has another one. */
const aSecond = () => stage.local('POST', '/clock', { advanceMs: 1100 });

async function newIssue(): Promise<number> {
  return (await stage.as('alice').rest.issues.create({ ...HERE, title: 'Basket is slow', body: 'Please fix' })).data
    .number;
}

async function mainHead(): Promise<string> {
  return (await github().head(repository, 'refs/heads/main')) ?? '';
}

let serial = 0;
/** A commit of ours on a branch of ours. */
async function branchWith(content: string) {
  serial += 1;
  const branch = `loopwright/${serial}`;
  const changes = [{ path: 'src/new.txt', mode: '100644' as const, content: Buffer.from(content).toString('base64') }];
  const ref = `refs/heads/${branch}`;
  const { sha } = await github().commit(repository, { ref, parent: await mainHead(), changes, message: 'Propose' });
  await github().moveRef(repository, ref, sha);
  return { branch, sha };
}

test('a comment is made once, edited when it differs, and not written when it is the same', async () => {
  const issue = await newIssue();
  const say = (body: string) => github().comment(repository, issue, { marker: 'board/1', body });
  const seen = async () => {
    const { data } = await stage.as('alice').rest.issues.listComments({ ...HERE, issue_number: issue });
    return data.map(({ id, body, updated_at: writtenAt }) => ({ id, body, writtenAt }));
  };
  let first: Awaited<ReturnType<typeof say>> | undefined;
  expect(
    await writesDuring(async () => {
      first = await say('one');
    }),
  ).toEqual(['POST /issues/N/comments']);
  expect(await seen()).toEqual([{ ...first, body: '<!-- loopwright:board/1 -->\none' }]);
  await aSecond();
  expect(await writesDuring(async () => expect(await say('one')).toEqual(first))).toEqual([]);
  let second: typeof first;
  expect(
    await writesDuring(async () => {
      second = await say('two');
    }),
  ).toEqual(['PATCH /issues/comments/N']);
  expect(second).not.toEqual(first);
  expect(await seen()).toEqual([{ ...second, id: first?.id, body: '<!-- loopwright:board/1 -->\ntwo' }]);
});

test('a comment that is written often is looked for once, changed where it is known, and made anew where it is gone', async () => {
  const issue = await newIssue();
  const show = async (body: string, known: ShownComment | undefined) => {
    let shown: ShownComment | undefined;
    const requests = await requestsDuring(async () => {
      shown = await github().showComment(repository, issue, { marker: 'board/1', body }, known);
    });
    return { shown, requests: requests.map((request) => request.replace(/\?.*/, '')) };
  };
  const first = await show('Board', undefined);
  expect(first.requests).toEqual(['GET /repositories/N/issues/N/comments', 'POST /issues/N/comments']);
  expect(await show('Board', first.shown)).toEqual({ shown: first.shown, requests: [] });
  const second = await show('Newer', first.shown);
  expect(second.requests).toEqual(['PATCH /issues/comments/N']);
  expect(second.shown).toMatchObject({ id: first.shown?.id });
  await stage.as('alice').rest.issues.deleteComment({ ...HERE, comment_id: first.shown?.id ?? 0 });
  const third = await show('Newest', second.shown);
  expect(third.requests.at(-1)).toBe('POST /issues/N/comments');
  expect(third.shown?.id).not.toBe(first.shown?.id);
  const { data } = await stage.as('alice').rest.issues.listComments({ ...HERE, issue_number: issue });
  expect(data.map(({ body }) => body)).toEqual([expect.stringContaining('Newest')]);
});

test('a marker in the comment of a stranger is no reason to edit it', async () => {
  const issue = await newIssue();
  const forged = '<!-- loopwright:board/1 -->\nmine';
  await stage.as('carol').rest.issues.createComment({ ...HERE, issue_number: issue, body: forged });
  await github().comment(repository, issue, { marker: 'board/1', body: 'ours' });
  const { data } = await stage.as('alice').rest.issues.listComments({ ...HERE, issue_number: issue });
  expect(data.map(({ body }) => body)).toEqual([forged, '<!-- loopwright:board/1 -->\nours']);
});

test('a comment mentions only whom it may, and holds no secret', async () => {
  const issue = await newIssue();
  const body = `> Scripted.\n\n@alice, please read.\n\n### Plan\n\n@bob, ${CANARY} ![x](https://evil.test)`;
  await github().comment(repository, issue, { marker: 'packet/1/1', body, mention: ['alice'] });
  const { data } = await stage.as('alice').rest.issues.listComments({ ...HERE, issue_number: issue });
  expect(data[0]?.body).toContain('\n\n@alice, please read.');
  expect(data[0]?.body).toContain('@\u200Bbob, [secret removed] (image removed: x)');
});

test('reactions and labels may be set and removed twice', async () => {
  const issue = await newIssue();
  const { data: said } = await stage
    .as('alice')
    .rest.issues.createComment({ ...HERE, issue_number: issue, body: '/status' });
  await stage.as('alice').rest.issues.addLabels({ ...HERE, issue_number: issue, labels: ['loop', 'bug'] });
  for (const _ of [1, 2]) {
    await github().react(repository, said.id, '+1');
    await github().removeLabel(repository, issue, 'loop');
  }
  const { data } = await stage.as('alice').rest.reactions.listForIssueComment({ ...HERE, comment_id: said.id });
  expect(data.map(({ content }) => content)).toEqual(['+1']);
  expect(await github().issueState(repository, issue)).toEqual({ state: 'open', labels: ['bug'] });
  await stage.as('alice').rest.issues.addLabels({ ...HERE, issue_number: issue, labels: ['loop'] });
  expect((await github().issueState(repository, issue)).labels).toContain('loop');
});

test('an issue that is not there has no state', async () => {
  await expect(github().issueState(repository, 4711)).rejects.toBeInstanceOf(GoneError);
});

test('a repository is found by its id under whatever name it was told, and one that the App does not reach is nowhere', async () => {
  const { installationId } = repository;
  const here = { installationId, owner: HERE.owner, repo: HERE.repo };
  expect(await github().locate({ ...repository, owner: 'old', repo: 'name' })).toEqual(here);
  expect(await github().locate({ ...repository, repositoryId: 4711 })).toBeUndefined();
  // An installation that has it no more, or never had it: the one that has it now tells.
  expect(await github().locate({ ...repository, installationId: 4711 })).toEqual(here);
});

test('a permission is the role on the repository, and none for strangers, ghosts and bots', async () => {
  const roles = await Promise.all(
    ['alice', 'bob', 'tina', 'nobody-here', 'ghost', 'loopwright[bot]', ''].map((login) =>
      github().permission(repository, login),
    ),
  );
  expect(roles).toEqual(['admin', 'write', 'triage', 'none', 'none', 'none', 'none']);
});

test('the repository says its default branch', async () => {
  expect(await github().repository(repository)).toEqual({
    defaultBranch: 'main',
    url: expect.stringMatching(/^http:.+\/alice\/toys$/),
    server: 'github.com',
  });
});

test('refs and files are read, and a missing one is undefined', async () => {
  const sha = await mainHead();
  expect(sha).toMatch(/^[0-9a-f]{40}$/);
  expect(await github().head(repository, 'refs/heads/no')).toBeUndefined();
  expect(await github().file(repository, 'src/basket.ts', sha)).toBe('export {};\n');
  expect(await github().file(repository, 'src', sha)).toBeUndefined();
  expect(await github().file(repository, 'no.txt', 'main')).toBeUndefined();
});

test('what stands at a hash is asked for once, what stands at a branch each time, and what is not there again', async () => {
  const asked = github();
  const sha = await mainHead();
  const reads = async (path: string, ref: string) =>
    (await requestsDuring(() => asked.file(repository, path, ref))).length;
  expect([await reads('README.md', sha), await reads('README.md', sha)]).toEqual([1, 0]);
  expect([await reads('README.md', 'main'), await reads('README.md', 'main')]).toEqual([1, 1]);
  const missing = await reads('missing.md', sha);
  expect([missing > 0, await reads('missing.md', sha)]).toEqual([true, missing]);
  expect(await reads('src/basket.ts', sha)).toBe(1);
  const elsewhere = { ...repository, repositoryId: repository.repositoryId + 1 };
  await expect(asked.file(elsewhere, 'README.md', sha)).rejects.toThrow('not accessible');
});

test('a commit is signed by GitHub, git agrees on its tree, and where its ref has it already it is not made again', async () => {
  const ref = 'refs/loopwright/9/1/1';
  const parent = await mainHead();
  const changes = [
    { path: 'src/deep/er/x.txt', mode: '100644' as const, content: null },
    { path: 'src.txt', mode: '100644' as const, content: Buffer.from('beside a directory').toString('base64') },
    { path: 'src/binary', mode: '100644' as const, content: Buffer.from([0, 255, 10]).toString('base64') },
    { path: 'run.sh', mode: '100755' as const, content: Buffer.from('#!/bin/sh\n').toString('base64') },
    { path: 'a/b/c.md', mode: '100644' as const, content: Buffer.from('hello @bob fixes #1').toString('base64') },
  ];
  const message = 'Propose\n\nfixes #1 for @bob';
  const first = await github().commit(repository, { ref, parent, changes, message });
  await github().moveRef(repository, ref, first.sha);
  await aSecond();
  const withoutBlobs = (writes: readonly string[]) => writes.filter((write) => write !== 'POST /git/blobs');
  const writes = await writesDuring(async () => {
    const again = { ...first, before: first.sha };
    expect(await github().commit(repository, { ref, parent, changes, message })).toEqual(again);
    expect(await github().commit(repository, { ref, parent: first.sha, changes, message })).toEqual(again);
  });
  expect(withoutBlobs(writes)).toEqual([]);
  const others = [
    { ref, parent, changes, message: 'Another message' },
    { ref, parent, changes: changes.slice(1), message },
    { ref: 'refs/loopwright/9/1/2', parent, changes, message },
  ];
  for (const other of others) expect((await github().commit(repository, other)).sha).not.toBe(first.sha);
  const { data } = await stage.as('alice').rest.git.getCommit({ ...HERE, commit_sha: first.sha });
  expect(data).toMatchObject({
    author: {
      name: 'loopwright[bot]',
      email: expect.stringMatching(/^\d+\+loopwright\[bot\]@users\.noreply\.github\.com$/),
    },
    committer: data.author,
    verification: { verified: true, reason: 'valid' },
  });
  const clone = `${stage.directory}/clone`;
  await git(stage.directory, ['clone', '--quiet', `${stage.server.url}/alice/toys.git`, clone]);
  await git(clone, ['fetch', '--quiet', 'origin', first.sha]);
  const shown = async (parameters: readonly string[]) => (await git(clone, parameters)).stdout;
  expect(await shown(['rev-parse', `${first.sha}^{tree}`])).toBe(first.tree);
  expect(await shown(['diff', '--name-status', '--no-renames', `${parent}..${first.sha}`])).toBe(
    'A\ta/b/c.md\nM\trun.sh\nA\tsrc.txt\nA\tsrc/binary\nD\tsrc/deep/er/x.txt',
  );
  expect(await shown(['show', `${first.sha}:a/b/c.md`])).toBe('hello @bob fixes #1');
  expect(await shown(['log', '-1', '--format=%an %ad %B', '--date=iso-strict-local', first.sha])).toContain(
    'fixes \u200B#1 for @\u200Bbob',
  );
});

test('a merge has two parents and what the head brought on top of the base; where its ref has it already it is not made again', async () => {
  const { branch, sha: parent } = await branchWith('merged');
  const ref = `refs/heads/${branch}`;
  const data = stage.as('alice').rest.git;
  const before = await mainHead();
  const theirs = await data.createTree({
    ...HERE,
    base_tree: before,
    tree: [{ path: 'theirs.txt', mode: '100644', type: 'blob', content: 'theirs' }],
  });
  const tree = theirs.data.sha;
  const base = (await data.createCommit({ ...HERE, message: 'Theirs', tree, parents: [before] })).data.sha;
  const blob = await data.createBlob({ ...HERE, content: 'held' });
  const text = (content: string) => Buffer.from(content).toString('base64');
  const merge = {
    parent: base,
    held: [
      { path: 'held.txt', mode: '100644' as const, sha: blob.data.sha },
      { path: 'again.txt', mode: '100644' as const, sha: blob.data.sha },
      { path: 'theirs.txt', mode: '100644' as const, sha: null },
    ],
    made: [{ path: 'made.txt', mode: '100644' as const, content: text('made') }],
  };
  const changes = [{ path: 'again.txt', mode: '100644' as const, content: text('again') }];
  const commit = () => github().commit(repository, { ref, parent, changes, message: 'Merge', merge });
  const { sha } = await commit();
  await github().moveRef(repository, ref, sha);
  await aSecond();
  const writes = await writesDuring(async () => expect((await commit()).sha).toBe(sha));
  expect(writes).toEqual([]);
  const { parents } = (await data.getCommit({ ...HERE, commit_sha: sha })).data;
  expect(parents.map((one) => one.sha)).toEqual([parent, base]);
  const files = await Promise.all(
    ['held.txt', 'made.txt', 'again.txt', 'theirs.txt', 'src/new.txt'].map((path) =>
      github().file(repository, path, sha),
    ),
  );
  expect(files).toEqual(['held', 'made', 'again', undefined, undefined]);
});

const TOKEN = 'ghp_0123456789abcdefABCDEF0123456789abcd';
test.each([
  ['a file', 'x.txt', `key ${CANARY}`, "x.txt holds one of the App's own secrets, so nothing is committed."],
  [
    'a document',
    '.loopwright/12/spec.md',
    `use ${TOKEN}`,
    '.loopwright/12/spec.md holds what looks like a GitHub token, so nothing is committed. Take it out of the issue and the answers, then say `/rerun DISCOVER`.',
  ],
  ['a document behind entities', '.loopwright/12/spec.md', `use gh&#112;_${TOKEN.slice(4)}`, 'a GitHub token'],
])('%s with a secret is not committed, and a sentence says so', async (_, path, text, sentence) => {
  const changes = [{ path, mode: '100644' as const, content: Buffer.from(text).toString('base64') }];
  const parent = await mainHead();
  const ref = 'refs/heads/loopwright/x';
  const writes = await writesDuring(async () => {
    const refusal = github().commit(repository, { ref, parent, changes, message: 'x' });
    await expect(refusal).rejects.toThrow(SecretError);
    await expect(refusal).rejects.toThrow(sentence);
  });
  expect(writes).toEqual([]);
});

test('a file of the product may look as if it held a token: the scan and people judge that', async () => {
  const changes = [{ path: 'x.txt', mode: '100644' as const, content: Buffer.from(TOKEN).toString('base64') }];
  const parent = await mainHead();
  const commit = github().commit(repository, { ref: 'refs/heads/loopwright/x', parent, changes, message: 'x' });
  await expect(commit).resolves.toMatchObject({ sha: expect.any(String) });
});

test('a ref is created, moved forward, left alone when right, and never moved back', async () => {
  const { branch, sha } = await branchWith('one');
  const ref = `refs/heads/${branch}`;
  expect(await writesDuring(() => github().moveRef(repository, ref, sha))).toEqual([]);
  const next = await github().commit(repository, { ref, parent: sha, changes: [], message: 'Next' });
  await github().moveRef(repository, ref, next.sha);
  expect(await github().head(repository, ref)).toBe(next.sha);
  await expect(github().moveRef(repository, ref, sha)).rejects.toThrow(WriteRefusedError);
  await expect(github().moveRef(repository, ref, sha)).rejects.toThrow(/not a fast forward/i);
  expect(await github().head(repository, ref)).toBe(next.sha);
});

test('what was committed is not asked for again when the next commit goes on top of it', async () => {
  const asked = github();
  const ref = 'refs/heads/loopwright/on-top';
  const changeOf = (path: string) => ({ path, mode: '100644' as const, content: Buffer.from(path).toString('base64') });
  const commit = (parent: string, path: string) =>
    asked.commit(repository, { ref, parent, changes: [changeOf(path)], message: path });
  const first = await commit(await mainHead(), 'src/one.txt');
  await asked.moveRef(repository, ref, first.sha, { at: first.before });
  const requests = await requestsDuring(async () => {
    const next = await commit(first.sha, 'src/two.txt');
    expect([first.before, next.before]).toEqual([undefined, first.sha]);
    await asked.moveRef(repository, ref, next.sha, { at: next.before });
  });
  expect(requests).toEqual([
    'GET /repositories/N/git/matching-refs/heads%NFloopwright%NFon-top',
    'POST /git/trees',
    'POST /git/commits',
    'PATCH /git/refs/heads%NFloopwright%NFon-top',
  ]);
});

test('a ref that is elsewhere than was known is looked for before it is moved, and never moved back', async () => {
  const { branch, sha } = await branchWith('one');
  const ref = `refs/heads/${branch}`;
  const next = await github().commit(repository, { ref, parent: sha, changes: [], message: 'Next' });
  await github().moveRef(repository, ref, next.sha, { at: undefined });
  expect(await github().head(repository, ref)).toBe(next.sha);
  await expect(github().moveRef(repository, ref, sha, { at: undefined })).rejects.toThrow(/not a fast forward/i);
});

test('workflow files are refused with the words of GitHub', async () => {
  const changes = [
    { path: '.github/workflows/x.yml', mode: '100644' as const, content: Buffer.from('on: push\n').toString('base64') },
  ];
  const made = github().commit(repository, {
    ref: 'refs/heads/loopwright/x',
    parent: await mainHead(),
    changes,
    message: 'x',
  });
  const moved = made.then(({ sha }) => github().moveRef(repository, 'refs/heads/loopwright/flow', sha));
  await expect(moved).rejects.toThrow(WriteRefusedError);
  await expect(moved).rejects.toThrow(/workflow/i);
});

test('a draft pull request is opened once and brought up to date', async () => {
  const { branch, sha } = await branchWith('two');
  const open = (title: string) => github().openPull(repository, { branch, base: 'main', title, body: 'Board' });
  const first = await open('Basket');
  expect(await writesDuring(async () => expect(await open('Basket')).toEqual(first))).toEqual([]);
  expect(await writesDuring(() => open('Basket, faster'))).toEqual(['PATCH /pulls/N']);
  expect(
    await writesDuring(() =>
      github().showPull(repository, first.number, { title: 'Basket, faster', body: 'Board' }, undefined),
    ),
  ).toEqual(['PATCH /pulls/N']);
  const again = { branch, base: 'main', title: 'Basket', body: 'Board', isNew: true };
  expect(await github().openPull(repository, again)).toEqual(first);
  expect(await github().pull(repository, first.number)).toMatchObject({
    state: 'open',
    draft: true,
    branch,
    headSha: sha,
  });
  await github().markReady(repository, first.nodeId);
  await github().markReady(repository, first.nodeId);
  expect(await github().pull(repository, first.number)).toMatchObject({ draft: false });
  await expect(github().markReady(repository, 'PR_nothing')).rejects.toThrow(LoopError);
  await github().markDraft(repository, first.nodeId);
  await github().markDraft(repository, first.nodeId);
  expect(await github().pull(repository, first.number)).toMatchObject({ draft: true, merged: false });
  await expect(github().markDraft(repository, 'PR_nothing')).rejects.toThrow(/did not turn .* back to draft/);
});

test('the text of a pull request that is known is sent without being read, and not sent again', async () => {
  const { branch } = await branchWith('known');
  const { number } = await github().openPull(repository, { branch, base: 'main', title: 'Basket', body: 'Board' });
  const show = async (body: string, known: string | undefined) => {
    let shown: { readonly headSha?: string; readonly digest: string } | undefined;
    const requests = await requestsDuring(async () => {
      shown = await github().showPull(repository, number, { title: 'Basket', body }, known);
    });
    return { ...shown, requests };
  };
  const first = await show('Board', undefined);
  const second = await show('Newer', first.digest);
  expect(second).toMatchObject({ headSha: first.headSha, requests: ['PATCH /pulls/N'] });
  expect(await show('Newer', second.digest)).toEqual({ digest: second.digest, requests: [] });
});

test('what a review says line by line is read with file and line, although GitHub tells the hunk only', async () => {
  const { branch } = await branchWith('reviewed');
  const { number } = await github().openPull(repository, { branch, base: 'main', title: 'Basket', body: '' });
  const bob = stage.as('bob').rest.pulls;
  const path = 'src/new.txt';
  const { data } = await bob.createReview({
    ...HERE,
    pull_number: number,
    event: 'REQUEST_CHANGES',
    comments: [{ path, line: 1, body: 'Why?' }],
  });
  expect(await github().reviewComments(repository, number, data.id)).toEqual([{ file: path, line: 1, body: 'Why?' }]);
});

test('whether a pull request can be merged is unknown until GitHub has found out', async () => {
  await stage.local('PATCH', '/switches', { mergeableAfterMs: 600_000 });
  const { branch } = await branchWith('mergeable');
  const { number } = await github().openPull(repository, { branch, base: 'main', title: 'Basket', body: '' });
  expect((await github().pull(repository, number)).mergeable).toBeUndefined();
  await stage.local('PATCH', '/switches', { mergeableAfterMs: 0 });
  expect((await github().pull(repository, number)).mergeable).toBe(true);
});

test('changed paths between two commits are listed', async () => {
  const { sha } = await branchWith('three');
  expect(await github().changedPaths(repository, await mainHead(), sha)).toEqual(['src/new.txt']);
});

test('changed paths are unknown when there are as many as GitHub lists at the most', async () => {
  const parent = await mainHead();
  const clone = join(stage.directory, 'many');
  const address = stage.server.url.replace('://', '://alice:token-alice@');
  await git(stage.directory, ['clone', '--quiet', `${address}/alice/toys.git`, clone]);
  for (let index = 0; index < 300; index += 1) await writeFile(join(clone, `${index}.txt`), 'x');
  await git(clone, ['add', '.']);
  await git(clone, ['commit', '--quiet', '--message', 'Add many']);
  await git(clone, ['push', '--quiet', 'origin', 'HEAD:many']);
  const { stdout: sha } = await git(clone, ['rev-parse', 'HEAD']);
  expect(await github().changedPaths(repository, parent, sha)).toBeUndefined();
});

function checkRun(headSha: string, change: Partial<CheckRun> = {}): CheckRun {
  return {
    name: 'loopwright / plan',
    headSha,
    externalId: '1/12/1/3',
    status: 'in_progress',
    conclusion: undefined,
    title: 'Waiting for approval',
    summary: 'Read the packet.',
    text: '',
    actions: [{ label: 'Approve', description: 'Approve this packet', identifier: 'approve:0123' }],
    annotations: [],
    ...change,
  };
}

test('a check run is made once, changed in place, and not written when it says the same', async () => {
  const { sha } = await branchWith('four');
  const show = (change: Partial<CheckRun> = {}) =>
    writesDuring(() => github().checks(repository, [checkRun(sha, change)]));
  expect(await show()).toEqual(['POST /check-runs']);
  expect(await show()).toEqual([]);
  expect(await show({ title: 'Still waiting' })).toEqual(['PATCH /check-runs/N']);
  expect(await show({ title: 'Still waiting', actions: [] })).toEqual(['PATCH /check-runs/N']);
  expect(await show({ status: 'completed', conclusion: 'success' })).toEqual(['PATCH /check-runs/N']);
  expect(await show({ status: 'completed', conclusion: 'success' })).toEqual([]);
  const { data } = await stage.as('alice').rest.checks.listForRef({ ...HERE, ref: sha });
  expect(data.check_runs).toHaveLength(1);
  expect(data.check_runs[0]).toMatchObject({
    name: 'loopwright / plan',
    external_id: '1/12/1/3',
    conclusion: 'success',
  });
  expect(await show({ name: 'loopwright / build' })).toEqual(['POST /check-runs']);
});

test('several check runs go in one request, and what is refused of them is told by REST', async () => {
  const { sha } = await branchWith('together');
  const names = ['loopwright / a', 'loopwright / b', 'loopwright / c'];
  let known: readonly ShownCheck[] | undefined = [];
  const show = (change: (index: number) => Partial<CheckRun>) =>
    writesDuring(async () => {
      const wanted = names.map((name, index) => checkRun(sha, { name, actions: [], ...change(index) }));
      known = await github().checks(repository, wanted, known);
    });
  const annotations = [{ path: 'src/new.txt', line: 1, level: 'warning' as const, message: 'slow' }];
  const weak = { status: 'completed' as const, conclusion: 'neutral' as const, annotations };
  expect(await show((index) => (index === 0 ? {} : weak))).toEqual(['POST /api/graphql']);
  expect(await show((index) => (index === 0 ? { ...weak, conclusion: 'success' } : weak))).toEqual([
    'PATCH /check-runs/N',
  ]);
  const { data } = await stage.as('alice').rest.checks.listForRef({ ...HERE, ref: sha });
  const seen = new Map(data.check_runs.map((run) => [run.name, run]));
  expect(names.map((name) => seen.get(name)?.conclusion)).toEqual(['success', 'neutral', 'neutral']);
  expect(seen.get('loopwright / b')?.output).toMatchObject({ title: 'Waiting for approval', annotations_count: 1 });
  const nowhere = names.map((name) => checkRun('e'.repeat(40), { name }));
  await expect(github().checks(repository, nowhere, [])).rejects.toThrow(/No commit found/);
});

test('a check run whose buttons are for another packet is a new one, so that nobody approves what they never saw', async () => {
  const { sha } = await branchWith('five');
  const show = (change: Partial<CheckRun>) =>
    writesDuring(() => github().checks(repository, [checkRun(sha, { name: 'loopwright / pressed', ...change })]));
  expect(await show({ externalId: '1/12/1/PLAN/1/one' })).toEqual(['POST /check-runs']);
  expect(await show({ externalId: '1/12/1/PLAN/1/two' })).toEqual(['POST /check-runs']);
  expect(await show({ externalId: '1/12/1/BUILD/1/two', actions: [] })).toEqual(['PATCH /check-runs/N']);
});

test('check runs that are known are not looked for', async () => {
  const sha = await mainHead();
  let known: readonly ShownCheck[] | undefined;
  const show = async (title: string) =>
    requestsDuring(async () => {
      known = await github().checks(repository, [checkRun(sha, { name: 'loopwright / known', title })], known);
    });
  expect((await show('One')).length).toBe(2);
  expect(await show('One')).toEqual([]);
  expect(await show('Two')).toEqual(['PATCH /check-runs/N']);
  const fresh = checkRun(sha, { name: 'loopwright / fresh' });
  expect(await requestsDuring(() => github().checks(repository, [fresh], known))).toEqual(['POST /check-runs']);
  const { data } = await stage
    .as('alice')
    .rest.checks.listForRef({ ...HERE, ref: sha, check_name: 'loopwright / known' });
  expect(data.check_runs.map(({ output }) => output.title)).toEqual(['Two']);
});

test('a completed check run that must wait again is a new one, and annotations are never doubled', async () => {
  const { sha } = await branchWith('five');
  const annotation = { path: 'src/new.txt', line: 1, level: 'failure' as const, message: 'slow' };
  const show = (change: Partial<CheckRun>) => writesDuring(() => github().checks(repository, [checkRun(sha, change)]));
  await show({ status: 'completed', conclusion: 'failure', annotations: [annotation] });
  expect(await show({ status: 'completed', conclusion: 'failure', annotations: [annotation], title: 'Red' })).toEqual([
    'PATCH /check-runs/N',
  ]);
  const own = async () =>
    (await stage.as('alice').rest.checks.listForRef({ ...HERE, ref: sha, filter: 'latest' })).data.check_runs.toSorted(
      (left, right) => right.id - left.id,
    );
  expect((await own())[0]?.output.annotations_count).toBe(1);
  expect(await show({ status: 'in_progress', annotations: [] })).toEqual(['POST /check-runs']);
  expect((await own())[0]).toMatchObject({ status: 'in_progress', output: { annotations_count: 0 } });
});

test('a check run at work takes no annotations, so it is the one that is completed', async () => {
  const { sha } = await branchWith('six');
  const annotation = { path: 'src/new.txt', line: 1, level: 'failure' as const, message: 'slow' };
  const show = (change: Partial<CheckRun>) => writesDuring(() => github().checks(repository, [checkRun(sha, change)]));
  await show({ annotations: [annotation] });
  expect(await show({ annotations: [{ ...annotation, message: 'slower' }] })).toEqual([]);
  expect(await show({ status: 'completed', conclusion: 'failure', annotations: [annotation] })).toEqual([
    'PATCH /check-runs/N',
  ]);
  const { data } = await stage.as('alice').rest.checks.listForRef({ ...HERE, ref: sha, filter: 'all' });
  expect(data.check_runs.map(({ status, output }) => [status, output.annotations_count])).toEqual([['completed', 1]]);
});

test('more annotations than one request takes arrive all the same', async () => {
  const { sha } = await branchWith('many');
  const annotations = Array.from({ length: 120 }, (_, index) => ({
    path: 'src/new.txt',
    line: index + 1,
    level: 'notice' as const,
    message: `n ${index}`,
  }));
  await github().checks(repository, [checkRun(sha, { status: 'completed', conclusion: 'success', annotations })]);
  const { data } = await stage.as('alice').rest.checks.listForRef({ ...HERE, ref: sha });
  expect(data.check_runs[0]?.output.annotations_count).toBe(120);
});

/** Answers the first requests that match itself, then lets everything through. */
function failing(
  matches: (request: Request) => boolean,
  answers: readonly ('cut' | (() => Response))[],
): typeof globalThis.fetch {
  const through = wire({ apiUrl: `${stage.server.url}/api/v3`, checked: true });
  const left = [...answers];
  return async (input, init) => {
    const request = new Request(input, init);
    const answer = matches(request) ? left.shift() : undefined;
    if (answer === undefined) return through(request);
    if (answer !== 'cut') return answer();
    await through(request);
    throw new TypeError('fetch failed', { cause: new Error('socket hang up') });
  };
}

test('a failure that passes is tried again', async () => {
  const fetch = failing(
    ({ url }) => url.includes('/git/matching-refs/'),
    [() => new Response('bad gateway', { status: 502 }), 'cut'],
  );
  expect(await github({ fetch }).head(repository, 'refs/heads/main')).toBe(await mainHead());
});

test('a write whose answer was lost is found again instead of being written twice', async () => {
  const issue = await newIssue();
  const fetch = failing(({ method, url }) => method === 'POST' && url.includes('/comments'), ['cut']);
  await github({ fetch }).comment(repository, issue, { marker: 'board/1', body: 'once' });
  const { data } = await stage.as('alice').rest.issues.listComments({ ...HERE, issue_number: issue });
  expect(data).toHaveLength(1);
});

test('what stays broken is said with method, path and the words of GitHub', async () => {
  const answer = () => Response.json({ message: 'We are having trouble' }, { status: 503 });
  const broken = github({
    fetch: failing(({ url }) => url.includes('/collaborators/'), [answer, answer, answer, answer, answer]),
  });
  const asked = broken.permission(repository, 'alice');
  await expect(asked).rejects.toThrow(LoopError);
  await expect(asked).rejects.toThrow(
    /GitHub answered 503 to GET .*\/collaborators\/alice\/permission: We are having trouble/,
  );
});

test.each([
  [404, 'Not Found', GoneError],
  [410, 'Issues are disabled for this repo', GoneError],
  [451, 'Repository access blocked', GoneError],
  [403, 'Resource not accessible by integration', WriteRefusedError],
  [422, 'Validation Failed', WriteRefusedError],
  [502, 'Server Error', UnansweredError],
])('a write that GitHub answers with %i says so, in its words: %s', async (status, message, kind) => {
  const issue = await newIssue();
  const answer = () => Response.json({ message }, { status });
  const fetch = failing(({ method, url }) => method === 'POST' && url.includes('/comments'), Array(4).fill(answer));
  const written = github({ fetch }).comment(repository, issue, { marker: 'board/1', body: 'once' });
  await expect(written).rejects.toThrow(kind);
  await expect(written).rejects.toMatchObject({ status, message: expect.stringContaining(message) });
});

test('a write that never gets an answer may have happened, and says so', async () => {
  const issue = await newIssue();
  const fetch = failing(
    ({ method, url }) => method === 'POST' && url.includes('/reactions'),
    ['cut', 'cut', 'cut', 'cut'],
  );
  const { data } = await stage.as('alice').rest.issues.createComment({ ...HERE, issue_number: issue, body: '/help' });
  const written = github({ fetch }).react(repository, data.id, '+1');
  await expect(written).rejects.toThrow(UnansweredError);
  await expect(written).rejects.toMatchObject({ status: undefined, message: expect.stringContaining('no answer') });
});

test('a read that stays broken is unanswered: nothing is known, and it is asked again', async () => {
  const answer = () => Response.json({ message: 'Server Error' }, { status: 500 });
  const fetch = failing(({ url }) => url.includes('/git/matching-refs/'), Array(4).fill(answer));
  const read = github({ fetch }).head(repository, 'refs/heads/main');
  await expect(read).rejects.toThrow(UnansweredError);
  await expect(read).rejects.toMatchObject({ name: 'UnansweredError', status: 500 });
});

test('a token that GitHub no longer takes is renewed', async () => {
  let mints = 0;
  const through = wire({ apiUrl: `${stage.server.url}/api/v3`, checked: true });
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (request.url.endsWith('/access_tokens')) mints += 1;
    if (request.url.includes('/git/matching-refs/') && mints === 1)
      return Response.json({ message: 'Bad credentials' }, { status: 401 });
    return through(request);
  };
  expect(await github({ fetch }).head(repository, 'refs/heads/main')).toBe(await mainHead());
  expect(mints).toBe(2);
});

test('the token reaches one repository, and git gets its address', async () => {
  expect(github().gitUrlOf(repository)).toBe(`${stage.server.url}/alice/toys.git`);
  expect(await github().tokenOf(repository)).toMatch(/^ghs_/);
  await expect(github().tokenOf({ ...repository, repositoryId: 424242 })).rejects.toThrow(LoopError);
});

test('a blob has the hash that git gives it', () => {
  expect(blobSha(Buffer.from('hello\n'))).toBe('ce013625030ba8dba906f756967f9e9ca394464a');
});
