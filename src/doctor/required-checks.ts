/** Looks at the checks of ours that rules require: whether each comes on every head that people want to merge. */
import type { InstallationFacts, RepositoryFacts, RequiredCheck } from '../github/inspection-port.ts';
import { isOfApp } from '../github/required-checks.ts';
import { LOOP_CHECKS, OWN_CHECK } from '../loop/check-run.ts';
import { type Finding, needed, ok, wrong } from './finding.ts';
import { listed } from './look.ts';
import type { Patient } from './patient.ts';

interface Required {
  readonly repository: RepositoryFacts;
  readonly installation: InstallationFacts;
  readonly appId: number;
  readonly all: readonly RequiredCheck[];
  readonly hasQueue: boolean;
}

export async function requiredChecksFinding(patient: Patient): Promise<Finding> {
  const { look, repository, installation } = await patient.ward();
  const [rules, protection] = [await look.rules(), await look.protection()];
  const required: Required = {
    ...{ repository, installation },
    appId: Number(needed(patient.environment.app.APP_ID, 'APP_ID')),
    all: [...rules.flatMap(({ checks }) => checks), ...protection.checks],
    hasQueue: rules.some(({ type }) => type === 'merge_queue'),
  };
  return ofOthers(required) ?? ofNoLoop(required) ?? unheard(required) ?? reported(required);
}

const namesOf = (checks: readonly RequiredCheck[]): readonly string[] => [...new Set(checks.map(({ name }) => name))];

const oursIn = ({ all }: Required): readonly RequiredCheck[] => all.filter(({ name }) => name.startsWith(OWN_CHECK));

function settingsOf({ repository }: Required): string {
  return `${repository.url}/settings/rules`;
}

/** A check of ours counts for nothing where it must be another App's. */
function ofOthers(required: Required): Finding | undefined {
  const names = namesOf(oursIn(required).filter((one) => !isOfApp(one, required.appId)));
  if (names.length === 0) return undefined;
  return wrong(
    `\`${required.repository.defaultBranch}\` requires ${listed(names)} of another App, so that nothing can be merged: what this one reports does not count.`,
    `Choose this App, or any source, for ${listed(names)}: ${settingsOf(required)}`,
  );
}

const BY_LOOPS: readonly string[] = Object.values(LOOP_CHECKS);

/** What loops do not report on their own pull requests. */
function ofNoLoop(required: Required): Finding | undefined {
  const names = namesOf(oursIn(required)).filter((name) => !BY_LOOPS.includes(name));
  if (names.length === 0) return undefined;
  return wrong(
    `\`${required.repository.defaultBranch}\` requires ${listed(names)}, which loops do not report on their pull requests: those cannot be merged.`,
    `Take ${listed(names)} out of the required checks: ${settingsOf(required)}`,
  );
}

/** Where GitHub does not tell the App of merge groups, none gets its check. */
function unheard(required: Required): Finding | undefined {
  const { repository, installation, hasQueue } = required;
  const names = namesOf(oursIn(required));
  if (!hasQueue || names.length === 0) return undefined;
  const reason = deafnessOf(installation);
  if (reason === undefined) return undefined;
  return wrong(
    `\`${repository.defaultBranch}\` requires ${listed(names)} and has a merge queue, of which GitHub does not tell the App, because ${reason.because}: the queue waits in vain, and nothing can be merged.`,
    `${reason.remedy}; until then take ${listed(names)} out of the required checks: ${settingsOf(required)}`,
  );
}

function deafnessOf({ permissions, events, url }: InstallationFacts) {
  if (permissions.merge_queues === undefined)
    return {
      because: 'the installation has not accepted `merge_queues: read`',
      remedy: `Have its owner accept that there: ${url}`,
    };
  if (!events.includes('merge_group'))
    return {
      because: 'it does not subscribe to `merge_group`',
      remedy: 'Subscribe the App to `merge_group`, as app.yml does',
    };
  return undefined;
}

function reported(required: Required): Finding {
  const { repository, all, hasQueue } = required;
  const [ours, names] = [namesOf(oursIn(required)), namesOf(all)];
  if (ours.length > 0)
    return ok(
      `\`${repository.defaultBranch}\` requires ${listed(ours)}; on pull requests that are no loop's${hasQueue ? ' and on merge groups' : ''} the App reports it as neutral, which GitHub lets pass.`,
    );
  const others =
    names.length === 0 ? 'no other one is seen to be' : `${listed(names)} ${names.length === 1 ? 'is' : 'are'}`;
  return ok(`No check of ours is required${hasQueue ? ', so the merge queue waits for none' : ''}; ${others}.`);
}
