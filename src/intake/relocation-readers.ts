/** A repository that was renamed, transferred or given to another installation: its loops go on where it is now. */
import type { RepositoryRef } from '../github/github-port.ts';
import { idOf, type LoopRef } from '../loop/terms.ts';
import type { Ports } from '../ports.ts';
import { openIn, readyIn } from './loop-lookup.ts';
import { installedAt, isSamePlace, type Located, placeAt, saidOf } from './place.ts';
import type { Meaning, Reader, Readers, Taking } from './reader.ts';
import { hearReady, newsTo } from './standing-readers.ts';

const moved: Reader<'repository.renamed' | 'repository.transferred'> = (payload: Located, taking) =>
  relocated([saidOf(payload)], taking);

export const relocationReaders: Readers<
  'repository.renamed' | 'repository.transferred' | 'installation.created' | 'installation_repositories.added'
> = {
  'repository.renamed': moved,
  'repository.transferred': moved,
  'installation.created': ({ installation, repositories }, taking) =>
    installed(installedAt(installation.id, repositories ?? []), taking),
  'installation_repositories.added': ({ installation, repositories_added }, taking) =>
    installed(installedAt(installation.id, repositories_added), taking),
};

async function installed(said: readonly RepositoryRef[], taking: Taking): Promise<readonly Meaning[]> {
  for (const one of said) {
    const place = placeAt(one, taking.ports);
    await hearReady(await readyIn(taking.ports.store, one.repositoryId), (ref) => place.of(ref), taking);
  }
  return relocated(said, taking);
}

/** Tells the open loops of the repositories that are elsewhere by now, and those that waited for the App to be there again. */
async function relocated(said: readonly RepositoryRef[], taking: Taking): Promise<readonly Meaning[]> {
  const { at, ports } = taking;
  const open = await openIn(ports.store, new Set(said.map(({ repositoryId }) => repositoryId)));
  const meanings: Meaning[] = [];
  for (const one of said) {
    const place = placeAt(one, ports);
    const here = open.filter(({ loop: { ref } }) => ref.repositoryId === one.repositoryId);
    for (const { loop } of here) {
      const ref = await place.of(loop.ref);
      if (!isSamePlace(ref, loop.ref)) meanings.push(relocation(ref, at));
    }
    const waiting = here.filter(({ loop }) => loop.withheld !== undefined);
    meanings.push(...(await newsTo(waiting, (ref) => place.of(ref), taking)));
  }
  return meanings;
}

/** The meanings, and before them for each loop that is spoken to the place where it is now, where it knows another. */
export async function withRelocations(
  meanings: readonly Meaning[],
  { at, ports: { store } }: { readonly at: string; readonly ports: Pick<Ports, 'store'> },
): Promise<readonly Meaning[]> {
  const spokenTo = new Map(meanings.map(({ ref }) => [idOf(ref), ref]));
  const relocations: Meaning[] = [];
  for (const [id, ref] of spokenTo) {
    const stored = await store.load(id);
    if (stored !== undefined && !isSamePlace(stored.loop.ref, ref)) relocations.push(relocation(ref, at));
  }
  return [...relocations, ...meanings.filter(({ event }) => event.type !== 'relocated')];
}

function relocation(ref: LoopRef, at: string): Meaning {
  const { installationId, owner, repo } = ref;
  return { ref, event: { type: 'relocated', at, installationId, owner, repo } };
}
