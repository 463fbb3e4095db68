/** What a loop takes for granted of GitHub, each with a way to see whether it is so. The README lists what nobody has seen yet. */
import { isDeepStrictEqual } from 'node:util';
import { type Finding, ok, unknown, wrong } from '../doctor/finding.ts';
import type { Sent } from '../github/sent.ts';
import { dispatched } from './dispatches.ts';
import { readsOfDoctor } from './doctor-reads.ts';
import { JOB_PROBES } from './job.ts';
import { countsOnlyAnswers, takesLoad } from './limits.ts';
import { mergesWorkflows } from './merges.ts';
import { prefilledPage } from './pages.ts';
import type { Probe } from './probe.ts';
import { quarantine } from './quarantine.ts';
import { readsById } from './reads-by-id.ts';
import { refusesByRules } from './refusals.ts';
import { asRegistered } from './register.ts';
import { passesNeutral } from './required-checks.ts';
import { tellsLines } from './reviews.ts';
import { checkOf, commitOn, pullFor, type Scratch, settled, within } from './scratch.ts';

export const PROBES: readonly Probe[] = [
  { area: 'refs', subject: 'quarantine', probe: quarantine },
  { area: 'commits', subject: 'signature', probe: signature },
  { area: 'commits', subject: 'refusals', probe: refusesByRules },
  { area: 'merges', subject: 'changed workflows', probe: mergesWorkflows },
  { area: 'checks', subject: 'several at once', probe: severalChecks },
  { area: 'required checks', subject: 'neutral', probe: passesNeutral },
  { area: 'reads', subject: 'by id', probe: readsById },
  { area: 'reads', subject: 'of doctor', probe: readsOfDoctor },
  { area: 'pull requests', subject: 'draft and back', probe: draftAndBack },
  { area: 'pull requests', subject: 'lines of a review', probe: tellsLines },
  { area: 'register', subject: 'as registered', probe: asRegistered },
  { area: 'pages', subject: 'new file', probe: prefilledPage },
  { area: 'limits', subject: 'headers', probe: countsOnlyAnswers },
  { area: 'limits', subject: 'load', probe: takesLoad },
  { area: 'runs', subject: 'dispatch', probe: dispatched },
  ...JOB_PROBES,
];

async function signature(scratch: Scratch): Promise<Finding> {
  const sha = await commitOn(scratch, `refs/loopwright/probe/${scratch.mark}-signed`);
  const { isVerified, reason, author } = await scratch.probing.commitFacts(scratch.repository, sha);
  return isVerified
    ? ok(`The App's commits are Verified, by ${author}.`)
    : wrong(
        `The App's commits are not Verified (${reason}), by ${author}.`,
        'Where a ruleset requires signed commits the App cannot push there; exempt it from that rule.',
      );
}

async function severalChecks(scratch: Scratch): Promise<Finding> {
  const { github, probing, repository, mark, sent, patienceMs } = scratch;
  const headSha = await commitOn(scratch, `refs/loopwright/probe/${mark}-checks`);
  const names = [`loopwright / probe one ${mark}`, `loopwright / probe two ${mark}`];
  const from = sent().length;
  await github.checks(
    repository,
    names.map((name) => checkOf(name, headSha, { status: 'completed', conclusion: 'neutral' })),
  );
  const apart = writtenApart(sent().slice(from));
  if (apart !== undefined) return apart;
  const found = await within(scratch, async () => {
    const there = await probing.checkNames(repository, headSha);
    return names.every((name) => there.includes(name)) ? there : undefined;
  });
  return found === undefined
    ? unknown(
        `Two check runs were written by one request, and are not both listed within ${Math.round(patienceMs / 1000)} s.`,
        'Give GitHub more time with --wait; if it stays so, tell the maintainers.',
      )
    : ok('Two check runs written by one request are both there.');
}

const isTogether = ({ method, path }: Sent): boolean => method === 'POST' && path.endsWith('/graphql');
const ofChecks = /\/check-runs(?:\/\d+)?$/;
const isAlone = ({ method, path }: Sent): boolean => method !== 'GET' && ofChecks.test(path);
const isUnheard = ({ status = 500 }: Sent): boolean => status >= 500;

/** Where GraphQL refuses them the port looks what is there, and writes what is not, by REST; so it does with what is missing after an answer that it did not hear. */
function writtenApart(since: readonly Sent[]): Finding | undefined {
  const requests = since.filter(isTogether);
  const last = requests.at(-1);
  if (last !== undefined && !since.some(isAlone)) {
    const isRefused =
      !isUnheard(last) && since.slice(since.lastIndexOf(last) + 1).some(({ path }) => ofChecks.test(path));
    return isRefused
      ? unknown('GitHub refused two check runs in one request, and made both.', 'Probe again.')
      : undefined;
  }
  return requests.some(isUnheard)
    ? unknown(
        'What GitHub did with two check runs in one request was not heard, and they were not both there afterwards.',
        'Probe again.',
      )
    : wrong(
        'GitHub did not take two check runs by one request: they are written one by one.',
        'Tell the maintainers; until then each check run takes a request of its own.',
      );
}

async function draftAndBack(scratch: Scratch): Promise<Finding> {
  const { github, probing, repository } = scratch;
  const { number, nodeId } = await pullFor(scratch, 'draft');
  const stateOf = (wanted: boolean) =>
    settled(
      scratch,
      () => probing.isDraft(repository, number),
      (isDraft) => isDraft === wanted,
    );
  const states = [await stateOf(true)];
  await github.markReady(repository, nodeId);
  states.push(await stateOf(false));
  await github.markDraft(repository, nodeId);
  states.push(await stateOf(true));
  return isDeepStrictEqual(states, [true, false, true])
    ? ok(`Pull request #${number} was a draft, became ready, and became a draft again.`)
    : wrong(
        `Pull request #${number} was ${states.map((isDraft) => (isDraft ? 'a draft' : 'ready')).join(', then ')}; wanted were a draft, ready, a draft.`,
        'Drafts need GitHub Team or Enterprise in private repositories; without, nobody sees by it whether a loop has ended.',
      );
}
