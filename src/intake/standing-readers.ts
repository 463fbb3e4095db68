/** A right of the App that was taken or given back, on GitHub's settings pages: its loops wait, or go on. GitHub is asked what holds now. */
import { newsOf } from '../engine/standing.ts';
import { GoneError, WithheldError } from '../errors.ts';
import type { RepositoryRef } from '../github/github-port.ts';
import type { LoopRef } from '../loop/terms.ts';
import type { StoredLoop } from '../ports.ts';
import { openIn, openOf, readyOf } from './loop-lookup.ts';
import type { PayloadName } from './payloads.ts';
import { installedAt, type Located, placeOf } from './place.ts';
import type { Meaning, Reader, Readers, Taking } from './reader.ts';

type OfRepository = Extract<PayloadName, `repository.${'archived' | 'unarchived' | 'privatized' | 'publicized'}`>;
type OfInstallation = Extract<PayloadName, `installation.${'suspend' | 'unsuspend' | 'new_permissions_accepted'}`>;

const ofRepository: Reader<OfRepository> = async (payload: Located, taking) => {
  const place = placeOf(payload, taking.ports);
  return newsTo(await openIn(taking.ports.store, new Set([payload.repository.id])), (ref) => place.of(ref), taking);
};

const ofInstallation: Reader<OfInstallation> = async ({ installation }, taking) =>
  newsTo(await openOf(taking.ports.store, installation.id), async (ref) => ref, taking);

const unsuspended: Reader<'installation.unsuspend'> = async (payload, taking) => {
  await hearReady(await readyOf(taking.ports.store, payload.installation.id), async (ref) => ref, taking);
  return ofInstallation(payload, taking);
};

export const standingReaders: Readers<OfRepository | OfInstallation | 'installation_repositories.removed'> = {
  'repository.archived': ofRepository,
  'repository.unarchived': ofRepository,
  'repository.privatized': ofRepository,
  'repository.publicized': ofRepository,
  'installation.suspend': ofInstallation,
  'installation.unsuspend': unsuspended,
  'installation.new_permissions_accepted': ofInstallation,
  'installation_repositories.removed': async ({ installation, repositories_removed: removed }, taking) => {
    const ids = installedAt(installation.id, removed).map(({ repositoryId }) => repositoryId);
    return newsTo(await openIn(taking.ports.store, new Set(ids)), async (ref) => ref, taking);
  },
};

/** Takes in what was said and done about pull requests that are ready while GitHub told nothing. Where the App may not read it (again), nothing is said of it. */
export async function hearReady(
  loops: readonly StoredLoop[],
  placeOfLoop: (ref: LoopRef) => Promise<LoopRef>,
  { hearMeanwhile }: Taking,
): Promise<void> {
  for (const { loop } of loops) {
    try {
      await hearMeanwhile({ ...loop, ref: await placeOfLoop(loop.ref) });
    } catch (error) {
      if (!(error instanceof WithheldError) && !(error instanceof GoneError)) throw error;
    }
  }
}

/** What the loops hear; each repository is asked about once. */
export async function newsTo(
  loops: readonly StoredLoop[],
  placeOfLoop: (ref: LoopRef) => Promise<LoopRef>,
  { at, ports, hearMeanwhile }: Taking,
): Promise<readonly Meaning[]> {
  const asked = new Map<number, ReturnType<typeof ports.github.withheld>>();
  const withheldIn = (ref: RepositoryRef) => {
    const asking = asked.get(ref.repositoryId) ?? ports.github.withheld(ref);
    asked.set(ref.repositoryId, asking);
    return asking;
  };
  const meanings: Meaning[] = [];
  for (const { loop } of loops) {
    const ref = await placeOfLoop(loop.ref);
    const news = await newsOf({ ...loop, ref }, { withheld: await withheldIn(ref), at }, { ...ports, hearMeanwhile });
    meanings.push(...news.map((event, position) => ({ ref, event, position })));
  }
  return meanings;
}
