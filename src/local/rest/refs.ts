/** References: https://docs.github.com/rest/git/refs */
import { z } from 'zod';
import type { Fields } from '../../referee/json.ts';
import { CONTENTS_WRITE, mayWriteWorkflows, PUBLIC } from '../access.ts';
import { isProtectedRef } from '../environments.ts';
import { type Git, objectTypeOf } from '../git/git.ts';
import { newWorkflowFile, PROTECTED, workflowRefusal } from '../git/push-hook.ts';
import { isAncestor, writeRefs } from '../git/pushes.ts';
import { nodeIdOf, repositoryUrlOf } from '../host.ts';
import { HttpError, notFound } from '../http-error.ts';
import { lackingOnCreation } from '../queue/required.ts';
import {
  actingLogin,
  type Call,
  created,
  type Endpoints,
  list,
  noContent,
  ok,
  parseBody,
  repositoryOf,
  textParameter,
} from './endpoint.ts';
import { gitOfCall } from './git-data.ts';
import { isRestricted } from './rulesets.ts';

export const refEndpoints: Endpoints = {
  'GET /repos/{owner}/{repo}/git/ref/{ref}': { need: PUBLIC, answer: getRef },
  'GET /repos/{owner}/{repo}/git/matching-refs/{ref}': { need: PUBLIC, answer: matchRefs },
  'POST /repos/{owner}/{repo}/git/refs': { need: CONTENTS_WRITE, answer: createRef },
  'PATCH /repos/{owner}/{repo}/git/refs/{ref}': { need: CONTENTS_WRITE, answer: updateRef },
  'DELETE /repos/{owner}/{repo}/git/refs/{ref}': { need: CONTENTS_WRITE, answer: deleteRef },
};

/** Runs a write of refs as the call's actor, alone in its repository, and announces what it changed. */
export async function writeRefsOf<T>(call: Call, work: () => Promise<T>): Promise<T> {
  const pusher = { login: actingLogin(call), byJob: call.actor.type === 'job' };
  return writeRefs(call.host, { repository: repositoryOf(call), pusher, work });
}

/** Refuses workflow files of whoever lacks the `workflows` permission. @throws HttpError 403 */
export async function judgeWorkflowFiles(call: Call, sha: string): Promise<void> {
  if (mayWriteWorkflows(call.actor)) return;
  const path = await newWorkflowFile(gitOfCall(call), sha);
  if (path !== undefined) throw new HttpError(403, workflowRefusal(path));
}

async function getRef(call: Call) {
  const ref = `refs/${textParameter(call, 'ref')}`;
  return ok(await refPayload(call, ref, await shaOf(call, ref)));
}

async function matchRefs(call: Call) {
  const prefix = `refs/${textParameter(call, 'ref')}`;
  const output = await gitOfCall(call).text(['for-each-ref', '--format=%(refname) %(objectname)']);
  const refs = output
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([name = '']) => name.startsWith(prefix));
  return list(await Promise.all(refs.map(([name = '', sha = '']) => refPayload(call, name, sha))));
}

const newRef = z.object({ ref: z.string(), sha: z.string() });

async function createRef(call: Call) {
  const { ref, sha } = parseBody(call, newRef);
  const git = gitOfCall(call);
  if (!/^refs\/[^/]+\/.+/.test(ref) || (await git.attempt(['check-ref-format', ref])) === undefined) {
    throw new HttpError(
      422,
      `Reference name ${ref} is not valid: it must begin with "refs" and have at least two slashes`,
    );
  }
  judgeOwner(ref);
  judgeCreation(call, ref);
  await judgeObject(call, sha);
  judgeChecks(call, ref, sha);
  await judgeWorkflowFiles(call, sha);
  return writeRefsOf(call, async () => {
    if ((await git.attempt(['rev-parse', '--verify', '--quiet', ref])) !== undefined)
      throw new HttpError(422, 'Reference already exists');
    if (await isHindered(git, ref)) throw new HttpError(422, 'Reference update failed');
    await git.text(['update-ref', ref, sha, '']);
    return created(await refPayload(call, ref, sha));
  });
}

/** Refs of pull requests are the server's. @throws HttpError 422 */
function judgeOwner(ref: string): void {
  if (ref.startsWith('refs/pull/')) throw new HttpError(422, 'Reference update failed');
}

/** @throws HttpError 422 */
function judgeCreation({ host, actor }: Call, ref: string): void {
  if (actor.type === 'user' || !ref.startsWith('refs/heads/') || !isRestricted(host, ref.slice('refs/heads/'.length)))
    return;
  throw new HttpError(
    422,
    'Repository rule violations found\n\nCannot create ref due to creations being restricted.\n\n',
  );
}

/** @throws HttpError 422 where a rule of the branch requires checks that the commit has not passed */
function judgeChecks(call: Call, ref: string, sha: string): void {
  if (!ref.startsWith('refs/heads/')) return;
  const based = { repositoryId: repositoryOf(call).id, base: ref.slice('refs/heads/'.length) };
  const lacking = lackingOnCreation(call.host, based, sha);
  if (lacking !== undefined) throw new HttpError(422, `Repository rule violations found\n\n${lacking}\n\n`);
}

/** Git keeps refs as files in folders, so none can be below another one. */
async function isHindered(git: Git, ref: string): Promise<boolean> {
  const names = (await git.text(['for-each-ref', '--format=%(refname)'])).split('\n');
  return names.some((name) => ref.startsWith(`${name}/`) || name.startsWith(`${ref}/`));
}

const refChange = z.object({ sha: z.string(), force: z.boolean().default(false) });

async function updateRef(call: Call) {
  const ref = `refs/${textParameter(call, 'ref')}`;
  const { sha, force } = parseBody(call, refChange);
  const git = gitOfCall(call);
  judgeOwner(ref);
  await judgeObject(call, sha);
  await judgeWorkflowFiles(call, sha);
  return writeRefsOf(call, async () => {
    const before = await git.attempt(['rev-parse', '--verify', '--quiet', ref]);
    if (before === undefined) throw new HttpError(422, 'Reference does not exist');
    const isForward = await isAncestor(git, before, sha);
    if (!isForward && isProtected(call, ref)) throw new HttpError(422, PROTECTED);
    if (!isForward && !force) throw new HttpError(422, 'Update is not a fast forward');
    await git.text(['update-ref', ref, sha, before]);
    return ok(await refPayload(call, ref, sha));
  });
}

async function deleteRef(call: Call) {
  const ref = `refs/${textParameter(call, 'ref')}`;
  judgeOwner(ref);
  if (ref === `refs/heads/${repositoryOf(call).defaultBranch}`)
    throw new HttpError(422, 'Cannot delete the default branch');
  return writeRefsOf(call, async () => {
    if ((await gitOfCall(call).attempt(['rev-parse', '--verify', '--quiet', ref])) === undefined) {
      throw new HttpError(422, 'Reference does not exist');
    }
    await gitOfCall(call).text(['update-ref', '-d', ref]);
    return noContent;
  });
}

/** Whether the past of this ref cannot be changed. */
export function isProtected(call: Call, ref: string): boolean {
  return isProtectedRef(call.host, repositoryOf(call), ref);
}

async function judgeObject(call: Call, sha: string): Promise<void> {
  if ((await objectTypeOf(gitOfCall(call), sha)) === undefined) throw new HttpError(422, 'Object does not exist');
}

async function shaOf(call: Call, ref: string): Promise<string> {
  const sha = await gitOfCall(call).attempt(['rev-parse', '--verify', '--quiet', '--end-of-options', ref]);
  if (sha === undefined) throw notFound();
  return sha;
}

async function refPayload(call: Call, ref: string, sha: string): Promise<Fields> {
  const repository = repositoryOf(call);
  const api = `${repositoryUrlOf(call.host, repository)}/git`;
  const type = (await objectTypeOf(gitOfCall(call), sha)) ?? 'commit';
  return {
    ref,
    node_id: nodeIdOf(ref, repository.id),
    url: `${api}/${ref}`,
    object: { type, sha, url: `${api}/${type}s/${sha}` },
  };
}
