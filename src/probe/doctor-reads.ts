/** Whether what `doctor` reads of rules, the environment and the webhook is answered with the App's own permissions. */
import { type Finding, ok, wrong } from '../doctor/finding.ts';
import { GoneError, LimitedError, LoopError } from '../errors.ts';
import type { RepositoryInspection } from '../github/inspection-port.ts';
import { JOB_ENVIRONMENT } from '../settings/config.ts';
import type { Scratch } from './scratch.ts';

interface Read {
  readonly what: string;
  readonly ask: () => Promise<unknown>;
  /** Whether a repository may be without it, so that 404 is an answer; of all else there is something, and 404 hides it. */
  readonly mayLack?: boolean;
}

export async function readsOfDoctor(scratch: Scratch): Promise<Finding> {
  const inside = await insideOf(scratch);
  const [read, refused]: [string[], string[]] = [[], []];
  const ids = new Set<number>();
  const look = async ({ what, ask, mayLack = false }: Read): Promise<void> => {
    const status = await refusalOf(ask, mayLack);
    if (status === undefined) read.push(what);
    else refused.push(status === 404 ? `${what} (404)` : what);
  };
  await look({
    what: 'the rules of the default branch',
    ask: async () => {
      for (const { rulesetId } of await inside.rules()) if (rulesetId !== undefined) ids.add(rulesetId);
    },
  });
  // Without a ruleset there is nothing to be read of bypasses.
  if (ids.size > 0)
    await look({
      what: 'who may bypass them',
      ask: async () => {
        for (const id of ids) await inside.canBypass(id);
      },
    });
  for (const one of readsIn(scratch, inside)) await look(one);
  return refused.length === 0
    ? ok(`The App may read ${read.join(', ')}.`)
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
    { what: 'its protection', ask: () => inside.protection(), mayLack: true },
    {
      what: `the environment \`${JOB_ENVIRONMENT}\``,
      ask: () => inside.environment(JOB_ENVIRONMENT),
      mayLack: true,
    },
    { what: "the App's webhook", ask: () => inspection.hook() },
    { what: 'its deliveries', ask: () => inspection.deliveries() },
  ];
}

/** The status by which it was refused. @throws the error of what is no refusal, such as a limit, whatever its status is. */
async function refusalOf(ask: () => Promise<unknown>, mayLack: boolean): Promise<number | undefined> {
  try {
    await ask();
    return undefined;
  } catch (error) {
    if (mayLack && error instanceof GoneError) return undefined;
    if (error instanceof LimitedError) throw error;
    if (error instanceof LoopError && REFUSALS.includes(error.status)) return error.status;
    throw error;
  }
}

const REFUSALS: readonly (number | undefined)[] = [401, 403, 404];
