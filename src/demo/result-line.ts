/** The demo's last line for programs: one JSON object in which every key is always there, null where nothing is known. */
import type { DemoSummary } from './demo-summary.ts';

type Shape = { readonly [Key in keyof DemoSummary]: DemoSummary[Key] | object | undefined };

const UNKNOWN: Shape & { readonly error: string | undefined } = {
  status: 'failed',
  loop: undefined,
  phases: [],
  pull: undefined,
  evidence: [],
  modelCalls: { total: undefined, outsideBuild: undefined },
  tokens: undefined,
  costUsd: undefined,
  github: { requests: undefined, writes: undefined, creations: undefined },
  sandbox: undefined,
  durationMs: undefined,
  reason: undefined,
  error: undefined,
};

/** `known` is a summary, or as much of one as there is; what it leaves out failed before it could be known. */
export function resultLine(known: object): string {
  return JSON.stringify({ ...UNKNOWN, ...known }, (_key, value: unknown) => value ?? null);
}
