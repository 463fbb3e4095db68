/** Who asks for a proof of a pull request, by label, comment or button, and which run of one has ended. */
import { askForProof } from '../engine/proofs.ts';
import { commandLines } from '../guard/incoming.ts';
import { reaches } from '../loop/people/commands.ts';
import { type Actor, isPerson } from '../loop/terms.ts';
import { PROVE_COMMAND, PROVE_LABEL } from '../proof/pull-proof.ts';
import { isWritten } from './comment-reader.ts';
import type { Payload, PayloadName, PayloadOf } from './payloads.ts';
import { saidOf } from './place.ts';
import { afterAMoment, roleOf, type Taking } from './reader.ts';
import { isOwnRun } from './run-readers.ts';

/** GitHub has one label of a name, whatever its letters. */
export function isProveLabel(name: string | undefined): boolean {
  return name?.toLowerCase() === PROVE_LABEL;
}

/** The check run of a proof names its pull request. */
export const PROOF_ID = /^proof\/(\d+)\/(\d+)\/\d+$/;

const COMMAND_LINE = new RegExp(String.raw`^${PROVE_COMMAND}[.!]{0,3}[^\S\n]*$`, 'i');

/** Whether a comment may ask for one, whatever its Markdown makes of it. */
export function mayAskForProof(body: string): boolean {
  return body.split('\n').some((line) => COMMAND_LINE.test(line.trimEnd()));
}

type Reader<Name extends PayloadName> = (payload: PayloadOf<Name>, taking: Taking) => Promise<void>;

const READERS: { readonly [Name in PayloadName]?: Reader<Name> } = {
  async 'pull_request.labeled'(payload, taking) {
    const { label, pull_request, sender } = payload;
    if (!isProveLabel(label?.name) || !(await isLabelled(payload, taking))) return;
    const said = `prove/${pull_request.number}/${pull_request.updated_at ?? taking.at}`;
    await ask(payload, taking, { pull: pull_request.number, by: sender, said, way: 'label' });
  },
  // The label is a standing wish of somebody who may write: it holds for what such a person pushes, and for nobody else's commits.
  async 'pull_request.synchronize'(payload, taking) {
    const { pull_request, sender } = payload;
    const { number, labels, head } = pull_request;
    if (!labels.some(({ name }) => isProveLabel(name)) || !isPerson(sender)) return;
    if (!reaches(await roleOf(refOf(payload), sender, taking.ports), 'write')) return;
    await ask(payload, taking, {
      pull: number,
      by: sender,
      said: `prove/${number}/${head.sha ?? taking.at}`,
      way: 'push',
    });
  },
  async 'issue_comment.created'(payload, taking) {
    const { issue, comment, sender } = payload;
    if (issue.pull_request === undefined || !isWritten(payload) || !mayAskForProof(comment.body)) return;
    if (commandLines(comment.body, (line) => COMMAND_LINE.test(line.trimEnd())).length === 0) return;
    const said = `comment/${comment.id}/prove`;
    const isTaken = await ask(payload, taking, { pull: issue.number, by: sender, said, way: 'comment' });
    if (isTaken) await taking.ports.github.react(refOf(payload), comment.id, '+1');
  },
  async 'check_run.rerequested'(payload, taking) {
    const [, repositoryId, pull] = PROOF_ID.exec(payload.check_run.external_id) ?? [];
    if (Number(repositoryId) !== payload.repository.id) return;
    const said = `rerun/${payload.check_run.id ?? ''}/${taking.at}`;
    await ask(payload, taking, { pull: Number(pull), by: payload.sender, said, way: 'button' });
  },
  async 'workflow_run.completed'(payload, { ports }) {
    if (!isOwnRun(payload, ports.self)) return;
    const { repository, workflow_run } = payload;
    const stored = await ports.store.pullProofByRun(repository.id, workflow_run.id);
    if (stored === undefined || stored.proof.stage === 'ended') return;
    await ports.queue.send({ type: 'prove', repositoryId: repository.id, pull: stored.proof.pull });
  },
};

/** Takes in what a delivery says of proofs; repeating it is harmless. */
export async function takeInProofs(payload: Payload, taking: Taking): Promise<void> {
  await read(payload, taking);
}

function read<Name extends PayloadName>(payload: PayloadOf<Name>, taking: Taking): Promise<void> | undefined {
  const readers: { readonly [One in PayloadName]?: Reader<One> } = READERS;
  return readers[payload.name]?.(payload, taking);
}

type Asking = PayloadOf<
  'pull_request.labeled' | 'pull_request.synchronize' | 'issue_comment.created' | 'check_run.rerequested'
>;

function refOf(payload: Asking) {
  return saidOf(payload);
}

/** The pull request as it is decides: the label may have been taken away since. */
async function isLabelled(payload: PayloadOf<'pull_request.labeled'>, taking: Taking): Promise<boolean> {
  const { number } = payload.pull_request;
  const { labels } = await taking.ports.github.issueState(refOf(payload), number);
  if (labels.some(isProveLabel)) return true;
  afterAMoment(`GitHub says that #${number} has no label \`${PROVE_LABEL}\``, taking);
  return false;
}

interface Wish {
  readonly pull: number;
  readonly by: Actor;
  readonly said: string;
  readonly way: 'label' | 'push' | 'comment' | 'button';
}

const WAYS: Readonly<Record<Wish['way'], string>> = {
  label: `The label \`${PROVE_LABEL}\``,
  push: 'A push',
  comment: `\`${PROVE_COMMAND}\``,
  button: 'The button **Re-run**',
};

/** Whether it was taken. Only who may write sets runs going; others are told so, in one comment. */
async function ask(payload: Asking, { at, ports }: Taking, { pull, by, said, way }: Wish): Promise<boolean> {
  if (!isPerson(by)) return false;
  const ref = refOf(payload);
  if (reaches(await roleOf(ref, by, ports), 'write')) {
    await askForProof({ ...ref, pull, at, by }, said, ports);
    return true;
  }
  const body = `${WAYS[way]} asks for a proof, which needs write access to this repository; \`${by.login}\` does not have it. Somebody who has can comment \`${PROVE_COMMAND}\`.`;
  await ports.github.comment(ref, pull, { marker: 'proof', body });
  return false;
}
