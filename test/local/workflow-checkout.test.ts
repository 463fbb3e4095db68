import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type GitServer,
  oneJob,
  type RunRecord,
  removeTemporaryDirectories,
  runWorkflow,
  startGitServer,
} from './workflow-kit.ts';

describe('actions/checkout', () => {
  const token = 'ghs_checkout';
  let server: GitServer;
  const shas: Record<string, string> = {};

  beforeAll(async () => {
    server = await startGitServer(token);
    shas.first = await server.commit('refs/heads/main', { file: 'first' });
    shas.second = await server.commit('refs/heads/main', { file: 'second' });
    shas.topic = await server.commit('refs/heads/topic', { file: 'topic' });
    shas.quarantined = await server.commit('refs/loopwright/1/1/1', { file: 'quarantined' });
    server.git('tag', '-a', 'v1', '-m', 'one', shas.first ?? '');
  });
  afterAll(async () => {
    await server.close();
    await removeTemporaryDirectories();
  });

  const shown = `
- run: echo "file=$(cat file) head=$(git symbolic-ref --short -q HEAD || echo detached) count=$(git rev-list --count HEAD)"`;
  const check = (inputs: string, steps = shown): Promise<RunRecord> =>
    runWorkflow(oneJob(`- uses: actions/checkout@${'a'.repeat(40)}\n  with: { ${inputs} }${steps}`), {
      cloneUrl: server.cloneUrl,
      sha: shas.second ?? '',
      token,
    });

  it.each([
    ['nothing: the commit of the event', '', 'file=second head=detached count=1'],
    ['a branch', 'ref: topic', 'file=topic head=topic count=1'],
    ['a tag', 'ref: v1', 'file=first head=detached count=1'],
    ['a full ref', 'ref: refs/loopwright/1/1/1', 'file=quarantined head=detached count=1'],
    ['all history', 'fetch-depth: 0', 'file=second head=detached count=2'],
  ])('takes %s', async (_, inputs, expected) => {
    expect((await check(inputs)).log('only')).toContain(expected);
  });

  it('takes a commit that only a custom ref holds, with the history of all branches', async () => {
    const { log } = await check(
      `ref: ${shas.quarantined}, fetch-depth: 0`,
      `${shown}\n- run: git log --oneline origin/main`,
    );
    expect(log('only')).toContain('file=quarantined');
    expect(log('only')).toContain((shas.first ?? '').slice(0, 7));
  });

  it('puts the commit into a folder of its own', async () => {
    const { log } = await check('path: inner/place', '\n- run: cat inner/place/file');
    expect(log('only')).toContain('Z second');
  });

  it('sends the token as Basic authorization and shows it in no command line and no log', async () => {
    const before = server.authorizations.length;
    const { log } = await check(
      'persist-credentials: false',
      '\n- run: cat .git/config; git ls-remote origin || echo refused',
    );
    const expected = Buffer.from(`x-access-token:${token}`).toString('base64');
    expect(server.authorizations.slice(before)).toContain(`basic ${expected}`);
    expect(log('only')).toContain('[command]git fetch');
    expect(log('only')).not.toContain(token);
    expect(log('only')).not.toContain(expected);
    expect(log('only')).not.toMatch(/extraheader/i);
    expect(log('only')).toContain('Z refused');
  });

  it('keeps the credentials for later steps unless told otherwise', async () => {
    expect((await check('ref: main', '\n- run: git ls-remote origin')).log('only')).toContain('refs/heads/topic');
  });

  it.each([
    ['ref: nowhere', "A branch or tag with the name 'nowhere' could not be found"],
    [`ref: ${'b'.repeat(40)}`, 'git fetch ended with 128'],
    ['repository: other/one', 'checks out octo/toys only'],
    ['submodules: true', 'not submodules'],
    ['path: ../outside', 'path "../outside" is not under the workspace'],
  ])('fails the step for { %s } with the reason', async (inputs, message) => {
    const { result, directory } = await check(inputs);
    expect(result.conclusion).toBe('failure');
    expect(await readFile(`${directory}/logs/only.log`, 'utf8')).toContain(message);
  });
});
