import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseCompositeAction, parseWorkflow } from '../../src/local/actions/workflow-file.ts';
import { validateInputs } from '../../src/local/actions/workflow-inputs.ts';
import { permissionsOf } from '../../src/local/actions/workflow-permissions.ts';
import type { WorkflowArtifact } from '../../src/local/actions/workflow-types.ts';
import {
  type GitServer,
  type HttpServer,
  type RunRecord,
  removeTemporaryDirectories,
  runWorkflow,
  serve,
  startGitServer,
} from '../local/workflow-kit.ts';

const names = ['loopwright-build', 'loopwright-verify'] as const;
const textOf = (name: string): Promise<string> =>
  readFile(new URL(`../../config/workflows/${name}.yml`, import.meta.url), 'utf8');

const action = await readFile(new URL('../../config/actions/loopwright-job/action.yml', import.meta.url), 'utf8');

describe.each(names)('the workflow file %s', (name) => {
  it('is dispatched only, may only read, and may say which run it is where it asks a model', async () => {
    const text = await textOf(name);
    const workflow = parseWorkflow(text, `.github/workflows/${name}.yml`);
    expect(Object.keys(parse(text).on)).toEqual(['workflow_dispatch']);
    expect(workflow.permissions).toEqual({ contents: 'read' });
    // By that the App knows whom it gives a model to.
    const [permissions, environment] =
      name === 'loopwright-build' ? [{ contents: 'read', 'id-token': 'write' }, 'loopwright'] : [];
    for (const job of Object.values(workflow.jobs)) expect(job.permissions).toEqual(permissions);
    for (const job of Object.values<{ environment?: string }>(parse(text).jobs))
      expect(job.environment).toBe(environment);
  });

  it('does nothing in its jobs but take the action of the default branch, run it and deliver the report', async () => {
    const { jobs } = parseWorkflow(await textOf(name));
    for (const [id, { steps }] of Object.entries(jobs)) {
      const action = './setup/.github/actions/loopwright-job';
      expect(steps.map(({ uses }) => uses?.replace(/@.*/, ''))).toEqual([
        'actions/checkout',
        // Which seed data there is to be is asked before anything is installed for it.
        ...(id === 'seed' ? [action, action] : [action]),
        'actions/upload-artifact',
      ]);
      expect(steps[0]?.with).toEqual({
        ref: `\${{ github.event.repository.default_branch }}`,
        path: 'setup',
        'persist-credentials': 'false',
      });
    }
  });

  it('bounds the time and number of runs', async () => {
    const text = await textOf(name);
    const workflow = parseWorkflow(text);
    expect(Object.values(workflow.jobs).every((job) => typeof job['timeout-minutes'] === 'number')).toBe(true);
    expect(workflow.concurrency?.group).toBe(`loopwright-\${{ inputs.loop }}`);
  });

  it('takes exactly the agreed inputs, all text and all required but the model', async () => {
    const workflow = parseWorkflow(await textOf(name));
    const inputs = Object.entries(workflow.on.workflow_dispatch?.inputs ?? {});
    expect(inputs.map(([input, { type, required }]) => [input, type, required])).toEqual([
      ...['loop', 'entry', 'phase', 'candidate', 'base', 'job', 'brief', 'app'].map((input) => [input, 'string', true]),
      ['model', 'string', false],
    ]);
    expect(validateInputs(workflow, { loop: '1' })).toEqual({
      valid: false,
      message: "Required input 'entry' not provided",
    });
  });
});

describe('what our files use', () => {
  it('is pinned by a full commit with its version, or lies on the default branch', async () => {
    const texts = [action, ...(await Promise.all(names.map(textOf)))];
    const uses = texts.flatMap((text) => [...text.matchAll(/uses: (.+)/g)].map(([, used = '']) => used));
    expect(uses.length).toBeGreaterThan(10);
    const pinned = /^actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
    expect(new Set(uses.filter((used) => !pinned.test(used)))).toEqual(
      new Set(['./setup/.github/actions/loopwright-setup', './setup/.github/actions/loopwright-job']),
    );
  });

  it('keeps no credentials, and puts no expression into a script', () => {
    const { steps } = parseCompositeAction(action, 'action.yml').runs;
    expect(steps.filter((step) => step.run?.includes('${' + '{'))).toEqual([]);
    const checkouts = steps.filter((step) => step.uses?.startsWith('actions/checkout@'));
    expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual(['false', 'false']);
  });
});

describe('a dispatched run', () => {
  const token = 'ghs_templates';
  let git: GitServer;
  let app: HttpServer;
  /** What the base and the default branch hold. */
  let owned: Record<string, string>;
  let base: string;
  let candidate: string;
  const files = new Map<string, string>();
  /** What the App's next requests are answered instead; `nothing` breaks the connection. */
  const refusals: (number | 'nothing')[] = [];
  const publish = (prefix: string, content: string, suffix: string): string => {
    const digest = createHash('sha256').update(content).digest('hex');
    files.set(`/${prefix}-${digest}${suffix}`, content);
    return digest;
  };

  beforeAll(async () => {
    git = await startGitServer(token);
    const setup =
      'inputs: { workspace: { required: true } }\nruns:\n  using: composite\n  steps:\n    - { shell: bash, run: \'cat "$W/file" > installed; [ ! -e "$W/candidate-only" ] || echo " and more" >> installed; echo "LEFT=behind" >> "$GITHUB_ENV"\', env: { W: "${' +
      '{ inputs.workspace }}" } }\n';
    owned = {
      file: 'base',
      '.github/actions/loopwright-job/action.yml': action,
      '.github/actions/loopwright-setup/action.yml': setup,
    };
    base = await git.commit('refs/heads/main', owned);
    candidate = await git.commit('refs/loopwright/1/1/3', { file: 'candidate', 'candidate-only': '' });
    app = await serve((request, response) => {
      const refusal = refusals.shift();
      if (refusal === 'nothing') return void request.socket.destroy();
      if (refusal !== undefined) return void response.writeHead(refusal).end();
      const content = files.get(request.url ?? '');
      response.writeHead(content === undefined ? 404 : 200).end(content ?? 'This App keeps no such job.\n');
    });
  });
  afterAll(async () => {
    await Promise.all([git.close(), app.close()]);
    await removeTemporaryDirectories();
  });

  /** What GitHub gives a job that may ask who it is. */
  const IDENTITY = {
    ACTIONS_ID_TOKEN_REQUEST_URL: 'http://127.0.0.1:1/token',
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'identity',
  };

  /** Stands in for the job bundle: shows what it was given and pronounces the verdict that its brief asks for. */
  const fakeJob = `
    import { appendFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
    import { execFileSync } from 'node:child_process';
    const { env } = process;
    const brief = JSON.parse(readFileSync(env.LOOPWRIGHT_BRIEF, 'utf8'));
    writeFileSync(env.LOOPWRIGHT_OUTPUT + '/.report.json', JSON.stringify({
      mode: process.argv[2], verdict: brief.verdict, drafted: existsSync(env.RUNNER_TEMP + '/draft'),
      variables: Object.keys(env).sort(), model: env.LOOPWRIGHT_MODEL_URL, phase: env.LOOPWRIGHT_PHASE,
      file: readFileSync(env.LOOPWRIGHT_WORKSPACE + '/file', 'utf8'),
      installed: existsSync('installed') ? readFileSync('installed', 'utf8') : 'nothing',
      commits: execFileSync('git', ['-C', env.LOOPWRIGHT_WORKSPACE, 'rev-list', '--all', 'HEAD']).toString().trim().split('\\n'),
      config: readFileSync(env.LOOPWRIGHT_WORKSPACE + '/.git/config', 'utf8'),
      input: env.LOOPWRIGHT_INPUT === undefined ? [] : readdirSync(env.LOOPWRIGHT_INPUT),
    }));
    const isDraft = process.argv[2] === 'draft-seed';
    if (isDraft) writeFileSync(env.RUNNER_TEMP + '/draft', '');
    appendFileSync(env.GITHUB_OUTPUT, 'verdict=' + (isDraft ? brief.draft : brief.verdict) + '\\n');
  `;

  const dispatch = async (
    name: string,
    verdict: string,
    { draft, ...changes }: Record<string, string> = {},
  ): Promise<RunRecord> =>
    runWorkflow(await textOf(name), {
      path: `.github/workflows/${name}.yml`,
      cloneUrl: git.cloneUrl,
      sha: base,
      token,
      tokenFor: () => token,
      admit: async ({ permissions }) => ({
        admitted: true,
        variables: permissionsOf(permissions).id_token === 'write' ? IDENTITY : {},
        secrets: [],
      }),
      inputs: {
        loop: '1-1',
        entry: '3',
        phase: 'BUILD',
        candidate,
        base,
        job: publish('jobs/job', fakeJob, '.mjs'),
        brief: publish('briefs/brief', JSON.stringify({ verdict, draft }), '.json'),
        app: app.url,
        model: 'http://127.0.0.1:1/v1',
        ...changes,
      },
    });

  const tokensIn = ({ variables }: { readonly variables: readonly string[] }) =>
    variables.filter((name) => /TOKEN/.test(name));
  const reportIn = async (artifact: WorkflowArtifact | undefined) => {
    if (artifact === undefined) throw new Error('there is no artifact');
    const zip = await readFile(artifact.file);
    expect(artifact.digest).toBe(`sha256:${createHash('sha256').update(zip).digest('hex')}`);
    return JSON.parse(new TextDecoder().decode(unzipSync(zip)['.report.json']));
  };

  it('of the build delivers the build and, after a passing verdict, the seed made from it', async () => {
    const { result, artifacts } = await dispatch('loopwright-build', 'pass');
    expect(result.jobs.map((job) => [job.id, job.conclusion])).toEqual([
      ['build', 'success'],
      ['seed', 'success'],
    ]);
    expect(result.title).toBe('loopwright-build 1-1 entry 3 (BUILD)');
    expect(artifacts.map((artifact) => artifact.name)).toEqual(['build', 'seed']);
    const report = await reportIn(artifacts[0]);
    expect(report).toMatchObject({
      mode: 'build',
      file: 'candidate',
      installed: 'base',
      model: 'http://127.0.0.1:1/v1',
    });
    expect(report.commits).toContain(base);
    expect(report.config).not.toMatch(/extraheader/i);
    expect(report.variables).not.toContain('LEFT');
    // To ask who it is, and for nothing else.
    expect(tokensIn(report)).toEqual(['ACTIONS_ID_TOKEN_REQUEST_TOKEN', 'ACTIONS_ID_TOKEN_REQUEST_URL']);
    expect(await reportIn(artifacts[1])).toMatchObject({ mode: 'seed', drafted: false, input: ['.report.json'] });
  });

  it.each([
    ['needs none', 'pass', { mode: 'draft-seed', installed: 'nothing' }],
    ['is open', 'open', { mode: 'seed', installed: 'base', drafted: true }],
    ['fails', 'fail', { mode: 'draft-seed', installed: 'nothing' }],
  ])(
    'where a lock file names what is installed, and a draft of the seed that %s, it is installed only for a seed',
    async (_, draft, report) => {
      base = await git.commit('refs/heads/main', { ...owned, 'package-lock.json': '{}' });
      const { result, artifacts } = await dispatch('loopwright-build', 'pass', { draft });
      expect(result.conclusion).toBe('success');
      const seed = artifacts.find(({ name }) => name === 'seed');
      expect(await reportIn(seed)).toMatchObject({
        ...report,
        file: 'candidate',
        input: ['.report.json'],
      });
    },
  );

  it('of the build with a failing verdict succeeds, delivers its report and skips the seed', async () => {
    const { result, artifacts } = await dispatch('loopwright-build', 'fail');
    expect(result.conclusion).toBe('success');
    expect(result.jobs.map((job) => job.conclusion)).toEqual(['success', 'skipped']);
    expect(await reportIn(artifacts[0])).toMatchObject({ verdict: 'fail' });
  });

  it('of the verification delivers its report', async () => {
    const { result, artifacts } = await dispatch('loopwright-verify', 'fail', { phase: 'VERIFY' });
    expect(result.conclusion).toBe('success');
    expect(artifacts.map((artifact) => artifact.name)).toEqual(['verify']);
    const report = await reportIn(artifacts[0]);
    expect(report).toMatchObject({ mode: 'verify', phase: 'VERIFY' });
    expect(tokensIn(report)).toEqual([]);
  });

  it('waits for an App that is being restarted', async () => {
    refusals.push('nothing', 502);
    const { result } = await dispatch('loopwright-verify', 'pass', { phase: 'VERIFY' });
    expect(result.conclusion).toBe('success');
    expect(refusals).toEqual([]);
  });

  it('does not wait for what the App does not have', async () => {
    const { result, log } = await dispatch('loopwright-verify', 'pass', { job: '0'.repeat(64) });
    expect(result.conclusion).toBe('failure');
    expect(log('verify')).toContain('answered 404: This App keeps no such job.');
  });

  it('runs nothing whose digest differs, and fails', async () => {
    const wrong = 'f'.repeat(64);
    files.set(`/jobs/job-${wrong}.mjs`, fakeJob);
    const { result, artifacts, log } = await dispatch('loopwright-verify', 'pass', { job: wrong });
    expect(result.conclusion).toBe('failure');
    expect(log('verify')).toContain('job.mjs: FAILED');
    expect(artifacts).toEqual([]);
  });
});
