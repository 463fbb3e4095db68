/** The App can reach GitHub in one way only, and that way does not merge, push or write the default branch. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Octokit } from '@octokit/rest';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { GitRefusedError, readGit } from '../../src/adapters/git-reader.ts';
import { wire } from '../../src/github/wire.ts';
import { git, HERE, installationToken, octokit, type Stage, startStage } from '../local/server.ts';

const SOURCE = join(import.meta.dirname, '..', '..', 'src');
/** The embedded GitHub, the demo, the referee, the jobs, and what runs their commands, encloses them, and lays out commits for them; and the guard itself, which calls the fetch that it was given. */
const NOT_THE_APP = /^(?:(?:local|demo|referee|jobs|sandbox|trees|confinement)\/|github\/guard\.ts$)/;

interface Seam {
  readonly what: string;
  readonly pattern: RegExp;
  /** The only files that may, and that do. */
  readonly files: readonly string[];
}

const SEAMS: readonly Seam[] = [
  { what: 'call fetch by its bare name', pattern: /(?<![.\w])fetch\(/, files: [] },
  {
    what: 'hold the fetch of the platform',
    pattern: /(?<!typeof )globalThis\.fetch/,
    files: [
      'github/wire.ts',
      'adapters/model-send.ts',
      // The gateway's two: to the model's endpoints, and to the issuer whose keys it checks tokens with.
      ...['gateway/upstream.ts', 'gateway/identity.ts'],
      // To the model, to see how its answer comes.
      'adapters/model-question.ts',
      // The doctor's: to PUBLIC_URL, as anybody would.
      'doctor/outside.ts',
      // A program of its own, which asks the App beside it.
      'health-check.ts',
    ],
  },
  {
    what: 'open connections themselves',
    pattern:
      /from 'node:(?:https|http2|tls|dgram)'|\b(?:http|https)\.(?:request|get)\(|new WebSocket|from '(?:undici|axios|got)'/,
    files: [],
  },
  {
    what: 'use Octokit',
    // A type sends nothing.
    pattern: /(?:import|export) (?!type )[^;]*from '(?:@octokit\/|octokit)/,
    files: ['github/github-client.ts', 'github/github-tokens.ts'],
  },
  {
    what: 'start programs',
    pattern: /from '(?:execa|simple-git|node:child_process)'/,
    files: [
      ...['git-process/run-git.ts', 'git-process/main.ts', 'local-mode/local-processes.ts', 'cli/local-options.ts'],
      // The job that Actions run, once more.
      'cli/verify.ts',
      // The operator's own command, which prints a secret.
      'settings/secrets.ts',
    ],
  },
  { what: 'run git', pattern: /from '[^']*git-process\/run-git\.ts'/, files: ['adapters/git-reader.ts'] },
  { what: 'push with git', pattern: /git push|receive-pack|send-pack|argv: \[\s*'push'/, files: [] },
];

async function appFiles(): Promise<readonly (readonly [string, string])[]> {
  const names = (await readdir(SOURCE, { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !NOT_THE_APP.test(name),
  );
  return Promise.all(names.map(async (name) => [name, await readFile(join(SOURCE, name), 'utf8')] as const));
}

test.each(SEAMS)('only $files may $what', async ({ pattern, files }) => {
  const found = (await appFiles()).filter(([, text]) => pattern.test(text)).map(([name]) => name);
  expect(found.toSorted()).toEqual(files.toSorted());
});

let stage: Stage;
let token: string;
let app: Octokit;
let pull: number;
let sha: string;
beforeAll(async () => {
  stage = await startStage();
  token = await installationToken(stage.server);
  const apiUrl = `${stage.server.url}/api/v3`;
  const quiet = () => undefined;
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  app = new Octokit({ baseUrl: apiUrl, auth: token, request: { fetch: wire({ apiUrl, checked: false }) }, log });
  const work = join(stage.directory, 'work');
  await git(stage.directory, [
    'clone',
    '--quiet',
    stage.server.url.replace('http://', 'http://alice:token-alice@').concat('/alice/toys.git'),
    work,
  ]);
  await git(work, ['commit', '--quiet', '--allow-empty', '--message', 'Candidate']);
  await git(work, ['push', '--quiet', 'origin', 'HEAD:refs/heads/loopwright/1']);
  sha = (await git(work, ['rev-parse', 'HEAD'])).stdout;
  pull = (await stage.as('alice').rest.pulls.create({ ...HERE, title: 'Toys', head: 'loopwright/1', base: 'main' }))
    .data.number;
});
afterAll(() => stage.close());

const requestRows = z.array(z.object({ id: z.int(), actor: z.string(), method: z.string(), path: z.string() }));

async function lastRequest(): Promise<number> {
  const rows = requestRows.parse(await (await fetch(`${stage.server.url}/_local/requests?after=0`)).json());
  return rows.at(-1)?.id ?? 0;
}

const FORBIDDEN: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['a merge', () => app.rest.pulls.merge({ ...HERE, pull_number: pull })],
  ['a merge of branches', () => app.rest.repos.merge({ ...HERE, base: 'main', head: 'loopwright/1' })],
  ['a raw merge request', () => app.request(`PUT /repos/alice/toys/pulls/${pull}/merge`)],
  [
    'a file on the default branch',
    () => app.rest.repos.createOrUpdateFileContents({ ...HERE, path: 'x', message: 'm', content: '', branch: 'main' }),
  ],
  ['a move of the default branch', () => app.rest.git.updateRef({ ...HERE, ref: 'heads/main', sha })],
  [
    'a forced move of the default branch',
    () => app.rest.git.updateRef({ ...HERE, ref: 'heads/main', sha, force: true }),
  ],
  ['a new tag', () => app.rest.git.createRef({ ...HERE, ref: 'refs/tags/v1', sha })],
  ['a pull request with another base', () => app.rest.pulls.update({ ...HERE, pull_number: pull, base: 'other' })],
  ['an approving review', () => app.rest.pulls.createReview({ ...HERE, pull_number: pull, event: 'APPROVE' })],
  ['a new collaborator', () => app.rest.repos.addCollaborator({ ...HERE, username: 'carol' })],
  [
    'auto-merge by GraphQL',
    () =>
      app.graphql(
        'mutation($id: ID!) { enablePullRequestAutoMerge(input: { pullRequestId: $id }) { clientMutationId } }',
        { id: 'x' },
      ),
  ],
  ['a GraphQL query', () => app.graphql('query { viewer { login } }')],
  ['another host', () => app.request('GET https://evil.test/')],
];

test.each(FORBIDDEN)('%s is stopped before the wire', async (_, send) => {
  const before = await lastRequest();
  await expect(send()).rejects.toThrow(/was stopped before the wire/);
  expect(await lastRequest()).toBe(before);
});

test.each(['push', 'receive-pack', 'send-pack', 'remote', 'clone', 'checkout', 'submodule', 'lfs'])(
  'git %s is stopped before it runs',
  async (subcommand) => {
    const before = await lastRequest();
    const argv = [subcommand, `${stage.server.url}/alice/toys.git`, 'HEAD:refs/heads/main'];
    await expect(readGit({ directory: join(stage.directory, 'work', '.git'), argv, token })).rejects.toThrow(
      GitRefusedError,
    );
    expect(await lastRequest()).toBe(before);
  },
);

test('the same token merges by curl, so it is the guard that keeps the App from merging', async () => {
  const main = async () =>
    (await octokit(stage.server.url, 'token-alice').rest.git.getRef({ ...HERE, ref: 'heads/main' })).data.object.sha;
  const before = await main();
  const url = `${stage.server.url}/api/v3/repos/alice/toys/pulls/${pull}/merge`;
  const { stdout } = await execa('curl', [
    '--silent',
    '--request',
    'PUT',
    '--header',
    `authorization: Bearer ${token}`,
    url,
  ]);
  expect(JSON.parse(stdout)).toMatchObject({ merged: true });
  expect(await main()).not.toBe(before);
});
