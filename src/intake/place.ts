/** Where a repository is: its name, its owner and its installation change, its id does not. */
import type { RepositoryRef } from '../github/github-port.ts';
import type { LoopRef } from '../loop/terms.ts';
import type { Ports } from '../ports.ts';

/** What of a payload says where its repository is. */
export interface Located {
  readonly repository: { readonly id: number; readonly name: string; readonly owner: { readonly login: string } };
  readonly installation: { readonly id: number };
}

export interface Place {
  /** As the webhook says it. It may be told late, and then again be wrong. */
  readonly said: RepositoryRef;
  /** The loop's ref with the place where its repository is now. GitHub is asked only where the webhook and the loop differ, and at most once. */
  readonly of: (ref: LoopRef) => Promise<LoopRef>;
}

export function placeOf(payload: Located, ports: Pick<Ports, 'github'>): Place {
  return placeAt(saidOf(payload), ports);
}

export function placeAt(said: RepositoryRef, { github }: Pick<Ports, 'github'>): Place {
  let asked: ReturnType<typeof github.locate> | undefined;
  return {
    said,
    async of(ref) {
      if (isSamePlace(ref, said)) return ref;
      asked ??= github.locate(said);
      return { ...ref, ...(await asked) };
    },
  };
}

export function saidOf({ repository: { id, name, owner }, installation }: Located): RepositoryRef {
  return { installationId: installation.id, repositoryId: id, owner: owner.login, repo: name };
}

/** The repositories that a webhook of an installation names. */
export function installedAt(
  installationId: number,
  repositories: readonly { readonly id: number; readonly full_name: string }[],
): readonly RepositoryRef[] {
  return repositories.map(({ id, full_name }) => {
    const [owner = '', repo = ''] = full_name.split('/');
    return { installationId, repositoryId: id, owner, repo };
  });
}

export function isSamePlace(one: Where, other: Where): boolean {
  return one.installationId === other.installationId && one.owner === other.owner && one.repo === other.repo;
}

type Where = Pick<RepositoryRef, 'installationId' | 'owner' | 'repo'>;
