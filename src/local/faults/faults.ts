/** The faults that are armed, and how often each has struck; they survive a restart. */
import type { FaultRecord } from '../records.ts';
import type { State } from '../state.ts';
import {
  type Asked,
  type Fault,
  isAbout,
  isAboutWebhook,
  type RequestFault,
  type WebhookFault,
} from './fault-rules.ts';

export interface Faults {
  readonly all: () => readonly FaultRecord[];
  readonly add: (fault: Fault) => FaultRecord;
  /** False when there is no such fault. */
  readonly remove: (id: number) => boolean;
  readonly clear: () => void;
  /** The first fault that strikes the request, counted as struck; `kind` is its method and route. */
  readonly ofRequest: (asked: Asked, kind: string) => RequestFault | undefined;
  readonly ofWebhook: (event: string, action: string | undefined) => WebhookFault | undefined;
}

/** Opens the faults as a former process left them. */
export function openFaults({ faults: stored }: Pick<State, 'faults'>): Faults {
  const armed = new Map(stored.find({}).map((record) => [record.id, record]));
  const strikes = (record: FaultRecord, kind: string): boolean => {
    const counted = countedOf(record, kind);
    if (counted.change !== undefined) armed.set(record.id, stored.update(record.id, counted.change));
    return counted.strikes;
  };
  /** The first of these that strikes; each that is asked counts one more. */
  const first = <One extends Fault>(about: (fault: Fault) => fault is One, kind: string): One | undefined => {
    for (const record of armed.values()) {
      const { fault } = record;
      if (about(fault) && strikes(record, kind)) return fault;
    }
    return undefined;
  };
  return {
    all: () => [...armed.values()],
    add: (fault) => {
      const record = stored.insert({ fault, passed: {}, struck: {} });
      armed.set(record.id, record);
      return record;
    },
    remove: (id) => {
      if (!armed.delete(id)) return false;
      stored.remove(id);
      return true;
    },
    clear: () => {
      for (const id of armed.keys()) stored.remove(id);
      armed.clear();
    },
    ofRequest: (asked, kind) =>
      first((fault): fault is RequestFault => !('webhook' in fault) && isAbout(fault, asked), kind),
    ofWebhook: (event, action) =>
      first(
        (fault): fault is WebhookFault => 'webhook' in fault && isAboutWebhook(fault, event, action),
        action === undefined ? event : `${event}.${action}`,
      ),
  };
}

interface Counted {
  readonly strikes: boolean;
  /** Absent where the fault has struck for the last time. */
  readonly change?: Pick<FaultRecord, 'passed' | 'struck'>;
}

/** What the fault is after one more that it is about. */
function countedOf({ fault, passed, struck }: FaultRecord, kind: string): Counted {
  const counter = 'countedBy' in fault && fault.countedBy === 'route' ? kind : ALL;
  const count = passed[counter] ?? 0;
  const { after, times = Number.POSITIVE_INFINITY } = fault;
  if (count >= after + times) return { strikes: false };
  const counted = { ...passed, [counter]: count + 1 };
  if (count < after) return { strikes: false, change: { passed: counted, struck } };
  return { strikes: true, change: { passed: counted, struck: { ...struck, [kind]: (struck[kind] ?? 0) + 1 } } };
}

/** The counter of a rule that counts everything together. */
const ALL = 'all';
