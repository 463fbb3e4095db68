/** Whether GitHub takes the App's merge of a base that changed its workflow files, which the App itself may not write. */
import { type Finding, ok, unknown, wrong } from '../doctor/finding.ts';
import { type LoopError, WriteRefusedError } from '../errors.ts';
import { blobSha } from '../github/git-tree.ts';
import { answered, TELL } from './probe.ts';
import { branchFor, commitOn, messageFor, ownFile, type Scratch } from './scratch.ts';

const WORKFLOWS_FOLDER = '.github/workflows';

/** As where a base has moved under a loop: a commit of ours on the base of before, and the merge of both. */
export async function mergesWorkflows(scratch: Scratch): Promise<Finding> {
  const { probing, repository, branch } = scratch;
  const change = await probing.newestChange(repository, branch, WORKFLOWS_FOLDER);
  if (change === undefined)
    return unknown(
      `No commit of ${branch} but its first one changed ${WORKFLOWS_FOLDER}, so there is none to be merged.`,
      `Change a comment of a workflow file on ${branch}, and probe again.`,
    );
  const changed = change.sha.slice(0, 7);
  const refusal = await refusalOfMerge(scratch, change);
  const merge = `The merge of ${changed}, which changed workflow files,`;
  if (refusal === undefined) return ok(`${merge} was taken.`);
  if (refusal instanceof WriteRefusedError)
    return wrong(
      `${merge} was refused: ${refusal.message}`,
      'Loops stop there and ask a person to merge the base; change workflow files while no loop runs.',
    );
  return wrong(`${merge} was refused, and not in a way that is read as a refusal: ${refusal.message}`, TELL);
}

async function refusalOfMerge(
  scratch: Scratch,
  { sha: theirs, parent }: { readonly sha: string; readonly parent: string },
): Promise<LoopError | undefined> {
  const { github, repository } = scratch;
  const ref = `refs/heads/${branchFor(scratch, 'merge')}`;
  const ours = await commitOn(scratch, ref, { parent });
  const { path, content } = ownFile(scratch);
  const own = { path, mode: '100644', sha: blobSha(Buffer.from(content ?? '', 'base64')) } as const;
  const merge = { parent: theirs, held: [own], made: [] };
  try {
    const { sha } = await github.commit(repository, {
      ...{ ref, parent: ours, changes: [], message: messageFor(scratch), merge },
    });
    await github.moveRef(repository, ref, sha, { at: ours });
    return undefined;
  } catch (error) {
    return answered(error);
  }
}
