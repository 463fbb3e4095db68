/** The workflow files of a commit, and the workflows that the repository is known to have. */
import type { Workflow as WorkflowRecord } from '../check-records.ts';
import { now } from '../clock.ts';
import { treeEntriesOf } from '../git/trees.ts';
import { gitOf, type Host } from '../host.ts';
import type { Repository } from '../records.ts';
import { eventsIn, parseWorkflow, type Workflow, type WorkflowEvents, WorkflowFileError } from './workflow-file.ts';

export interface WorkflowFile {
  readonly path: string;
  readonly text: string;
}

const DIRECTORY = '.github/workflows/';

/** The workflow files in the tree of a commit. */
export async function workflowFilesAt(
  host: Host,
  repository: Repository,
  sha: string,
): Promise<readonly WorkflowFile[]> {
  const git = gitOf(host, repository);
  const entries = await treeEntriesOf(git, sha, false, DIRECTORY);
  const files = entries.filter(({ type, path }) => type === 'blob' && /\.ya?ml$/.test(path));
  return Promise.all(
    files.map(async ({ path, sha: blob }) => ({ path, text: await git.text(['cat-file', 'blob', blob]) })),
  );
}

/** One workflow file of a commit. */
export async function workflowFileAt(
  host: Host,
  repository: Repository,
  { sha, path }: { readonly sha: string; readonly path: string },
): Promise<WorkflowFile | undefined> {
  return (await workflowFilesAt(host, repository, sha)).find((file) => file.path === path);
}

/** GitHub tells of a file that it cannot read at every push. */
const UNREADABLE: WorkflowEvents = { push: {} };

/** What starts the workflow, whether it can be executed here or not. */
export function eventsOf({ text, path }: WorkflowFile): WorkflowEvents {
  return eventsIn(text, path) ?? UNREADABLE;
}

/** The parsed file, or why it cannot be executed here. */
export function readWorkflow({
  text,
  path,
}: WorkflowFile): { readonly workflow: Workflow } | { readonly workflow?: undefined; readonly problem: string } {
  try {
    return { workflow: parseWorkflow(text, path) };
  } catch (error) {
    if (!(error instanceof WorkflowFileError)) throw error;
    return { problem: error.message };
  }
}

/** The record of a workflow, made when its file is first seen. */
export function registerWorkflow(host: Host, repository: Repository, file: WorkflowFile): WorkflowRecord {
  const { path } = file;
  const name = readWorkflow(file).workflow?.name ?? path;
  const known = host.state.workflows.first({ repositoryId: repository.id, path });
  if (known) return known.name === name ? known : host.state.workflows.update(known.id, { name });
  return host.state.workflows.insert({ repositoryId: repository.id, path, name, createdAt: now(host) });
}

/** The workflows whose files are on the default branch: only these can be dispatched. */
export async function defaultBranchWorkflows(host: Host, repository: Repository): Promise<readonly WorkflowRecord[]> {
  const files = await workflowFilesAt(host, repository, `refs/heads/${repository.defaultBranch}`);
  return files.map((file) => registerWorkflow(host, repository, file));
}
