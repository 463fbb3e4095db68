/** Commits as git knows them, and as GitHub writes them. */
import type { Fields } from '../../referee/json.ts';
import type { Git } from '../git/git.ts';
import { gitOf, type Host, nodeIdOf, repositoryHtmlUrlOf, repositoryUrlOf } from '../host.ts';
import type { Repository } from '../records.ts';
import { accountPayload } from './payloads.ts';

export interface Signature {
  readonly name: string;
  readonly email: string;
  /** UTC, whole seconds. */
  readonly date: string;
}

export interface Commit {
  readonly sha: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly message: string;
}

const FORMAT = ['%H', '%T', '%P', '%an', '%ae', '%aI', '%cn', '%ce', '%cI', '%B'].join('%x1f');

/** The commits that `git log` selects, in its order. */
export async function commitsOf(git: Git, selection: readonly string[]): Promise<readonly Commit[]> {
  const output = await git.text(['log', `--format=${FORMAT}%x1e`, ...selection, '--']);
  return output
    .split('\x1e')
    .map((entry) => entry.replace(/^\n/, ''))
    .filter((entry) => entry !== '')
    .map(parseCommit);
}

/** One commit; undefined when there is none of this name. */
export async function commitOf(git: Git, name: string): Promise<Commit | undefined> {
  const sha = await git.attempt(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
  return sha === undefined ? undefined : (await commitsOf(git, ['-1', sha]))[0];
}

function parseCommit(entry: string): Commit {
  const [sha = '', tree = '', parents = '', an = '', ae = '', ad = '', cn = '', ce = '', cd = '', message = ''] =
    entry.split('\x1f');
  return {
    sha,
    tree,
    parents: parents === '' ? [] : parents.split(' '),
    author: { name: an, email: ae, date: utc(ad) },
    committer: { name: cn, email: ce, date: utc(cd) },
    message: message.replace(/\n+$/, ''),
  };
}

function utc(date: string): string {
  return `${new Date(date).toISOString().slice(0, 19)}Z`;
}

export interface ChangedPaths {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly modified: readonly string[];
}

/** What one commit changed against its first parent. */
export async function changedPathsOf(git: Git, sha: string): Promise<ChangedPaths> {
  const output = await git.text([
    'diff-tree',
    '--no-commit-id',
    '--name-status',
    '--no-renames',
    '-r',
    '-m',
    '--first-parent',
    '--root',
    '-z',
    sha,
  ]);
  const parts = output.split('\0').filter((part) => part !== '');
  const pairs = parts.flatMap((part, index) => (index % 2 === 0 ? [{ kind: part, path: parts[index + 1] ?? '' }] : []));
  const pathsOf = (...kinds: readonly string[]) =>
    pairs.filter(({ kind }) => kinds.includes(kind)).map(({ path }) => path);
  return { added: pathsOf('A'), removed: pathsOf('D'), modified: pathsOf('M', 'T') };
}

/** Commits that the App made through the API are signed by GitHub; what was pushed is not. */
export function verificationOf(host: Host, repository: Repository, sha: string): Fields {
  const signed = host.state.signedCommits.first({ repositoryId: repository.id, sha });
  return {
    verified: signed !== undefined,
    reason: signed ? 'valid' : 'unsigned',
    signature: signed ? '-----BEGIN PGP SIGNATURE-----' : null,
    payload: signed ? `tree of ${sha}` : null,
    verified_at: null,
  };
}

/** A commit of the Git Data API. */
export function gitCommitPayload(host: Host, repository: Repository, commit: Commit): Fields {
  const api = `${repositoryUrlOf(host, repository)}/git`;
  const html = repositoryHtmlUrlOf(host, repository);
  return {
    sha: commit.sha,
    node_id: nodeIdOf(commit.sha, repository.id),
    url: `${api}/commits/${commit.sha}`,
    html_url: `${html}/commit/${commit.sha}`,
    author: commit.author,
    committer: commit.committer,
    message: commit.message,
    tree: { sha: commit.tree, url: `${api}/trees/${commit.tree}` },
    parents: commit.parents.map((sha) => ({ sha, url: `${api}/commits/${sha}`, html_url: `${html}/commit/${sha}` })),
    verification: verificationOf(host, repository, commit.sha),
  };
}

/** A commit of the commits API: with the accounts behind the addresses, where they are known. */
export function commitPayload(host: Host, repository: Repository, commit: Commit): Fields {
  const { author, committer, message, tree, verification } = gitCommitPayload(host, repository, commit);
  const api = repositoryUrlOf(host, repository);
  const html = `${repositoryHtmlUrlOf(host, repository)}/commit`;
  return {
    sha: commit.sha,
    node_id: nodeIdOf(commit.sha, repository.id),
    url: `${api}/commits/${commit.sha}`,
    html_url: `${html}/${commit.sha}`,
    comments_url: `${api}/commits/${commit.sha}/comments`,
    commit: {
      author,
      committer,
      message,
      tree,
      verification,
      url: `${api}/git/commits/${commit.sha}`,
      comment_count: 0,
    },
    author: accountBehind(host, commit.author),
    committer: accountBehind(host, commit.committer),
    parents: commit.parents.map((sha) => ({ sha, url: `${api}/commits/${sha}`, html_url: `${html}/${sha}` })),
  };
}

function accountBehind(host: Host, { name, email }: Signature): Fields | null {
  const login = email.match(/^(?:\d+\+)?(.+)@users\.noreply\.github\.com$/)?.[1] ?? name;
  return host.state.accounts.first({ login }) ? accountPayload(host, login) : null;
}

/** Changed files between two commits, in the shape of diff entries. */
export async function fileChangesOf(
  host: Host,
  repository: Repository,
  range: readonly string[],
): Promise<readonly Fields[]> {
  const git = gitOf(host, repository);
  const [raw, numbers, text] = await Promise.all([
    git.text(['diff', '--raw', '--no-renames', '--no-abbrev', '-z', ...range]),
    git.text(['diff', '--numstat', '--no-renames', '-z', ...range]),
    git.text(['diff', '--no-renames', ...range]),
  ]);
  const patches = patchesOf(text);
  const counts = new Map(
    numbers
      .split('\0')
      .filter((line) => line !== '')
      .map((line) => {
        const [added = '0', removed = '0', path = ''] = line.split('\t');
        return [path, { additions: Number(added) || 0, deletions: Number(removed) || 0 }];
      }),
  );
  const parts = raw.split('\0').filter((part) => part !== '');
  const changes = parts.flatMap((part, index) =>
    index % 2 === 0 ? [{ fields: part.split(' '), path: parts[index + 1] ?? '' }] : [],
  );
  return changes.map(({ fields, path }, index) => {
    const { additions, deletions } = counts.get(path) ?? { additions: 0, deletions: 0 };
    const removed = fields[4] === 'D';
    const patch = patches[index] ?? '';
    return {
      sha: removed ? fields[2] : fields[3],
      filename: path,
      status: STATUS_WORDS[fields[4] ?? ''] ?? 'modified',
      additions,
      deletions,
      changes: additions + deletions,
      ...fileAddresses(host, repository, path),
      ...(patch.includes('\n@@') ? { patch: patch.slice(patch.indexOf('\n@@') + 1) } : {}),
    };
  });
}

/** The parts of a diff, one for each file, in git's order. A file that became a link, or the reverse, has two with the same first line. */
function patchesOf(diff: string): readonly string[] {
  const headerOf = (part: string) => part.slice(0, part.indexOf('\n'));
  const patches: string[] = [];
  for (const part of diff.split(/^(?=diff --git )/m)) {
    const last = patches.at(-1);
    if (last !== undefined && headerOf(last) === headerOf(part)) patches.push(patches.pop() + part);
    else patches.push(part);
  }
  return patches.map((patch) => patch.replace(/\n$/, ''));
}

const STATUS_WORDS: Readonly<Record<string, string>> = { A: 'added', D: 'removed', M: 'modified', T: 'changed' };

function fileAddresses(host: Host, repository: Repository, path: string): Fields {
  const html = repositoryHtmlUrlOf(host, repository);
  const escaped = path.split('/').map(encodeURIComponent).join('/');
  return {
    blob_url: `${html}/blob/${repository.defaultBranch}/${escaped}`,
    raw_url: `${html}/raw/${repository.defaultBranch}/${escaped}`,
    contents_url: `${repositoryUrlOf(host, repository)}/contents/${escaped}`,
  };
}
