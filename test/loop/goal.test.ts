import { describe, expect, it } from 'vitest';
import { goalOrRefusal } from '../../src/context/start.ts';
import { type Goal, priorityOf } from '../../src/loop/goal.ts';

const fenced = (text: string) => `Please do this.\n\n\`\`\`yaml\n${text}\n\`\`\`\n`;
const GOOD =
  'kind: performance\nobjective: Answer searches quickly\nmetrics:\n  - { name: p95_ms, operator: "<=", value: 100, unit: ms }';

function asGoal(text: string): Goal {
  const read = goalOrRefusal(fenced(text));
  if (typeof read !== 'object') throw new Error(read ?? 'no goal was found');
  return read;
}

describe('the goal block of an issue', () => {
  it('is optional, and other code blocks are none', () => {
    expect(goalOrRefusal('Free text.')).toBeUndefined();
    expect(goalOrRefusal(fenced('services:\n  web: {}'))).toBeUndefined();
  });

  it.each([
    [
      'in one line of JSON',
      '{"kind":"feature","objective":"Answer searches","metrics":[{"name":"p95_ms","operator":"<=","value":100}]}',
    ],
    [
      'in one line of YAML',
      '{ kind: feature, metrics: [{ name: p95_ms, operator: <=, value: 100 }], objective: Answer searches }',
    ],
  ])('is found %s', (_, text) => {
    expect(goalOrRefusal(fenced(text))).toMatchObject({ kind: 'feature', metrics: [{ name: 'p95_ms', unit: '' }] });
  });

  it('says in which class it is served', () => {
    expect(priorityOf(asGoal(GOOD))).toBe('routine');
    expect(priorityOf(asGoal(GOOD.replace('performance', 'vulnerability-fix')))).toBe('vulnerability');
    expect(priorityOf(asGoal(`${GOOD}\npriority: incident`))).toBe('incident');
  });

  it('is read with its limits', () => {
    expect(goalOrRefusal(fenced(`${GOOD}\nlimits: { iterations: 4, usd: 1.5 }`))).toMatchObject({
      kind: 'performance',
      limits: { iterations: 4, usd: 1.5 },
    });
  });

  it.each([
    [
      'has no metric (S1-47)',
      'kind: feature\nobjective: Make it nicer please',
      'The goal has no quantitative acceptance metric ("metrics"), so nothing could prove that it is reached; add for example `metrics: [{name: uat_pass_rate, operator: ">=", value: 0.95}]` and set the label again.',
    ],
    [
      'has an empty list of metrics',
      'kind: feature\nobjective: Make it nicer please\nmetrics: []',
      'The goal has no quantitative acceptance metric ("metrics"), so nothing could prove that it is reached; add for example `metrics: [{name: uat_pass_rate, operator: ">=", value: 0.95}]` and set the label again.',
    ],
    [
      'is malformed YAML',
      'objective: [unclosed\nmetrics: {',
      'The goal block is not valid YAML at line 2, column 1 of the block: Flow sequence in block collection must be sufficiently indented and end with a ]. Correct it and set the label again.',
    ],
    [
      'refers to an anchor that is not there',
      'objective: *wish\nmetrics: []',
      'The goal block is not valid YAML at line 1, column 12 of the block: Unresolved alias (the anchor must be set before the alias): wish. Correct it and set the label again.',
    ],
    [
      'grows without bounds when its aliases are followed',
      `a: &a [x, x, x, x, x, x, x, x, x, x]\nb: &b [${Array(10).fill('*a')}]\nc: &c [${Array(10).fill('*b')}]\nobjective: [${Array(10).fill('*c')}]`,
      'The goal block is not valid YAML at line 2, column 8 of the block: Excessive alias count indicates a resource exhaustion attack. Correct it and set the label again.',
    ],
    ...['../..', '/etc', '**', 'a\\b', 'src/./x'].map((path): [string, string, string] => [
      `sets ${path} out of bounds`,
      `${GOOD}\nboundaries: { paths: ['${path}'] }`,
      'The goal\'s "boundaries.paths.0" is refused: name a file or folder of the repository, like `src/auth`; correct it and set the label again.',
    ]),
    [
      'has an unknown key',
      `${GOOD}\nspeed: 3`,
      'The goal has an unknown key "speed"; remove it and set the label again.',
    ],
  ])('is refused with one sentence when it %s', (_, text, sentence) => {
    expect(goalOrRefusal(fenced(text))).toBe(sentence);
  });
});
