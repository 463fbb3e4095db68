import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { allPassed, GATES, verdictsOf } from '../../src/loop/gates.ts';
import { phaseName } from '../../src/loop/terms.ts';
import { measured, RAW } from './world.ts';

const measurement = (name: string, value: number) => ({
  name,
  value,
  unit: 'score' as const,
  source: 'test',
  raw: RAW,
});

describe('gates', () => {
  it.each(GATES.map((gate) => [`${gate.phase} ${gate.name} ${gate.operator} ${gate.threshold}`, gate] as const))(
    '%s: passes at its threshold, fails beyond it, blocks without a value',
    (_, { phase, name, operator, threshold }) => {
      const others = measured(phase, true).filter((other) => other.name !== name);
      const passes = (...own: ReturnType<typeof measurement>[]) =>
        allPassed(verdictsOf(phase, [...others, ...own], undefined));
      expect(passes(measurement(name, threshold))).toBe(true);
      expect(passes(measurement(name, operator === '<=' ? threshold + 0.001 : threshold - 0.001))).toBe(false);
      expect(passes()).toBe(false);
      expect(passes(measurement(name, Number.NaN))).toBe(false);
      expect(passes(measurement(name, threshold), measurement(name, threshold))).toBe(false);
    },
  );

  it('ask a command line for no request latency, and an unknown surface for everything', () => {
    const names = (surface: 'cli' | 'http' | undefined) => verdictsOf('VERIFY', [], surface).map(({ name }) => name);
    expect(names('cli')).not.toContain('p95_ms');
    expect(names('http')).toContain('p95_ms');
    expect(names(undefined)).toContain('p95_ms');
  });

  it('are stated for people with the same numbers that the code reads', () => {
    const stated: unknown = parse(readFileSync(new URL('../../config/guardrails.yaml', import.meta.url), 'utf8'));
    const expected = Object.fromEntries(
      phaseName.options.flatMap((phase) => {
        const own = GATES.filter((gate) => gate.phase === phase);
        return own.length === 0
          ? []
          : [
              [
                phase,
                Object.fromEntries(own.map(({ name, operator, threshold }) => [name, `${operator} ${threshold}`])),
              ],
            ];
      }),
    );
    expect(stated).toEqual({ thresholds: expected, sensitive: expect.anything() });
  });
});
