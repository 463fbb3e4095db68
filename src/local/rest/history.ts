/** Branches, commits and comparisons: https://docs.github.com/rest/commits */
import type { Fields } from '../../referee/json.ts';
import { PUBLIC } from '../access.ts';
import { repositoryHtmlUrlOf, repositoryUrlOf } from '../host.ts';
import { found, HttpError, notFound } from '../http-error.ts';
import { rulesByPrefix } from '../queue/required.ts';
import { type Commit, commitOf, commitPayload, commitsOf, fileChangesOf } from './commits.ts';
import { asksForDiff, diffReply } from './diffs.ts';
import { type Call, type Endpoints, list, ok, repositoryOf, textParameter } from './endpoint.ts';
import { gitOfCall } from './git-data.ts';
import { isProtected } from './refs.ts';

export const historyEndpoints: Endpoints = {
  'GET /repos/{owner}/{repo}/branches': { need: PUBLIC, answer: listBranches },
  'GET /repos/{owner}/{repo}/branches/{branch}': { need: PUBLIC, answer: getBranch },
  'GET /repos/{owner}/{repo}/commits': { need: PUBLIC, answer: listCommits },
  'GET /repos/{owner}/{repo}/commits/{ref}': { need: PUBLIC, answer: getCommit },
  'GET /repos/{owner}/{repo}/compare/{basehead}': { need: PUBLIC, answer: compare },
};

async function listBranches(call: Call) {
  const url = `${repositoryUrlOf(call.host, repositoryOf(call))}/commits`;
  const output = await gitOfCall(call).text([
    'for-each-ref',
    '--format=%(refname:lstrip=2) %(objectname)',
    'refs/heads',
  ]);
  const branches = output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' '));
  return list(
    branches.map(([name, sha]) => ({
      name,
      commit: { sha, url: `${url}/${sha}` },
      protected: isProtected(call, `refs/heads/${name}`),
    })),
  );
}

async function getBranch(call: Call) {
  const repository = repositoryOf(call);
  const name = textParameter(call, 'branch');
  const commit = await commitOf(gitOfCall(call), `refs/heads/${name}`);
  if (!commit) throw new HttpError(404, 'Branch not found');
  const self = `${repositoryUrlOf(call.host, repository)}/branches/${name}`;
  return ok({
    name,
    commit: commitPayload(call.host, repository, commit),
    _links: { self, html: `${repositoryHtmlUrlOf(call.host, repository)}/tree/${name}` },
    ...protectionOf(call, name),
    protection_url: `${self}/protection`,
  });
}

/** What requires pull requests is told to the owners only. */
function protectionOf(call: Call, name: string): Fields {
  const { protectedBy, rules } = call.host.switches.values().arranged;
  const isDefault = repositoryOf(call).defaultBranch === name;
  const contexts = (isDefault ? protectedBy : null) ?? [];
  return {
    // A ruleset protects too, and says so nowhere below.
    protected:
      isProtected(call, `refs/heads/${name}`) ||
      (isDefault && (protectedBy !== null || rules.length > 0)) ||
      rulesByPrefix(call.host, name).length > 0,
    protection: {
      enabled: isProtected(call, `refs/heads/${name}`) || (isDefault && protectedBy !== null),
      required_status_checks: {
        enforcement_level: contexts.length > 0 ? 'non_admins' : 'off',
        contexts,
        checks: contexts.map((context) => ({ context, app_id: null })),
      },
    },
  };
}

const MOST_COMMITS = 1000;

async function listCommits(call: Call) {
  const start = call.query.get('sha') ?? repositoryOf(call).defaultBranch;
  const git = gitOfCall(call);
  const { sha } = found(await commitOf(git, start));
  const { query } = call;
  const times = ['since', 'until'].flatMap((name) => (query.has(name) ? [`--${name}=${query.get(name)}`] : []));
  const paths = query.has('path') ? ['--', query.get('path') ?? ''] : [];
  const commits = await commitsOf(git, [`--max-count=${MOST_COMMITS}`, ...times, sha, ...paths]);
  return list(commits.map((commit) => commitPayload(call.host, repositoryOf(call), commit)));
}

async function getCommit(call: Call) {
  const repository = repositoryOf(call);
  const name = textParameter(call, 'ref');
  const commit = await commitOf(gitOfCall(call), name);
  if (!commit) throw new HttpError(422, `No commit found for SHA: ${name}`);
  const before = commit.parents[0] ?? EMPTY_TREE;
  if (asksForDiff(call)) return diffReply(call, before, commit.sha);
  const files = await fileChangesOf(call.host, repository, [before, commit.sha]);
  return ok({ ...commitPayload(call.host, repository, commit), stats: totalsOf(files), files });
}

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

function totalsOf(files: readonly Fields[]): Fields {
  const sum = (name: string) => files.reduce((total, file) => total + Number(file[name]), 0);
  return { additions: sum('additions'), deletions: sum('deletions'), total: sum('changes') };
}

async function compare(call: Call) {
  const repository = repositoryOf(call);
  const git = gitOfCall(call);
  const [baseName = '', headName = ''] = textParameter(call, 'basehead').split('...');
  const [base, head] = await Promise.all([commitOf(git, baseName), commitOf(git, headName)]);
  if (!base || !head) throw notFound();
  const mergeBaseSha = await git.attempt(['merge-base', base.sha, head.sha]);
  const mergeBase = mergeBaseSha === undefined ? undefined : await commitOf(git, mergeBaseSha);
  if (!mergeBase) throw new HttpError(404, `No common ancestor between ${baseName} and ${headName}.`);
  if (asksForDiff(call)) return diffReply(call, mergeBase.sha, head.sha);
  const ahead = (await commitsOf(git, [`${base.sha}..${head.sha}`])).toReversed();
  const behind = Number(await git.text(['rev-list', '--count', `${head.sha}..${base.sha}`]));
  const write = (commit: Commit) => commitPayload(call.host, repository, commit);
  const html = `${repositoryHtmlUrlOf(call.host, repository)}/compare/${baseName}...${headName}`;
  return ok({
    url: `${repositoryUrlOf(call.host, repository)}/compare/${baseName}...${headName}`,
    html_url: html,
    permalink_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    base_commit: write(base),
    merge_base_commit: write(mergeBase),
    status: statusOf(ahead.length, behind),
    ahead_by: ahead.length,
    behind_by: behind,
    total_commits: ahead.length,
    commits: ahead.map(write),
    files: await fileChangesOf(call.host, repository, [mergeBase.sha, head.sha]),
  });
}

function statusOf(ahead: number, behind: number): string {
  if (ahead > 0) return behind > 0 ? 'diverged' : 'ahead';
  return behind > 0 ? 'behind' : 'identical';
}
