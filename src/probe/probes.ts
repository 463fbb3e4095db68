/** What a loop takes for granted of GitHub, each with a way to see whether it is so. The README lists what nobody has seen yet. */
import { isDeepStrictEqual } from 'node:util';
import { type Finding, ok, unknown, wrong } from '../doctor/finding.ts';
import type { CheckRun } from '../loop/check-run.ts';
import { WORKFLOWS } from '../settings/config.ts';
import { readsOfDoctor } from './doctor-reads.ts';
import { JOB_PROBES } from './job.ts';
import { countsOnlyAnswers, takesLoad } from './limits.ts';
import { mergesWorkflows } from './merges.ts';
import { prefilledPage } from './pages.ts';
import { type Probe, TELL } from './probe.ts';
import { refusesByRules } from './refusals.ts';
import { asRegistered } from './register.ts';
import { tellsLines } from './reviews.ts';
import { commitOn, pullFor, type Scratch, within } from './scratch.ts';

export const PROBES: readonly Probe[] = [
  { area: 'refs', subject: 'quarantine', probe: quarantine },
  { area: 'commits', subject: 'signature', probe: signature },
  { area: 'commits', subject: 'refusals', probe: refusesByRules },
  { area: 'merges', subject: 'changed workflows', probe: mergesWorkflows },
  { area: 'checks', subject: 'several at once', probe: severalChecks },
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

/** Candidates lie there before they are proved. */
async function quarantine(scratch: Scratch): Promise<Finding> {
  const { probing, repository, mark, patienceMs } = scratch;
  const ref = `refs/loopwright/probe/${mark}`;
  const sha = await commitOn(scratch, ref);
  const seen = await within(scratch, async () => {
    const [runs, told] = [await probing.runsOn(repository, sha), await probing.pushesToldOf(ref)];
    return runs.length > 0 || told > 0 ? { runs, told } : undefined;
  });
  if (seen === undefined)
    return ok(`A push to ${ref} started no workflow and sent no webhook within ${Math.round(patienceMs / 1000)} s.`);
  const what = seen.runs.length > 0 ? `started ${seen.runs.join(', ')}` : 'was told by a webhook';
  return wrong(`A push to ${ref} ${what}: what lies there before it is proved is not out of reach.`, TELL);
}

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
  const { github, probing, repository, mark } = scratch;
  const headSha = await commitOn(scratch, `refs/loopwright/probe/${mark}-checks`);
  const names = [`loopwright / probe one ${mark}`, `loopwright / probe two ${mark}`];
  await github.checks(
    repository,
    names.map((name) => checkOf(name, headSha)),
  );
  const found = await within(scratch, async () => {
    const there = await probing.checkNames(repository, headSha);
    return names.every((name) => there.includes(name)) ? there : undefined;
  });
  return found === undefined
    ? wrong('Two check runs were written by one request, and are not both there.', TELL)
    : ok('Two check runs written by one request are both there.');
}

function checkOf(name: string, headSha: string): CheckRun {
  const said = { title: 'A probe', summary: 'Written to see whether it can be.', text: '' };
  return {
    ...{ name, headSha, externalId: `probe/${name}`, status: 'completed', conclusion: 'neutral' },
    ...{ ...said, actions: [], annotations: [] },
  };
}

/** As loops ask them. */
const READS: readonly ((scratch: Scratch) => string)[] = [
  () => '',
  () => '/pulls?state=all&per_page=5',
  () => '/actions/runs?per_page=5',
  ({ branch }) => `/branches/${branch}`,
  ({ branch }) => `/git/matching-refs/heads/${branch}`,
  ({ tip }) => `/git/commits/${tip}`,
  ({ tip }) => `/git/trees/${tip}`,
  ({ tip }) => `/commits/${tip}/check-runs`,
  ({ tip }) => `/compare/${tip}...${tip}`,
];

async function readsById(scratch: Scratch): Promise<Finding> {
  const { probing, repository } = scratch;
  const different: string[] = [];
  for (const read of READS) {
    const path = read(scratch);
    const [byName, byId] = await probing.twoWays(repository, path);
    if (!isDeepStrictEqual(byName, byId)) different.push(path === '' ? '(itself)' : path);
  }
  return different.length === 0
    ? ok(`${READS.length} reads answer by the repository's id as by its name.`)
    : wrong(`By the repository's id these answer otherwise than by its name: ${different.join(', ')}.`, TELL);
}

async function draftAndBack(scratch: Scratch): Promise<Finding> {
  const { github, probing, repository } = scratch;
  const { number, nodeId } = await pullFor(scratch, 'draft');
  const states = [await probing.isDraft(repository, number)];
  await github.markReady(repository, nodeId);
  states.push(await probing.isDraft(repository, number));
  await github.markDraft(repository, nodeId);
  states.push(await probing.isDraft(repository, number));
  return isDeepStrictEqual(states, [true, false, true])
    ? ok(`Pull request #${number} was a draft, became ready, and became a draft again.`)
    : wrong(
        `Pull request #${number} was ${states.map((isDraft) => (isDraft ? 'a draft' : 'ready')).join(', then ')}; wanted were a draft, ready, a draft.`,
        'Drafts need GitHub Team or Enterprise in private repositories; without, nobody sees by it whether a loop has ended.',
      );
}

const NOTHING = '0'.repeat(64);

/** The run finds no job under the digest, and ends; what it is started with is all that counts. */
async function dispatched(scratch: Scratch): Promise<Finding> {
  const { github, probing, repository, tip, mark, patienceMs, takesBack } = scratch;
  const inputs = {
    ...{ loop: `probe ${mark}`, entry: '1', phase: 'PROVE', candidate: tip, base: tip },
    ...{ job: NOTHING, brief: NOTHING, app: 'http://127.0.0.1:9' },
  };
  const runId = await github.dispatch(repository, WORKFLOWS.verify, inputs, 'new');
  takesBack(`run ${runId}`, () => github.cancelRun(repository, runId));
  const begun = await within(scratch, async () => {
    const { askedAt, begunAt } = await probing.beginnings(repository, runId);
    return begunAt === undefined ? undefined : Math.max(0, Date.parse(begunAt) - Date.parse(askedAt));
  });
  return begun === undefined
    ? unknown(
        `Run ${runId} was dispatched and found, and no runner began it within ${Math.round(patienceMs / 1000)} s.`,
        'See whether a runner with the label of `runs-on` is online.',
      )
    : ok(`Run ${runId} was dispatched and found, and a runner began it after ${Math.round(begun / 1000)} s.`);
}
