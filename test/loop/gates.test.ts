import { describe, expect, it } from 'vitest';
import { allPassed, GATES, thresholdOf, verdictsOf } from '../../src/loop/gates.ts';
import { type ToolName, toolName } from '../../src/loop/tools.ts';
import { GUARDRAILS } from '../guardrails.ts';
import { measured, RAW } from './world.ts';

const measurement = (name: string, value: number) => ({
  name,
  value,
  unit: 'score' as const,
  source: 'test',
  raw: RAW,
});

describe('gates', () => {
  const standard = {
    surface: undefined,
    thresholds: GUARDRAILS.thresholds,
    strength: 'required' as const,
    tools: toolName.options,
  };

  it.each(GATES.map((gate) => [`${gate.phase} ${gate.name} ${gate.operator}`, gate] as const))(
    '%s: passes at its threshold, fails beyond it, blocks without a value or a threshold',
    (_, gate) => {
      const { phase, name, operator } = gate;
      const threshold = thresholdOf(gate, GUARDRAILS.thresholds) ?? Number.NaN;
      const others = measured(phase, true).filter((other) => other.name !== name);
      const passes = (...own: ReturnType<typeof measurement>[]) =>
        allPassed(verdictsOf({ ...standard, phase }, [...others, ...own]));
      expect(passes(measurement(name, threshold))).toBe(true);
      expect(passes(measurement(name, operator === '<=' ? threshold + 0.001 : threshold - 0.001))).toBe(false);
      expect(passes()).toBe(false);
      expect(passes(measurement(name, Number.NaN))).toBe(false);
      expect(passes(measurement(name, threshold), measurement(name, threshold))).toBe(false);
      const unknown = { ...standard, phase, thresholds: { [phase]: {} } };
      expect(verdictsOf(unknown, measured(phase, true)).every(({ passed }) => passed)).toBe(false);
    },
  );

  it('are there for a tool only where the repository has it', () => {
    const named = (tools: readonly ToolName[] | undefined) =>
      verdictsOf({ ...standard, phase: 'VERIFY', tools }, []).map(({ name }) => name);
    const without = named(undefined);
    expect(without).toContain('security_findings');
    expect(without.filter((name) => /^(lint|type|scan)_/.test(name))).toEqual([]);
    expect(named(['types']).filter((name) => !without.includes(name))).toEqual(['type_findings']);
  });

  it.each(['reported', undefined] as const)(
    'tell how strong the tests are, and block by it only where that is required: %s',
    (strength) => {
      const weak = [
        ...measured('VERIFY', true).filter(({ name }) => name !== 'mutation_score'),
        measurement('mutation_score', 0.2),
      ];
      const judged = (own: typeof weak) => verdictsOf({ ...standard, strength, phase: 'VERIFY' }, own);
      expect(judged(weak).find(({ name }) => name === 'mutation_score')).toEqual({
        ...{ name: 'mutation_score', value: 0.2, threshold: '>= 0.8', passed: false, advisory: true },
      });
      expect(allPassed(judged(weak))).toBe(true);
      expect(allPassed(judged(weak.filter(({ name }) => name !== 'mutation_score')))).toBe(true);
      expect(allPassed(judged(weak.filter(({ name }) => name !== 'evidence_gaps')))).toBe(false);
      expect(allPassed(verdictsOf({ ...standard, phase: 'VERIFY' }, weak))).toBe(false);
    },
  );

  it('ask a command line for no request latency, and an unknown surface for everything', () => {
    const names = (surface: 'cli' | 'http' | undefined) =>
      verdictsOf({ ...standard, phase: 'VERIFY', surface }, []).map(({ name }) => name);
    expect(names('cli')).not.toContain('p95_ms');
    expect(names('http')).toContain('p95_ms');
    expect(names(undefined)).toContain('p95_ms');
  });
});
