/** Whether what `doctor` reads of rules, the environment and the webhook is answered with the App's own permissions. */
import { type Finding, ok, wrong } from '../doctor/finding.ts';
import { GoneError, LoopError } from '../errors.ts';
import type { RepositoryInspection } from '../github/inspection-port.ts';
import { JOB_ENVIRONMENT } from '../settings/config.ts';
import type { Scratch } from './scratch.ts';

type Read = readonly [what: string, ask: () => Promise<unknown>];

/** What is not there is an answer too. */
export async function readsOfDoctor(scratch: Scratch): Promise<Finding> {
  const reads = readsIn(scratch, await insideOf(scratch));
  const refused: string[] = [];
  for (const [what, ask] of reads) if (await isRefused(ask)) refused.push(what);
  return refused.length === 0
    ? ok(`The App may read ${reads.map(([what]) => what).join(', ')}.`)
    : wrong(
        `The App may not read ${refused.join(', ')}: \`doctor\` says nothing of it here.`,
        'Look at those settings yourself, and tell the maintainers which permission GitHub names for it.',
      );
}

async function insideOf({ inspection, repository }: Scratch): Promise<RepositoryInspection> {
  const { owner, repo, installationId } = repository;
  const place = { owner, repo };
  return inspection.inside(place, installationId, await inspection.repository(place, installationId));
}

function readsIn({ inspection }: Scratch, inside: RepositoryInspection): readonly Read[] {
  return [
    ['the rules of the default branch', () => inside.rules()],
    ['who may bypass them', () => bypasses(inside)],
    ['its protection', () => inside.protection()],
    [`the environment \`${JOB_ENVIRONMENT}\``, () => inside.environment(JOB_ENVIRONMENT)],
    ["the App's webhook", () => inspection.hook()],
    ['its deliveries', () => inspection.deliveries()],
  ];
}

async function bypasses(inside: RepositoryInspection): Promise<void> {
  const ids = new Set((await inside.rules()).flatMap(({ rulesetId }) => rulesetId ?? []));
  for (const id of ids) await inside.canBypass(id);
}

async function isRefused(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return false;
  } catch (error) {
    if (error instanceof GoneError) return false;
    if (error instanceof LoopError && (error.status === 403 || error.status === 401)) return true;
    throw error;
  }
}
