import { beforeAll, describe, expect, it } from 'vitest';
import { parseDocument, visit } from 'yaml';
import { asWorkflow, otherLine, withPlacesOf } from '../../src/settings/own-file.ts';
import { differenceIn, setupText, standingOf } from '../../src/settings/setup-files.ts';

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
    ['on a group of machines of an organisation', RUNS_ON, "runs-on: { group: 'acme/big machines' }"],
    ['on a group of an organisation, written without quotes', RUNS_ON, 'runs-on: { labels: x64, group: acme/big }'],
    ['with a space at the end of a line', RUNS_ON, `${RUNS_ON} `],
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
    ['such an end in the remark behind a machine', RUNS_ON, `${RUNS_ON} # \u0085    permissions: write-all`],
    ['one of those that no other letter stands for', RUNS_ON, `${RUNS_ON} # \u2029    permissions: write-all`],
    ['what is no remark behind a machine', RUNS_ON, `${RUNS_ON}# big`],
    ['what is no remark behind a time', MINUTES, `${MINUTES}# slow`],
    ['a letter that no reader takes in place of a value', `    ${RUNS_ON}`, '    runs-on\0'],
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
    ['no machine but a dash', RUNS_ON, 'runs-on: -'],
    ['a value that is none', RUNS_ON, 'runs-on: null'],
    ['such a value as others write it', RUNS_ON, 'runs-on: Null'],
    ['a value that is no name', RUNS_ON, 'runs-on: true'],
    ['such a value in a group', RUNS_ON, 'runs-on: { group: FALSE }'],
    ['labels without a space, which are another key', RUNS_ON, 'runs-on: { labels:x64 }'],
    ['a time of five digits', MINUTES, 'timeout-minutes: 12000'],
    ['a group twice', RUNS_ON, 'runs-on: { group: a, group: b }'],
    ['a group without a space, which is another key', RUNS_ON, 'runs-on: { group:a }'],
    ['an end of a line more than git writes', RUNS_ON, `${RUNS_ON}\r\r`],
    ['no time at all', MINUTES, 'timeout-minutes: 0'],
    ['a time that some read in eights', MINUTES, 'timeout-minutes: 0120'],
    ['no machine', `    ${RUNS_ON}\n`, ''],
    ['no time', `    ${MINUTES}\n`, ''],
  ])('with %s is not', async (_, from, to) => {
    expect(await standing(BUILD, from, to)).toBe('differs');
  });
});

it('a workflow with a remark as long as a file may be is read in no more time than others', async () => {
  expect(await standingOf(`# ${' '.repeat(250_000)}x\n${build}`, BUILD, 'github.com')).toBe('moved');
});

it('an action behind as many empty lines as a file may hold is, too', async () => {
  expect(await standingOf(`${'\n'.repeat(250_000)}${action}`, ACTION, 'github.com')).toBe('differs');
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

  it.each(['', '\n\n'])('with other ends of its last line is the same: %j', async (end) => {
    expect(await standing(ACTION, /\n$/, end)).toBe('same');
  });

  it('with the ends of lines that git writes on Windows is the same', async () => {
    expect(await standingOf(action.replaceAll('\n', '\r\n'), ACTION, 'github.com')).toBe('same');
  });
});

it.each(['loopwright-build.yml', 'loopwright-verify.yml'])(
  'no text of %s goes over several lines, so that a line of it is a remark or is none',
  async (name) => {
    const text = await setupText(['workflows', name], 'github.com');
    const spans: string[] = [];
    visit(parseDocument(text), {
      Scalar(_, { range }) {
        spans.push(text.slice(range?.[0], range?.[1]));
      },
    });
    expect(spans.length).toBeGreaterThan(20);
    expect(spans.filter((span) => span.includes('\n'))).toEqual([]);
  },
);

describe('a difference', () => {
  it('is told with the first line that has it, remarks counted', async () => {
    const there = build.replace(RUNS_ON, `# a remark\n    ${RUNS_ON}`).replace('contents: read', 'contents: write');
    const line = there.split('\n').findIndex((one) => one.includes('contents: write')) + 1;
    expect(await differenceIn(there, BUILD, 'github.com')).toBe(
      `it is older, or was changed, first in line ${line}; only \`runs-on\` (labels, a group, or one variable of \`vars\`) and \`timeout-minutes\` (a number), each in one line, and whole lines of remarks may be others`,
    );
    const at = action.split('\n').findIndex((one) => one.includes('sha256sum')) + 1;
    expect(at).toBeGreaterThan(1);
    expect(await differenceIn(action.replace('sha256sum', 'true'), ACTION, 'github.com')).toBe(
      `it is older, or was changed, first in line ${at}`,
    );
  });

  it('is in the last line where more should follow', () => {
    expect(otherLine('a: 1\n', 'a: 1\nb: 2\n', asWorkflow)).toBe(2);
  });
});

describe('a workflow that is written anew', () => {
  const jobs =
    'jobs:\n  one:\n    runs-on: a\n    timeout-minutes: 1\n    steps: []\n  two:\n    runs-on: a\n    timeout-minutes: 2\n';

  it('keeps the machines and the times that are there, job by job', () => {
    const there = build
      .replace(RUNS_ON, 'runs-on: [self-hosted, linux]')
      .replace(MINUTES, 'timeout-minutes: 300 # slow');
    const older = there.replaceAll('v7.0.1', 'v7.0.0').replace('linux]', 'linux]  ').replaceAll('\n', '\r\n');
    expect(withPlacesOf(older, build)).toEqual({ text: there, setBack: [] });
  });

  it('keeps those of a job whatever the others say, and what it does not say as we write it', () => {
    const there = 'jobs:\n  two:\n    timeout-minutes: 9\n  other:\n    runs-on: x\n    timeout-minutes: 7\n';
    const kept = jobs.replace('minutes: 2', 'minutes: 9');
    expect(withPlacesOf(there, jobs)).toEqual({ text: kept, setBack: [] });
  });

  it('says what it sets back, because it is no single value in one line', () => {
    const there =
      'jobs:\n  one:\n    runs-on:\n      - self-hosted\n    timeout-minutes: 5\n    timeout-minutes: 6\n  two:\n    runs-on: b\n';
    expect(withPlacesOf(there, jobs)).toEqual({
      text: jobs.replace(/(two:\n {4}runs-on:) a/, '$1 b'),
      setBack: [
        { key: 'runs-on', job: 'one' },
        { key: 'timeout-minutes', job: 'one' },
      ],
    });
  });

  it('keeps times alone where other machines are asked for', () => {
    const there = jobs.replaceAll('runs-on: a', 'runs-on: b').replace('minutes: 1', 'minutes: 5');
    const kept = jobs.replace('minutes: 1', 'minutes: 5');
    expect(withPlacesOf(there, jobs, ['timeout-minutes']).text).toBe(kept);
  });

  it('takes no line of a job for one of something else', () => {
    const there = 'on:\n  one:\n    runs-on: x\njobs:\n  one:\n    runs-on: b\nother:\n    runs-on: y\n';
    expect(withPlacesOf(there, jobs)).toEqual({ text: jobs.replace('runs-on: a', 'runs-on: b'), setBack: [] });
  });
});
