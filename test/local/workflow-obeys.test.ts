/** What a workflow says is obeyed, or the run says that it is not. */
import { afterAll, describe, expect, it } from 'vitest';
import type { Admission, JobClaim } from '../../src/local/actions/workflow-types.ts';
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

describe('before a job begins', () => {
  const claimed = async (keys: string, answer: Admission) => {
    const claims: Omit<JobClaim, 'cancel'>[] = [];
    const admit = async ({ cancel: _, ...claim }: JobClaim) => {
      claims.push(claim);
      return answer;
    };
    const record = await runWorkflow(oneJob('- run: echo "[$GIVEN]"\n- run: echo after\n  if: always()', keys), {
      admit,
    });
    return { record, claims };
  };
  const admitted: Admission = { admitted: true, variables: { GIVEN: 'by the server' }, secrets: ['server'] };

  it('the server hears what it asks for, evaluated, and its steps find what the server gives', async () => {
    const { record, claims } = await claimed(
      `    name: \${{ github.job }} for \${{ github.actor }}
    env: { GIVEN: by the file }
    permissions: { id-token: write }
    environment: of-\${{ github.actor }}
    concurrency: { group: 'Group-\${{ github.ref_name }}', cancel-in-progress: '\${{ true }}' }
`,
      admitted,
    );
    expect(claims).toEqual([
      {
        ...{ id: 'only', name: 'only for alice', permissions: { 'id-token': 'write' }, environment: 'of-alice' },
        concurrency: { group: 'group-main', cancelsRunning: true },
      },
    ]);
    expect(record.log('only')).toContain('Z [by the ***]');
  });

  it('it asks for nothing where its file names nothing, or an empty environment', async () => {
    const nothing = {
      id: 'only',
      name: 'only',
      permissions: undefined,
      environment: undefined,
      concurrency: undefined,
    };
    expect((await claimed('', admitted)).claims).toEqual([nothing]);
    expect((await claimed(`    environment: '\${{ inputs.none }}'\n`, admitted)).claims).toEqual([nothing]);
  });

  it.each([
    ['failure', 'No.', ['failure: No.']],
    ['cancelled', 'Another one.', ['failure: Another one.']],
    ['cancelled', '', []],
  ] as const)('it may be refused as %s (%s), and runs no step', async (conclusion, reason, annotations) => {
    const { record } = await claimed(`    name: Named \${{ github.actor }}\n`, { admitted: false, conclusion, reason });
    expect(record.result).toMatchObject({ conclusion, jobs: [{ name: 'Named alice', conclusion, steps: [] }] });
    expect(annotationsOf(record)).toEqual(annotations);
    expect(record.updates).toHaveLength(1);
  });

  it('and while it runs it may be ended, but for what always runs', async () => {
    const admit = async ({ cancel }: JobClaim) => {
      setTimeout(() => cancel('A newer one.'), 500);
      return admitted;
    };
    const record = await runWorkflow(oneJob('- run: sleep 30\n- run: echo after\n  if: always()'), { admit });
    expect(record.result).toMatchObject({ conclusion: 'cancelled', jobs: [{ conclusion: 'cancelled' }] });
    expect(annotationsOf(record)).toEqual(['failure: A newer one.']);
    expect(record.log('only')).toContain('Z after');
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
      'runs-on: ubuntu-latest\n    environment: { name: site, url: https://toys.example }',
      'environment: the url of site is not obeyed: there are no deployments here that would show it.',
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
