/** Files of a repository: https://docs.github.com/rest/repos/contents */
import { z } from 'zod';
import type { Fields } from '../../referee/json.ts';
import { CONTENTS_WRITE, PUBLIC } from '../access.ts';
import type { Git } from '../git/git.ts';
import { buildTree, type TreeEntry, treeEntriesOf } from '../git/trees.ts';
import { repositoryHtmlUrlOf, repositoryUrlOf } from '../host.ts';
import { found, HttpError } from '../http-error.ts';
import { commitOf, gitCommitPayload } from './commits.ts';
import { type Call, type Endpoints, ok, parseBody, repositoryOf, textParameter } from './endpoint.ts';
import { environmentOf, gitOfCall, isMalformed, ownSignature, type Signer, signature } from './git-data.ts';
import { judgeWorkflowFiles, writeRefsOf } from './refs.ts';

const FILE = '/repos/{owner}/{repo}/contents/{path}';

export const contentEndpoints: Endpoints = {
  [`GET ${FILE}`]: { need: PUBLIC, answer: getContents },
  [`PUT ${FILE}`]: { need: CONTENTS_WRITE, answer: putFile },
  [`DELETE ${FILE}`]: { need: CONTENTS_WRITE, answer: deleteFile },
};

const RAW = 'application/vnd.github.raw; charset=utf-8';

async function getContents(call: Call) {
  const path = textParameter(call, 'path').replace(/^\/+|\/+$/g, '');
  const git = gitOfCall(call);
  const ref = call.query.get('ref') ?? repositoryOf(call).defaultBranch;
  const commit = await commitOf(git, ref);
  if (!commit) throw new HttpError(404, `No commit found for the ref ${ref}`);
  const [entry] = await treeEntriesOf(git, commit.sha, false, path);
  if (entry?.type === 'tree') {
    const entries = await treeEntriesOf(git, commit.sha, false, `${path}/`);
    return ok(entries.map((child) => entryPayload(call, child, ref)));
  }
  const file = found(entry);
  const content = Buffer.from(await git.bytes(['cat-file', 'blob', file.sha]));
  if ((call.headers.get('accept') ?? '').includes('raw'))
    return { status: 200, raw: content, headers: { 'content-type': RAW } };
  return ok({ ...entryPayload(call, file, ref), encoding: 'base64', content: content.toString('base64') });
}

const WORDS: Readonly<Record<string, string>> = { blob: 'file', tree: 'dir', commit: 'submodule' };

function entryPayload(call: Call, { path, sha, size, type, mode }: TreeEntry, ref: string): Fields {
  const repository = repositoryOf(call);
  const api = repositoryUrlOf(call.host, repository);
  const html = repositoryHtmlUrlOf(call.host, repository);
  const escaped = path.split('/').map(encodeURIComponent).join('/');
  const url = `${api}/contents/${escaped}?ref=${encodeURIComponent(ref)}`;
  const htmlUrl = `${html}/${type === 'tree' ? 'tree' : 'blob'}/${ref}/${escaped}`;
  const gitUrl = `${api}/git/${type}s/${sha}`;
  return {
    type: mode === '120000' ? 'symlink' : WORDS[type],
    name: path.split('/').at(-1),
    path,
    sha,
    size: size ?? 0,
    url,
    html_url: htmlUrl,
    git_url: gitUrl,
    download_url: type === 'blob' ? `${html}/raw/${ref}/${escaped}` : null,
    _links: { self: url, html: htmlUrl, git: gitUrl },
  };
}

const fileWrite = z.object({
  message: z.string(),
  content: z.string(),
  branch: z.string().optional(),
  sha: z.string().optional(),
  author: signature.optional(),
  committer: signature.optional(),
});
const fileDeletion = fileWrite.omit({ content: true }).required({ sha: true });

async function putFile(call: Call) {
  const { content, sha, ...write } = parseBody(call, fileWrite);
  if (/[^\w+/=\s]|_/.test(content)) throw new HttpError(422, 'content is not valid Base64');
  const blob = await gitOfCall(call).text(['hash-object', '-w', '--stdin'], { input: Buffer.from(content, 'base64') });
  return changeFile(call, { ...write, expected: sha, blob });
}

async function deleteFile(call: Call) {
  const { sha, ...write } = parseBody(call, fileDeletion);
  return changeFile(call, { ...write, expected: sha, blob: undefined });
}

interface FileChange {
  readonly message: string;
  readonly branch?: string | undefined;
  readonly author?: Signer | undefined;
  readonly committer?: Signer | undefined;
  /** The blob that the caller saw; a file that changed since is a conflict. */
  readonly expected: string | undefined;
  readonly blob: string | undefined;
}

async function changeFile(call: Call, change: FileChange) {
  const { message, branch, expected, blob } = change;
  const repository = repositoryOf(call);
  const path = textParameter(call, 'path');
  if (isMalformed(path)) throw new HttpError(422, 'path contains a malformed path component');
  const name = branch ?? repository.defaultBranch;
  const ref = `refs/heads/${name}`;
  const git = gitOfCall(call);
  return writeRefsOf(call, async () => {
    const parent = await commitOf(git, ref);
    if (!parent) throw new HttpError(404, `Branch ${name} not found`);
    const [before] = await treeEntriesOf(git, parent.sha, false, path);
    judgeSeen(path, before?.sha, expected);
    await judgePlace(git, parent.sha, { path, before });
    const tree = await buildTree(git, parent.tree, [{ path, mode: before?.mode ?? '100644', sha: blob }]);
    const own = ownSignature(call);
    const sha = await git.text(['commit-tree', tree, '-p', parent.sha], {
      input: message,
      environment: environmentOf(call.host, change.author ?? change.committer ?? own, change.committer ?? own),
    });
    await judgeWorkflowFiles(call, sha);
    await git.text(['update-ref', ref, sha, parent.sha]);
    const [after] = await treeEntriesOf(git, sha, false, path);
    const commit = gitCommitPayload(call.host, repository, found(await commitOf(git, sha)));
    return {
      status: before || !blob ? 200 : 201,
      body: { content: after ? entryPayload(call, after, name) : null, commit },
    };
  });
}

/** A file takes the place of no folder, and a folder of no file: git would do both. @throws HttpError 422 */
async function judgePlace(
  git: Git,
  tree: string,
  { path, before }: { readonly path: string; readonly before: TreeEntry | undefined },
): Promise<void> {
  if (before?.type === 'tree') throw new HttpError(422, `${path} is a directory`);
  const folders = path.split('/').map((_, index, parts) => parts.slice(0, index).join('/'));
  for (const folder of folders.slice(1)) {
    const [entry] = await treeEntriesOf(git, tree, false, folder);
    if (entry !== undefined && entry.type !== 'tree') throw new HttpError(422, `${folder} is a file`);
  }
}

function judgeSeen(path: string, current: string | undefined, expected: string | undefined): void {
  if (current === expected) return;
  if (current !== undefined && expected === undefined)
    throw new HttpError(422, 'Invalid request.\n\n"sha" wasn\'t supplied.');
  throw new HttpError(409, `${path} does not match ${expected}`);
}
