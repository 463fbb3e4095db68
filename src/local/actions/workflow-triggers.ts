/** Starts the repository's own workflows on pushes and pull requests; there are no secrets here. */
import type { Fields } from '../../referee/json.ts';
import { now } from '../clock.ts';
import { type Git, NO_COMMIT } from '../git/git.ts';
import { ACTIONS_LOGIN, gitOf, type Host } from '../host.ts';
import type { Pull, Repository } from '../records.ts';
import { commitOf } from '../rest/commits.ts';
import { admitsPaths, admitsRef, type RefFilter } from './workflow-globs.ts';
import { eventsOf, type WorkflowFile, workflowFilesAt } from './workflow-registry.ts';
import { startRun } from './workflow-runs.ts';

export interface Pushed {
  readonly repository: Repository;
  readonly actor: string;
  readonly change: { readonly ref: string; readonly before: string; readonly after: string };
  readonly payload: Fields;
}

/** GitHub's marks in a commit message that keep its workflows from starting. */
const SKIP = /\[(skip ci|ci skip|no ci|skip actions|actions skip)\]/;

/** Starts the workflows of the pushed tree whose filters admit the push. */
export async function startPushRuns(host: Host, { repository, actor, change, payload }: Pushed): Promise<void> {
  const { ref, before, after } = change;
  if (after === NO_COMMIT) return;
  const git = gitOf(host, repository);
  const head = await commitOf(git, after);
  if (!head || SKIP.test(head.message)) return;
  const base = before === NO_COMMIT ? await defaultHead(git, repository) : before;
  const changed = async () => pathsOf(await git.text(['diff', '--name-only', '-z', base, after]));
  for (const file of await workflowFilesAt(host, repository, after)) {
    const filter = eventsOf(file).push;
    if (!filter || !admitsRef(filter, ref) || !(await admitsChanges(filter, changed))) continue;
    const common = { repository, file, actor, payload, ref, inputs: {}, headSha: after, sha: after };
    const title = head.message.split('\n')[0];
    await startRun(host, { ...common, event: 'push', headBranch: ref.replace(/^refs\/(heads|tags)\//, ''), title });
  }
}

/** Of the very first branch there is nothing to compare with. */
async function defaultHead(git: Git, { defaultBranch }: Repository): Promise<string> {
  return (await commitOf(git, `refs/heads/${defaultBranch}`))?.sha ?? EMPTY_TREE;
}

/** Git knows it without storing it. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

export interface PullMoved {
  readonly repository: Repository;
  readonly actor: string;
  readonly pull: Pull;
  readonly title: string;
  readonly action: string;
  readonly payload: Fields;
}

const DEFAULT_TYPES = ['opened', 'synchronize', 'reopened'];

/** Starts the workflows of the test merge; without one, because of a conflict, nothing starts. */
export async function startPullRuns(host: Host, moved: PullMoved): Promise<void> {
  const { repository, pull, actor } = moved;
  if (actor === ACTIONS_LOGIN || (await hasSkipMark(host, repository, pull))) return;
  const sha = await testMerge(host, repository, pull);
  if (sha === undefined) return;
  const git = gitOf(host, repository);
  const changed = async () =>
    pathsOf(await git.text(['diff', '--name-only', '-z', `${pull.baseSha}...${pull.headSha}`]));
  const common = { repository, actor, sha, payload: moved.payload, inputs: {}, title: moved.title };
  const place = { ref: `refs/pull/${pull.number}/merge`, headSha: pull.headSha, headBranch: pull.head };
  for (const file of await workflowFilesAt(host, repository, sha)) {
    const filter = pullFilterOf(file, moved);
    if (!filter || !(await admitsChanges(filter, changed))) continue;
    await startRun(host, { ...common, ...place, file, event: 'pull_request' });
  }
}

/** The file's filter for pull requests, when it admits the action and the base. */
function pullFilterOf(file: WorkflowFile, { action, pull }: PullMoved) {
  const filter = eventsOf(file).pull_request;
  const admitted = (filter?.types ?? DEFAULT_TYPES).includes(action);
  return filter && admitted && admitsRef(filter, `refs/heads/${pull.base}`) ? filter : undefined;
}

async function hasSkipMark(host: Host, repository: Repository, { headSha }: Pull): Promise<boolean> {
  return SKIP.test((await commitOf(gitOf(host, repository), headSha))?.message ?? '');
}

/** `refs/pull/<n>/merge`, what a pull request's workflows check out. */
async function testMerge(
  host: Host,
  repository: Repository,
  { number, baseSha, headSha }: Pull,
): Promise<string | undefined> {
  const git = gitOf(host, repository);
  if ((await git.attempt(['merge-base', baseSha, headSha])) === undefined) return undefined;
  const tree = await git.attempt(['merge-tree', '--write-tree', baseSha, headSha]);
  if (tree === undefined) return undefined;
  const signature = { NAME: 'GitHub', EMAIL: 'noreply@github.com', DATE: now(host) };
  const environment = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((who) =>
      Object.entries(signature).map(([key, value]) => [`GIT_${who}_${key}`, value]),
    ),
  );
  const input = `Merge ${headSha} into ${baseSha}`;
  const sha = await git.text(['commit-tree', tree, '-p', baseSha, '-p', headSha], { input, environment });
  await git.text(['update-ref', `refs/pull/${number}/merge`, sha]);
  return sha;
}

async function admitsChanges(filter: RefFilter, changed: () => Promise<readonly string[]>): Promise<boolean> {
  return filter.paths || filter['paths-ignore'] ? admitsPaths(filter, await changed()) : true;
}

function pathsOf(output: string): readonly string[] {
  return output.split('\0').filter((path) => path !== '');
}
