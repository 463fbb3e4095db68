import { beforeAll, describe, expect, it } from 'vitest';
import { setupText, standingOf } from '../../src/settings/setup-files.ts';

const BUILD = ['workflows', 'loopwright-build.yml'] as const;
const ACTION = ['actions', 'loopwright-job', 'action.yml'] as const;
const RUNS_ON = 'runs-on: ubuntu-latest';
const MINUTES = 'timeout-minutes: 120';

let build: string;
let action: string;
beforeAll(async () => {
  build = await setupText(BUILD, 'github.com');
  action = await setupText(ACTION, 'github.com');
});

/** Of one of ours, in which something stands for something else. */
async function standing(place: readonly string[], from: string | RegExp, to: string): Promise<string> {
  const ours = place === BUILD ? build : action;
  const there = ours.replace(from, () => to);
  expect(there).not.toBe(ours);
  return standingOf(there, place, 'github.com');
}

describe('a workflow of ours', () => {
  it.each([
    ['on one machine of somebody', RUNS_ON, 'runs-on: self-hosted'],
    ['on machines with two labels', RUNS_ON, "runs-on: [self-hosted, 'arm64']"],
    ['on a group of machines', RUNS_ON, 'runs-on: { group: big, labels: [linux, x64] }'],
    ['on the machine that a variable of the repository names', RUNS_ON, `runs-on: \${{ vars.RUNNER }}`],
    ['for longer, with the reason', MINUTES, 'timeout-minutes: 300 # large suites'],
    ['with a remark', RUNS_ON, `# ours since March\n    ${RUNS_ON}`],
  ])('%s is ours', async (_, from, to) => {
    expect(await standing(BUILD, from, to)).toBe('moved');
  });

  it('with the ends of lines that git writes on Windows is the same', async () => {
    expect(await standingOf(build.replaceAll('\n', '\r\n'), BUILD, 'github.com')).toBe('same');
  });

  it.each([
    ['more rights behind an end of line that is none for git', RUNS_ON, `${RUNS_ON}\r    permissions: write-all`],
    ['more rights behind another such end', RUNS_ON, `${RUNS_ON}\u0085    permissions: write-all`],
    ['and another', RUNS_ON, `${RUNS_ON} # \u2028    permissions: write-all`],
    [
      'a step in a remark that such an end closes',
      '    steps:\n',
      '    steps:\n      # look\r      - { name: Steal, run: id }\n',
    ],
    ['a text that goes on in the lines below', MINUTES, 'timeout-minutes: "${{ 1 || `'],
    ['the beginning of a list that does', RUNS_ON, 'runs-on: [self-hosted,'],
    ['another key in its place', RUNS_ON, 'runs-on: { group: big, permissions: write-all }'],
    ['an expression that anybody may fill', RUNS_ON, `runs-on: \${{ github.event.issue.title }}`],
    ['a key twice', RUNS_ON, `${RUNS_ON}\n    ${RUNS_ON}`],
    ['a time for a step', '      - name: Run the job', '      - name: Run the job\n        timeout-minutes: 1'],
    ['a machine that is an anchor', RUNS_ON, 'runs-on: &a ubuntu-latest'],
    ['a key without a value', RUNS_ON, 'runs-on'],
    ['no machine', `    ${RUNS_ON}\n`, ''],
    ['no time', `    ${MINUTES}\n`, ''],
  ])('with %s is not', async (_, from, to) => {
    expect(await standing(BUILD, from, to)).toBe('differs');
  });
});

describe('the action of the jobs', () => {
  it.each([
    ['a line of its shell that looks like a machine', 'runs-on: || id'],
    ['one that looks like a time', 'timeout-minutes: ; id'],
    ['a remark, which may cut a command in two', '# cut'],
    ['an empty line', ''],
  ])('with %s is not ours', async (_, line) => {
    expect(await standing(ACTION, /run: \|\n/, `run: |\n        ${line}\n`)).toBe('differs');
  });

  it('with the ends of lines that git writes on Windows is the same', async () => {
    expect(await standingOf(action.replaceAll('\n', '\r\n'), ACTION, 'github.com')).toBe('same');
  });
});
