/** The edges of a process: where each entry may lead, and which bounded counter every way back consumes. Pure; the table's proofs stand on it. */
import type { LIMITS, Process } from './phases.ts';
import { type PhaseName, phaseName } from './terms.ts';

/** Counters that only ever rise, each with a limit: iterations by the loop's own, the others by LIMITS. */
export type Counter = keyof typeof LIMITS | 'iterations';

export interface Edge {
  readonly from: PhaseName;
  readonly to: PhaseName;
  /** What happened: its gates passed or failed, a person sent it back, its ground moved, a person changed the approved documents, its iterations are used up, it was interrupted, or it is behind its base. */
  readonly because:
    | 'pass'
    | 'fail'
    | 'back'
    | 'moved'
    | 'documents'
    | 'exhausted'
    | 'interrupted'
    | 'behind'
    | 'cancelled';
  /** The counter that taking it consumes; undefined on a way forward. */
  readonly consumes: Counter | undefined;
}

/** Every edge that the decisions can take, but for those of `/rerun`, which consumes a person's grant. */
export function edgesOf(process: Process): readonly Edge[] {
  return phaseName.options.flatMap((from) => edgesFrom(from, process));
}

function edgesFrom(from: PhaseName, process: Process): readonly Edge[] {
  const phase = process[from];
  const begin = phaseName.options.find((name) => process[name].opens === 'iteration');
  const proof = phaseName.options.find((name) => process[name].work === 'land');
  const redraft = phaseName.options.map((name) => process[name].back?.default).find((name) => name !== undefined);
  const wanted: readonly (Omit<Edge, 'from' | 'to'> & { readonly to: PhaseName | 'done' | undefined })[] = [
    { to: phase.pass, because: 'pass', consumes: undefined },
    { to: phase.fail, because: 'fail', consumes: phase.counts },
    ...Object.values(phase.mends ?? {}).map((to) => ({ to, because: 'fail', consumes: phase.counts }) as const),
    { to: phase.back?.default, because: 'back', consumes: phase.back?.default === begin ? 'iterations' : 'rounds' },
    { to: phase.back?.spec, because: 'back', consumes: 'rounds' },
    { to: phase.back?.plan, because: 'back', consumes: 'rounds' },
    { to: phase.replan, because: 'moved', consumes: 'rounds' },
    { to: phase.needs === 'approval' ? redraft : undefined, because: 'documents', consumes: 'rounds' },
    { to: phase.counts === 'iterations' ? phase.replan : undefined, because: 'exhausted', consumes: 'plans' },
    { to: phase.needs === 'approval' ? begin : undefined, because: 'interrupted', consumes: 'interruptions' },
    { to: phase.promotes === undefined ? undefined : proof, because: 'behind', consumes: 'merges' },
    {
      to: phase.report === undefined ? undefined : (phase.runOf ?? from),
      because: 'cancelled',
      consumes: 'cancellations',
    },
  ];
  return wanted.flatMap(({ to, because, consumes }) =>
    to === undefined || to === 'done' ? [] : [{ from, to, because, consumes }],
  );
}

/** Whether the edge leads to where the loop has been already. */
export function leadsBack({ from, to }: Edge): boolean {
  return phaseName.options.indexOf(to) <= phaseName.options.indexOf(from);
}
