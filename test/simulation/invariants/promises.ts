/** The promises of the first page: nothing merged, nothing unapproved, no line of a person lost, ready means green. */
import { bearsOnProof } from '../../../src/guard/product-files.ts';
import type { Loop } from '../../../src/loop/loop.ts';
import { awaitsMerge } from '../../../src/loop/people/handed-over.ts';
import { isReviewed } from '../../../src/loop/stages.ts';
import { phaseName } from '../../../src/loop/terms.ts';
import { type Commit, changedBetween } from '../github/commits.ts';
import { APP } from '../github/hub.ts';
import { linesOfPeople } from '../people/lines.ts';
import { suffixOf } from '../world/records.ts';
import { loopsOf, type World } from '../world/world.ts';
import type { Invariant } from './invariants.ts';

export const PROMISES: readonly Invariant[] = [
  {
    name: 'never-merged',
    sentence: 'The App writes its own branches and refs only, never the default branch.',
    end: ({ hub }) =>
      hub.moves.find(({ by, ref }) => by === APP.login && !/^refs\/(?:heads\/loopwright\/|loopwright\/)/.test(ref))
        ?.ref,
  },
  {
    name: 'nothing-unapproved',
    sentence: 'A BUILD starts only when a person with write permission approved the very documents that it builds.',
    end: (world) => world.records.dispatched.map((one) => unapproved(world, one)).find((found) => found !== undefined),
  },
  {
    name: 'no-line-lost',
    sentence: 'A line that a person pushed to the branch stays in every later commit of the App.',
    end: (world) => lostLine(world),
  },
  {
    name: 'ready-is-verified',
    sentence: 'A draft does not become ready over a commit of a person that the App was told of.',
    end({ records }) {
      const wrong = records.readied.find(({ unverified }) => unverified !== undefined);
      return wrong && `#${wrong.pull.number} at ${wrong.headSha.slice(0, 7)}`;
    },
  },
  {
    name: 'ready-is-green',
    sentence:
      "A draft becomes ready only when the repository's own checks have all ended, none of them red but where it is red without the change too, and it can be merged.",
    end({ records }) {
      const wrong = records.readied.find(
        ({ ci, mergeable, unverified }) => unverified === undefined && (ci !== 'green' || mergeable !== true),
      );
      return (
        wrong &&
        `#${wrong.pull.number} at ${wrong.headSha.slice(0, 7)}: checks ${wrong.ci}, mergeable ${String(wrong.mergeable)}`
      );
    },
  },
  {
    name: 'ready-is-current',
    sentence:
      'What was proved of a ready pull request holds for the base as it is, or people are told that it does not.',
    end(world) {
      const wrong = loopsOf(world).find((loop) => isSilentlyOutdated(world, loop));
      return wrong && `${suffixOf(wrong.ref)} was proved on ${wrong.started?.base.sha.slice(0, 7)}, and main went on`;
    },
  },
  {
    name: 'rebuilt-is-draft',
    sentence: 'While a pull request that was sent back is drafted or built again, it is a draft.',
    end(world) {
      const wrong = loopsOf(world).find(({ phase, status, review }) => {
        const isLive = status === 'waiting' || status === 'paused' || status === 'working';
        const pull = review === undefined ? undefined : world.hub.pulls.get(review.pull);
        return isLive && pull?.state === 'open' && !pull.draft && AHEAD_OF_SHIP.includes(phase);
      });
      return wrong && `${suffixOf(wrong.ref)} is in ${wrong.phase}, and its pull request is ready`;
    },
  },
];

const AHEAD_OF_SHIP = phaseName.options.slice(0, phaseName.options.indexOf('SHIP'));

function isSilentlyOutdated({ hub }: World, loop: Loop): boolean {
  const tip = hub.refs.get('refs/heads/main');
  if (!awaitsMerge(loop) || !isReviewed(loop) || tip === undefined || loop.shipping?.outdated !== undefined)
    return false;
  const { pull, head } = loop.review;
  if (hub.pulls.get(pull)?.state !== 'open' || hub.commits.isAncestor(tip, head)) return false;
  const [before, now] = [loop.started.base.sha, tip].map((sha) => hub.commits.get(sha).files);
  return before !== undefined && now !== undefined && changedBetween(before, now).some(bearsOnProof);
}

const BOUND_DOCUMENTS = ['requirement.md', 'spec.md', 'plan.md', 'acceptance.json', 'tasks.json'];

function unapproved(world: World, { run, loop, approval }: World['records']['dispatched'][number]): string | undefined {
  const { hub, jobs, crowd, outside } = world;
  if (run.inputs.phase !== 'BUILD') return undefined;
  const text = outside.briefs.get(run.inputs.brief ?? '');
  if (loop === undefined || text === undefined) return `run ${run.id} belongs to no loop or has no brief`;
  const by = approval?.by.login;
  if (approval === undefined) return `run ${run.id} of ${suffixOf(loop.ref)} started without an approval`;
  if (!['write', 'maintain', 'admin'].includes(hub.people.find(({ login }) => login === by)?.role ?? 'none'))
    return `run ${run.id} was approved by @${by}`;
  const brief = jobs.done.find((done) => done.run === run)?.brief;
  if (brief === undefined) return undefined;
  const isSeen = crowd.approvals.some(({ by: login, atMs }) => {
    if (login !== by || atMs > run.startedMs) return false;
    const folder = `.loopwright/${suffixOf(loop.ref)}/`;
    const seen = headsBefore(world, `refs/heads/${loop.started?.branch}`, atMs);
    return seen.some((commit) =>
      brief.documents
        .filter(({ path }) => BOUND_DOCUMENTS.some((name) => path === `${folder}${name}`))
        .every(({ path, text: approved }) => commit.files.get(path) === approved),
    );
  });
  return isSeen ? undefined : `run ${run.id}: nobody approved the documents that it builds`;
}

/** What the branch held when somebody pressed a button: where it was then, and a minute before. */
function headsBefore({ hub }: World, ref: string, atMs: number): readonly Commit[] {
  const moves = hub.moves.filter((move) => move.ref === ref && move.atMs <= atMs);
  return moves.slice(-2).flatMap(({ sha }) => (sha === undefined ? [] : [hub.commits.get(sha)]));
}

function lostLine({ hub }: World): string | undefined {
  const landed = hub.moves.flatMap(({ by, sha }) =>
    by === APP.login && sha !== undefined ? [hub.commits.get(sha)] : [],
  );
  for (const commit of landed) {
    const [parent, second] = commit.parents;
    if (parent === undefined || commit.by !== 'app') continue;
    const before = second === undefined ? hub.commits.get(parent).files : mergedBefore(hub, parent, second);
    for (const [path, text] of before) {
      const kept = new Set(linesOfPeople(commit.files.get(path) ?? ''));
      const lost = path.startsWith('.loopwright/') ? undefined : linesOfPeople(text).find((line) => !kept.has(line));
      if (lost !== undefined)
        return `"${lost}" of ${path} is gone in ${commit.sha.slice(0, 7)} (${commit.message.split('\n')[0]})`;
    }
  }
  return undefined;
}

function mergedBefore(hub: World['hub'], left: string, right: string): Commit['files'] {
  const merged = hub.commits.merge(left, right);
  return 'files' in merged ? merged.files : hub.commits.get(left).files;
}
