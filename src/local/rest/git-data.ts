/** Blobs, trees and commits, written straight into the bare repository: https://docs.github.com/rest/git */
import { z } from 'zod';
import type { Fields } from '../../referee/json.ts';
import { CONTENTS_WRITE, PUBLIC } from '../access.ts';
import { now } from '../clock.ts';
import { type Git, objectTypeOf } from '../git/git.ts';
import { buildTree, type TreeChange, treeEntriesOf } from '../git/trees.ts';
import { gitOf, type Host, nodeIdOf, repositoryUrlOf } from '../host.ts';
import { found, HttpError } from '../http-error.ts';
import { accountOf } from '../repository-records.ts';
import { commitOf, gitCommitPayload } from './commits.ts';
import {
  actingLogin,
  type Call,
  created,
  type Endpoints,
  ok,
  parseBody,
  repositoryOf,
  textParameter,
} from './endpoint.ts';

export const gitDataEndpoints: Endpoints = {
  'GET /repos/{owner}/{repo}/git/blobs/{file_sha}': { need: PUBLIC, answer: getBlob },
  'POST /repos/{owner}/{repo}/git/blobs': { need: CONTENTS_WRITE, answer: createBlob },
  'GET /repos/{owner}/{repo}/git/trees/{tree_sha}': { need: PUBLIC, answer: getTree },
  'POST /repos/{owner}/{repo}/git/trees': { need: CONTENTS_WRITE, answer: createTree },
  'GET /repos/{owner}/{repo}/git/commits/{commit_sha}': { need: PUBLIC, answer: getCommit },
  'POST /repos/{owner}/{repo}/git/commits': { need: CONTENTS_WRITE, answer: createCommit },
};

/** Git on the repository of the call. */
export function gitOfCall(call: Call): Git {
  return gitOf(call.host, repositoryOf(call));
}

async function getBlob(call: Call) {
  const sha = textParameter(call, 'file_sha');
  const git = gitOfCall(call);
  if ((await objectTypeOf(git, sha)) !== 'blob') throw new HttpError(404, 'Not Found');
  const content = Buffer.from(await git.bytes(['cat-file', 'blob', sha]));
  return ok({
    ...blobAddress(call, sha),
    size: content.length,
    encoding: 'base64',
    content: content.toString('base64'),
  });
}

function blobAddress(call: Call, sha: string): Fields {
  const repository = repositoryOf(call);
  return {
    sha,
    node_id: nodeIdOf(sha, repository.id),
    url: `${repositoryUrlOf(call.host, repository)}/git/blobs/${sha}`,
  };
}

const newBlob = z.object({ content: z.string(), encoding: z.enum(['utf-8', 'base64']).default('utf-8') });

async function createBlob(call: Call) {
  const { content, encoding } = parseBody(call, newBlob);
  const sha = await gitOfCall(call).text(['hash-object', '-w', '--stdin'], {
    input: Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8'),
  });
  return created(blobAddress(call, sha));
}

async function getTree(call: Call) {
  const name = textParameter(call, 'tree_sha');
  const sha = found(
    await gitOfCall(call).attempt(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{tree}`]),
  );
  return ok(await treePayload(call, sha, call.query.has('recursive')));
}

async function treePayload(call: Call, sha: string, recursive: boolean): Promise<Fields> {
  const api = `${repositoryUrlOf(call.host, repositoryOf(call))}/git`;
  const entries = await treeEntriesOf(gitOfCall(call), sha, recursive);
  return {
    sha,
    url: `${api}/trees/${sha}`,
    truncated: false,
    tree: entries.map(({ type, size, ...entry }) => ({
      ...entry,
      type,
      ...(size === undefined ? {} : { size }),
      ...(type === 'commit' ? {} : { url: `${api}/${type}s/${entry.sha}` }),
    })),
  };
}

const newTree = z.object({
  base_tree: z.string().optional(),
  tree: z.array(
    z.object({
      path: z.string().min(1),
      mode: z.enum(['100644', '100755', '040000', '160000', '120000']).default('100644'),
      type: z.enum(['blob', 'tree', 'commit']).optional(),
      sha: z.string().nullish(),
      content: z.string().optional(),
    }),
  ),
});

async function createTree(call: Call) {
  const wanted = parseBody(call, newTree);
  const git = gitOfCall(call);
  const base = wanted.base_tree === undefined ? undefined : await treeNamed(git, wanted.base_tree);
  const changes = await Promise.all(wanted.tree.map((entry) => changeOf(git, entry)));
  const sha = await buildTree(git, base, changes);
  return created(await treePayload(call, sha, false));
}

async function treeNamed(git: Git, name: string): Promise<string> {
  const sha = await git.attempt(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{tree}`]);
  if (sha === undefined) throw new HttpError(422, `base_tree ${name} is not a tree object`);
  return sha;
}

type Entry = z.infer<typeof newTree>['tree'][number];

/** `sha: null` removes a path; `content` makes the blob. */
async function changeOf(git: Git, { path, mode, sha, content }: Entry): Promise<TreeChange> {
  if (isMalformed(path)) throw new HttpError(422, `tree.path contains a malformed path component: ${path}`);
  if (content !== undefined) {
    return { path, mode, sha: await git.text(['hash-object', '-w', '--stdin'], { input: content }) };
  }
  if (sha === null) return { path, mode, sha: undefined };
  const known = sha !== undefined && (mode === '160000' || (await objectTypeOf(git, sha)) !== undefined);
  if (!known) throw new HttpError(422, `tree.sha ${sha} is not a valid object`);
  return { path, mode, sha };
}

/** Whether a file cannot have this path: it begins or ends with a slash, or a part of it is none, `.`, `..` or `.git`. */
export function isMalformed(path: string): boolean {
  return /(^|\/)(\.\.?|\.git)?(\/|$)/.test(path);
}

async function getCommit(call: Call) {
  const commit = found(await commitOf(gitOfCall(call), textParameter(call, 'commit_sha')));
  return ok(gitCommitPayload(call.host, repositoryOf(call), commit));
}

export const signature = z.object({ name: z.string(), email: z.string(), date: z.string().optional() });
const newCommit = z.object({
  message: z.string(),
  tree: z.string(),
  parents: z.array(z.string()).default([]),
  author: signature.optional(),
  committer: signature.optional(),
});

/** Commits of the App that name no other author are signed by GitHub: `verification.verified` is true. */
async function createCommit(call: Call) {
  const { host, actor } = call;
  const repository = repositoryOf(call);
  const git = gitOfCall(call);
  const { message, tree, parents, author, committer } = parseBody(call, newCommit);
  if ((await objectTypeOf(git, tree)) !== 'tree') throw new HttpError(422, `Tree SHA ${tree} does not exist`);
  for (const parent of parents) {
    if ((await objectTypeOf(git, parent)) !== 'commit')
      throw new HttpError(422, `Parent SHA ${parent} does not exist or is not a commit object`);
  }
  const own = ownSignature(call);
  const environment = environmentOf(host, author ?? own, committer ?? author ?? own);
  const sha = await git.text(['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])], {
    input: message,
    environment,
  });
  const signs = actor.type === 'installation' && !author && !committer;
  if (signs) host.state.signedCommits.insert({ repositoryId: repository.id, sha });
  return created(gitCommitPayload(host, repository, found(await commitOf(git, sha))));
}

export type Signer = z.infer<typeof signature>;

/** Who commits through the API without saying who. */
export function ownSignature(call: Call): Signer {
  const login = actingLogin(call);
  const { id } = accountOf(call.host, login);
  return { name: login, email: `${id}+${login}@users.noreply.github.com` };
}

/** Git's environment for a commit by these two. */
export function environmentOf(host: Host, author: Signer, committer: Signer): Readonly<Record<string, string>> {
  return {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_AUTHOR_DATE: author.date ?? now(host),
    GIT_COMMITTER_NAME: committer.name,
    GIT_COMMITTER_EMAIL: committer.email,
    GIT_COMMITTER_DATE: committer.date ?? author.date ?? now(host),
  };
}
