/** A made-up world for the pure core: who acts in it, what is measured, what people say. No adapters, no clock. */

import type { Event } from '../../src/loop/event.ts';
import { GATES, thresholdOf } from '../../src/loop/gates.ts';
import type { Defect, Measurement } from '../../src/loop/measurement.ts';
import type { CommandName } from '../../src/loop/people/commands.ts';
import type { Actor, LoopRef, PhaseName } from '../../src/loop/terms.ts';
import { GUARDRAILS } from '../guardrails.ts';

export const REF: LoopRef = { installationId: 1, repositoryId: 7, owner: 'acme', repo: 'shop', issue: 12, n: 1 };
export const PERSON: Actor = { id: 1, login: 'maria', type: 'User' };
export const RAW = `sha256:${'0'.repeat(64)}`;
export const SHA = 'a'.repeat(40);

export function timeOf(step: number): string {
  return new Date(Date.UTC(2026, 0, 1) + step * 60_000).toISOString();
}

/** Measurements of a phase that pass every gate, or miss one of them: the named one, or the first. */
export function measured(phase: PhaseName, passes: boolean, missed?: string): Measurement[] {
  const gates = GATES.filter((gate) => gate.phase === phase);
  const red = gates.find(({ name }) => name === missed) ?? gates[0];
  return gates.map((gate) => {
    const { name, operator } = gate;
    const good = thresholdOf(gate, GUARDRAILS.thresholds) ?? Number.NaN;
    const bad = operator === '<=' ? good + 1 : good - 0.5;
    return { name, value: passes || gate !== red ? good : bad, unit: 'score', source: 'world', raw: RAW };
  });
}

export function defect(message: string): Defect {
  return {
    id: message,
    requirement: 'R-1',
    file: null,
    line: null,
    rule: 'test',
    severity: 'blocker',
    message,
    suggestion: null,
  };
}

export function labelledEvent(over: Partial<Extract<Event, { type: 'labelled' }>> = {}): Event {
  return {
    type: 'labelled',
    at: timeOf(0),
    by: PERSON,
    role: 'write',
    issue: { title: 'Add search', body: '', author: PERSON },
    base: { branch: 'main', sha: SHA },
    configDigest: RAW,
    limits: { iterations: 3, usd: 3, checksQuietSeconds: 120, runMinutes: 60 },
    thresholds: GUARDRAILS.thresholds,
    lane: 'feature',
    branch: 'loopwright/12',
    ...over,
  };
}

export function command(
  name: CommandName,
  argument: string,
  at: string,
  over: Partial<Extract<Event, { type: 'commanded' }>> = {},
): Event {
  return {
    type: 'commanded',
    at,
    by: PERSON,
    role: 'write',
    commentId: 99,
    command: name,
    argument,
    permitted: true,
    createdAt: at,
    ...over,
  };
}
