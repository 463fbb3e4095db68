/** Webhooks that a fault holds back: each for itself, or a group that leaves in the opposite order. What is held is stored as such, so no crash loses it. */
import type { Delivery } from '../records.ts';
import type { Fresh } from './webhooks.ts';

export interface HoldingOptions {
  /** Stores it as held. */
  readonly hold: (fresh: Fresh) => Delivery;
  /** Lets it go. */
  readonly send: (held: Delivery) => void;
  /** What a former process held; it goes now. */
  readonly left: readonly Delivery[];
}

export interface Holding {
  readonly alone: (fresh: Fresh, forMs: number) => void;
  /** With others of its repository that come within this time of the first. */
  readonly together: (fresh: Fresh, forMs: number) => void;
  readonly release: () => void;
}

interface Group {
  readonly held: Delivery[];
  readonly timer: NodeJS.Timeout;
}

export function createHolding({ hold, send, left }: HoldingOptions): Holding {
  const groups = new Set<Group>();
  const gathering = new Map<number, Group>();
  const end = (group: Group): void => {
    clearTimeout(group.timer);
    if (!groups.delete(group)) return;
    for (const [repositoryId, one] of gathering) if (one === group) gathering.delete(repositoryId);
    for (const delivery of group.held.toReversed()) send(delivery);
  };
  const begin = (forMs: number): Group => {
    const group: Group = { held: [], timer: setTimeout(() => end(group), forMs) };
    groups.add(group);
    return group;
  };
  for (const delivery of left) send(delivery);
  return {
    alone: (fresh, forMs) => void begin(forMs).held.push(hold(fresh)),
    together: (fresh, forMs) => {
      const group = gathering.get(fresh.repositoryId) ?? begin(forMs);
      gathering.set(fresh.repositoryId, group);
      group.held.push(hold(fresh));
    },
    release: () => {
      for (const group of groups) end(group);
    },
  };
}
