import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { oneJob, removeTemporaryDirectories, runWorkflow } from './workflow-kit.ts';

afterAll(removeTemporaryDirectories);

describe('a run', () => {
  it('performs jobs in the order of needs, hands outputs on, and names the run by run-name', async () => {
    const { result, log, updates } = await runWorkflow(
      `
name: Order
run-name: "Loop \${{ inputs.loop }} by \${{ github.actor }}"
on:
  workflow_dispatch:
    inputs: { loop: { required: true }, dry: { type: boolean, default: true } }
jobs:
  second:
    needs: first
    runs-on: ubuntu-latest
    if: needs.first.outputs.word == 'it''s ''ok''' && inputs.dry
    steps: [{ run: 'echo "heard $WORD"', env: { WORD: "\${{ needs.first.outputs.word }}" } }]
  third:
    needs: [second]
    runs-on: ubuntu-latest
    if: needs.first.result == 'success'
    steps: [{ run: exit 1 }]
  first:
    name: The first
    runs-on: ubuntu-latest
    outputs: { word: "\${{ steps.say.outputs.word }}" }
    steps: [{ id: say, run: echo "word=it's 'ok'" >> "$GITHUB_OUTPUT" }]
`,
      { inputs: { loop: '12-1' } },
    );
    expect(result.title).toBe('Loop 12-1 by alice');
    expect(result.conclusion).toBe('success');
    expect(result.jobs.map((job) => [job.id, job.name, job.conclusion])).toEqual([
      ['first', 'The first', 'success'],
      ['second', 'second', 'success'],
      ['third', 'third', 'skipped'],
    ]);
    expect(log('second')).toContain("heard it's 'ok'");
    expect(updates.filter((job) => job.id === 'first').map((job) => [job.status, job.steps[0]?.status])).toEqual([
      ['in_progress', 'queued'],
      ['in_progress', 'completed'],
      ['completed', 'completed'],
    ]);
  });

  it('lets a dependent job run after a failure only by its own word, and not after a skip', async () => {
    const { result } = await runWorkflow(`
on: workflow_dispatch
jobs:
  bad: { runs-on: x, steps: [{ run: exit 3 }] }
  after: { runs-on: x, needs: bad, steps: [{ run: 'true' }] }
  rescue: { runs-on: x, needs: bad, if: failure(), steps: [{ run: 'true' }] }
  skipped: { runs-on: x, if: false, steps: [{ run: 'true' }] }
  never: { runs-on: x, needs: skipped, if: failure(), steps: [{ run: 'true' }] }
  always: { runs-on: x, needs: skipped, if: always(), steps: [{ run: 'true' }] }
`);
    expect(Object.fromEntries(result.jobs.map((job) => [job.id, job.conclusion]))).toEqual({
      bad: 'failure',
      after: 'skipped',
      rescue: 'success',
      skipped: 'skipped',
      never: 'skipped',
      always: 'success',
    });
    expect(result.conclusion).toBe('failure');
    expect(result.jobs[0]?.annotations).toEqual([
      { level: 'failure', message: 'Process completed with exit code 3.', path: undefined, line: undefined },
    ]);
  });

  it('performs a job once for each combination of a plain matrix', async () => {
    const { result, log } = await runWorkflow(`
on: workflow_dispatch
jobs:
  cell:
    runs-on: x
    strategy: { matrix: { a: [1, 2], b: [x, y] } }
    steps: [{ run: 'echo "cell=$A$B"', env: { A: "\${{ matrix.a }}", B: "\${{ matrix.b }}" } }]
`);
    expect(result.jobs.map((job) => job.name)).toEqual(['cell (1, x)', 'cell (1, y)', 'cell (2, x)', 'cell (2, y)']);
    expect(log('cell')).toContain('cell=1x');
    expect(result.jobs[3]?.log).toContain('cell=2y');
  });

  it('fails the job with the reason when an expression in its keys does not parse', async () => {
    const { result } = await runWorkflow(oneJob('- run: "true"', "    if: nonsense.x == 'y'\n"));
    expect(result.conclusion).toBe('failure');
    expect(result.jobs[0]?.annotations[0]?.message).toContain('nonsense');
  });

  it('tolerates a job with continue-on-error', async () => {
    const { result } = await runWorkflow(oneJob('- run: exit 1', '    continue-on-error: true\n'));
    expect([result.conclusion, result.jobs[0]?.conclusion]).toEqual(['success', 'failure']);
  });
});

describe('a step', () => {
  it('sees a scrubbed environment with the running Node first, and nothing of the host', async () => {
    process.env.LOOPWRIGHT_TEST_LEAK = 'leaked';
    const { log } = await runWorkflow(
      oneJob(`
- run: env | sort; node --version; echo "home=$(ls -A "$HOME" | wc -l)"; cat "$GITHUB_EVENT_PATH"
`),
    );
    delete process.env.LOOPWRIGHT_TEST_LEAK;
    expect(log('only')).not.toContain('leaked');
    expect(log('only')).toContain(process.version);
    const names = [...log('only').matchAll(/Z ([A-Z_]+)=/g)].map(([, name]) => name);
    expect(names.filter((name) => !/^(GITHUB|RUNNER)_/.test(name ?? ''))).toEqual(
      expect.arrayContaining(['CI', 'HOME', 'LANG', 'PATH']),
    );
    expect(
      names.filter((name) => !/^((GITHUB|RUNNER)_.*|CI|HOME|LANG|PATH|PWD|OLDPWD|SHLVL|_)$/.test(name ?? '')),
    ).toEqual([]);
    expect(log('only')).toContain('GITHUB_REPOSITORY=octo/toys');
    expect(log('only')).toContain('GITHUB_RUN_ID=11');
    expect(log('only')).toContain('"default_branch":"main"');
    expect(log('only')).not.toContain('GITHUB_TOKEN=');
  });

  it('reads env from three levels, GITHUB_ENV and GITHUB_PATH, the nearest winning', async () => {
    const { log } = await runWorkflow(`
on: workflow_dispatch
env: { A: workflow, B: workflow, C: workflow }
jobs:
  only:
    runs-on: x
    env: { B: job, C: "job \${{ env.A }}" }
    steps:
      - run: |
          mkdir bin && printf '#!/bin/sh\\necho from-tool' > bin/tool && chmod +x bin/tool
          echo "$PWD/bin" >> "$GITHUB_PATH"
          { echo 'D<<END'; echo 'two'; echo 'lines'; echo 'END'; } >> "$GITHUB_ENV"
          echo 'GITHUB_SHA=forged' >> "$GITHUB_ENV"
      - run: echo "$A|$B|$C|$D|$GITHUB_SHA"; tool
        env: { C: step }
`);
    expect(log('only')).toContain('workflow|job|step|two');
    expect(log('only')).toContain(`lines|${'0'.repeat(40)}`);
    expect(log('only')).toContain('from-tool');
  });

  it('runs in the asked shell and folder', async () => {
    const { log, result } = await runWorkflow(
      oneJob(
        `
- run: mkdir -p deep/er
  working-directory: .
- run: basename "$PWD"; false | true; echo "no pipefail in sh"
  shell: sh
- run: false | true; echo unreachable
  continue-on-error: true
- run: echo x
  shell: pwsh
`,
        '    defaults: { run: { shell: bash, working-directory: deep } }\n',
      ).replace('run: mkdir -p deep/er', 'run: mkdir -p deep/er; touch deep/mark'),
    );
    expect(log('only')).toContain('Z deep');
    expect(log('only')).toContain('no pipefail in sh');
    expect(log('only')).not.toContain('Z unreachable');
    expect(log('only')).toContain('knows the shells bash, sh and python, not "pwsh"');
    expect(result.conclusion).toBe('failure');
  });

  it('keeps outcome and conclusion apart under continue-on-error, and skips after a failure', async () => {
    const { log, result } = await runWorkflow(
      oneJob(`
- id: soft
  run: echo "kept=yes" >> "$GITHUB_OUTPUT"; exit 1
  continue-on-error: \${{ github.actor == 'alice' }}
- run: echo "\${{ steps.soft.outcome }} \${{ steps.soft.conclusion }} \${{ steps.soft.outputs.kept }}"
- run: exit 1
- run: echo not-this
- run: echo cleaned
  if: always()
- run: echo "status is \${{ job.status }}"
  if: \${{ failure() && github.ref_name == 'main' }}
`),
    );
    expect(log('only')).toContain('failure success yes');
    expect(log('only')).not.toContain('Z not-this');
    expect(log('only')).toContain('Z cleaned');
    expect(log('only')).toContain('status is failure');
    expect(result.jobs[0]?.steps.map((step) => step.conclusion)).toEqual([
      'success',
      'success',
      'failure',
      'skipped',
      'success',
      'success',
    ]);
  });

  it('reports annotations with file and line, and a step summary', async () => {
    const { result, directory } = await runWorkflow(
      oneJob(`
- run: |
    echo "::error file=src/a.ts,line=4::Broken%0Ahere"
    echo "::warning::careful"
    echo "::group::A group"
    echo "# Done" >> "$GITHUB_STEP_SUMMARY"
`),
    );
    expect(result.jobs[0]?.annotations).toEqual([
      { level: 'failure', message: 'Broken\nhere', path: 'src/a.ts', line: 4 },
      { level: 'warning', message: 'careful', path: undefined, line: undefined },
    ]);
    expect(result.jobs[0]?.log).toContain('##[group]A group');
    expect(await readFile(join(directory, 'summaries', 'only.md'), 'utf8')).toContain('# Done');
  });

  it('shows neither the token nor a masked value, in log, annotation or job output', async () => {
    const { result, log } = await runWorkflow(
      `${oneJob(
        `
- run: |
    S=hunter; S=$S'2'
    echo "::add-mask::$S"
    echo "one $T two $S"
    echo "::error::leak $S"
    echo "word=$S" >> "$GITHUB_OUTPUT"
  id: say
  env: { T: "\${{ secrets.GITHUB_TOKEN }}", U: "\${{ secrets.OTHER }}" }
`,
        `    outputs: { word: "\${{ steps.say.outputs.word }}" }\n`,
      )}  after: { runs-on: x, needs: only, steps: [{ run: 'echo "got [$W]"', env: { W: "\${{ needs.only.outputs.word }}" } }] }\n`,
    );
    expect(JSON.stringify(result)).not.toContain('hunter2');
    expect(JSON.stringify(result)).not.toContain('ghs_secretOfTheRun');
    expect(log('only')).toContain('one *** two ***');
    expect(log('after')).toContain('got []');
  });

  it('that names an unknown action fails with one sentence saying what there is', async () => {
    const { log } = await runWorkflow(oneJob('- uses: octo/thing@v1'));
    expect(log('only')).toContain(
      'The local runner does not know "octo/thing@v1"; it has actions/checkout, actions/setup-node, actions/setup-python, actions/upload-artifact, actions/download-artifact and composite actions by "./path".',
    );
  });

  it('that runs out of its minutes fails by name, and the next one can still clean up', async () => {
    const { result, log } = await runWorkflow(
      oneJob(`
- name: Slow
  run: sleep 30
  timeout-minutes: 0.01
- run: echo cleaned
  if: always()
`),
    );
    expect(result.jobs[0]?.annotations.map(({ message }) => message)).toEqual([
      "The action 'Slow' has timed out after 0.01 minutes.",
    ]);
    expect(log('only')).toContain('Z cleaned');
  });
});

describe('the end of a run', () => {
  it('by abort is cancelled, for the run, the running job and those that never started', async () => {
    const controller = new AbortController();
    const startedAtMs = Date.now();
    const { result } = await runWorkflow(
      `${oneJob('- run: echo begun; sleep 30\n- run: echo never\n  if: always()')}  later: { runs-on: x, needs: only, steps: [{ run: 'true' }] }\n`,
      { signal: controller.signal, onJob: () => setTimeout(() => controller.abort(), 300) },
    );
    expect(Date.now() - startedAtMs).toBeLessThan(25_000);
    expect(result.conclusion).toBe('cancelled');
    expect(result.jobs.map((job) => [job.id, job.conclusion, job.status])).toEqual([
      ['only', 'cancelled', 'completed'],
      ['later', 'cancelled', 'completed'],
    ]);
    expect(result.jobs[0]?.steps.map((step) => step.conclusion)).toEqual(['cancelled', 'cancelled']);
  });

  it('by the job timeout is cancelled, as on GitHub, with an annotation that names the limit', async () => {
    const { result } = await runWorkflow(oneJob('- run: sleep 30', '    timeout-minutes: 0.01\n'));
    expect([result.conclusion, result.jobs[0]?.conclusion]).toEqual(['cancelled', 'cancelled']);
    expect(result.jobs[0]?.annotations[0]?.message).toBe(
      'The job has exceeded the maximum execution time of 0.01 minutes.',
    );
  });

  it('leaves the log but no workspace', async () => {
    const { directory } = await runWorkflow(oneJob('- run: touch here; echo said'));
    expect(await readdir(join(directory, 'work'))).toEqual([]);
    expect(existsSync(join(directory, 'logs', 'only.log'))).toBe(true);
    expect(await readFile(join(directory, 'logs', 'only.log'), 'utf8')).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:]+\.\d{7}Z ##\[group\]Run touch here/,
    );
  });

  it.each([
    ['in the background', 'sleep 300 & echo $! > "$OUT"'],
    [
      'in a session of its own, forked twice',
      '(setsid setsid sleep 300 & echo $! > "$OUT") & sleep 0.3; pgrep -n -f "sleep 300" > "$OUT"',
    ],
  ])('leaves no process that a step put %s, and waits for none', async (_, command) => {
    const startedAtMs = Date.now();
    const { log, result } = await runWorkflow(
      oneJob(
        `- run: |\n    OUT=$RUNNER_TEMP/pid\n    ${command}\n    sleep 0.2; echo "pid=$(cat "$OUT") alive=$(kill -0 "$(cat "$OUT")" && echo yes)"`,
      ),
    );
    const [, processId = '', alive] = /Z pid=(\d+) alive=(yes)?/.exec(log('only')) ?? [];
    expect([result.conclusion, alive]).toEqual(['success', 'yes']);
    expect(await stateOf(processId)).toBe('gone');
    expect(log('only')).toMatch(/Cleaning up orphan processes: \d+ ended/);
    expect(Date.now() - startedAtMs).toBeLessThan(25_000);
  });
});

/** A killed process may stay a zombie where nothing reaps orphans; that is gone too. */
async function stateOf(processId: string): Promise<'alive' | 'gone'> {
  const status = await readFile(`/proc/${processId}/stat`, 'utf8').catch(() => ') Z');
  return / [ZX]( |$)/.test(status.slice(status.lastIndexOf(')') + 1, status.lastIndexOf(')') + 4)) ? 'gone' : 'alive';
}
