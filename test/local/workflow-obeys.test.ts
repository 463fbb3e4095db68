/** What a workflow says is obeyed, or the run says that it is not. */
import { afterAll, describe, expect, it } from 'vitest';
import { oneJob, removeTemporaryDirectories, runWorkflow } from './workflow-kit.ts';

afterAll(removeTemporaryDirectories);

const annotationsOf = (record: Awaited<ReturnType<typeof runWorkflow>>) =>
  record.result.jobs.flatMap(({ annotations }) => annotations.map(({ level, message }) => `${level}: ${message}`));

describe('what is obeyed', () => {
  it('after a timeout of the job: a step that always runs', async () => {
    const { result, log } = await runWorkflow(
      oneJob(
        '- run: sleep 30\n- run: echo never\n- run: echo cleaned\n  if: always()\n- run: echo told\n  if: cancelled()',
        '    timeout-minutes: 0.01\n',
      ),
    );
    expect(result.conclusion).toBe('cancelled');
    expect(log('only')).toContain('Z cleaned');
    expect(log('only')).toContain('Z told');
    expect(log('only')).not.toContain('Z never');
    expect(result.jobs[0]?.steps.map(({ conclusion }) => conclusion)).toEqual([
      'cancelled',
      'cancelled',
      'success',
      'success',
    ]);
  });

  const matrix = (more: string) => `on: push
jobs:
  test:
    runs-on: ubuntu-latest
    strategy: { ${more}matrix: { a: [1, 2, 3] } }
    steps: [{ run: 'test "\${{ matrix.a }}" != 1' }]
`;
  it.each([
    ['', ['failure', 'cancelled', 'cancelled']],
    ['fail-fast: true, ', ['failure', 'cancelled', 'cancelled']],
    ['fail-fast: false, ', ['failure', 'success', 'success']],
  ])('of a matrix with "%s" the rest', async (more, conclusions) => {
    const { result } = await runWorkflow(matrix(more));
    expect(result.jobs.map(({ conclusion }) => conclusion)).toEqual(conclusions);
    expect(result.conclusion).toBe('failure');
  });

  it('the branches of a pull request', async () => {
    const payload = { pull_request: { head: { ref: 'feature' }, base: { ref: 'main' } } };
    const { log } = await runWorkflow(
      oneJob(`- run: echo "$GITHUB_HEAD_REF into $GITHUB_BASE_REF, \${{ github.head_ref }}"`),
      {
        event: 'pull_request',
        payload,
      },
    );
    expect(log('only')).toContain('feature into main, feature');
    const pushed = await runWorkflow(oneJob(`- run: echo "[$GITHUB_HEAD_REF\${{ github.base_ref }}]"`));
    expect(pushed.log('only')).toContain('Z []');
  });
});

describe('what is not obeyed is a warning of the job', () => {
  it.each([
    [
      'runs-on',
      'runs-on: windows-latest',
      'runs-on: windows-latest is not obeyed: every job runs on this machine, which is Linux.',
    ],
    [
      'runs-on',
      'runs-on: [self-hosted, macOS]',
      'runs-on: self-hosted, macOS is not obeyed: every job runs on this machine, which is Linux.',
    ],
    [
      'environment',
      'runs-on: ubuntu-latest\n    environment: production',
      'environment: production is not obeyed: there are no environments here, so nobody is asked and no secret of one is given.',
    ],
    [
      'concurrency',
      'runs-on: ubuntu-latest\n    concurrency: one',
      'concurrency of the job is not obeyed: only that of the workflow is.',
    ],
  ])('%s: %s', async (_, keys, message) => {
    const record = await runWorkflow(`on: push\njobs:\n  only:\n    ${keys}\n    steps: [{ run: 'true' }]\n`);
    expect(annotationsOf(record)).toEqual([`warning: ${message}`]);
  });

  it('other triggers, once for the run', async () => {
    const record = await runWorkflow(
      "on: { push: {}, schedule: [{ cron: '0 0 * * *' }], release: {} }\njobs:\n  a: { runs-on: ubuntu-latest, steps: [{ run: 'true' }] }\n  b: { runs-on: ubuntu-latest, steps: [{ run: 'true' }] }\n",
    );
    expect(annotationsOf(record)).toEqual([
      'warning: on: schedule, release is not obeyed: here a push, a pull request and a dispatch start workflows.',
    ]);
  });

  it('and nothing is said of a workflow that is obeyed', async () => {
    expect(annotationsOf(await runWorkflow(oneJob("- run: 'true'", '    timeout-minutes: 5\n')))).toEqual([]);
  });
});
