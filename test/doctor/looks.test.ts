/** What single looks say of answers that the embedded GitHub does not give. */
import { expect, test } from 'vitest';
import { appLooks } from '../../src/doctor/app-looks.ts';
import { fileLooks } from '../../src/doctor/files-looks.ts';
import { type Finding, NotLookedError } from '../../src/doctor/finding.ts';
import type { Look } from '../../src/doctor/look.ts';
import { machineLooks } from '../../src/doctor/machine-looks.ts';
import type { Patient, Ward } from '../../src/doctor/patient.ts';
import { repositoryLooks } from '../../src/doctor/repository-looks.ts';
import { ruleLooks } from '../../src/doctor/rules-looks.ts';
import { webhookLooks } from '../../src/doctor/webhook-looks.ts';
import { GoneError, LoopError, UnansweredError } from '../../src/errors.ts';
import type {
  DeliveryFacts,
  Inspection,
  RepositoryFacts,
  RepositoryInspection,
} from '../../src/github/inspection-port.ts';
import { examinedEnvironment } from '../../src/settings/env.ts';

const never = (): never => {
  throw new Error('not asked in this test');
};
const REPOSITORY: RepositoryFacts = {
  id: 1,
  url: 'https://github.com/acme/shop',
  defaultBranch: 'main',
  isPrivate: false,
  isArchived: false,
  isDisabled: false,
  hasIssues: true,
};
const LOOK: RepositoryInspection = {
  file: never,
  workflowState: never,
  lastGoodRun: never,
  actions: never,
  rules: async () => [],
  canBypass: never,
  protection: async () => ({ isEnabled: false, checks: [] }),
  environment: never,
  hasDraft: async () => false,
  checksOnHead: never,
  headChecks: never,
};
const GITHUB: Inspection = {
  app: never,
  hook: never,
  deliveries: never,
  installation: never,
  repository: never,
  inside: never,
};

interface Told {
  readonly repository?: Partial<RepositoryFacts>;
  readonly look?: Partial<RepositoryInspection>;
  readonly github?: Partial<Inspection>;
  readonly apiUrl?: string;
  readonly sandboxProblem?: Patient['sandboxProblem'];
  readonly app?: Patient['app'];
}

function patientWith({
  repository,
  look,
  github,
  apiUrl = 'https://api.github.com',
  sandboxProblem = never,
  app: asApp = never,
}: Told): Patient {
  const { app, ...environment } = examinedEnvironment();
  const ward: Ward = {
    installation: { id: 1, url: '', permissions: {}, events: [], isSuspended: false },
    repository: { ...REPOSITORY, ...repository },
    look: { ...LOOK, ...look },
  };
  return {
    environment: { ...environment, app: { ...app, GITHUB_API_URL: apiUrl } },
    place: { owner: 'acme', repo: 'shop' },
    withinMs: 1,
    sandboxProblem,
    wanted: never,
    app: asApp,
    github: async () => ({ ...GITHUB, ...github }),
    installation: never,
    ward: async () => ward,
    model: never,
    database: never,
  };
}

async function said(looks: readonly Look[], name: string, told: Told): Promise<Finding | undefined> {
  return looks.find(({ subject }) => subject === name)?.look(patientWith(told));
}

test.each([
  ['a public one has drafts', {}, 'ok'],
  [
    'a private one of a GitHub Enterprise Server has',
    { repository: { isPrivate: true }, apiUrl: 'https://git.example/api/v3' },
    'ok',
  ],
  ['a private one with a draft has', { repository: { isPrivate: true }, look: { hasDraft: async () => true } }, 'ok'],
  ['of another private one nobody knows', { repository: { isPrivate: true } }, 'unknown'],
] as const)('drafts: %s', async (_, told, state) => {
  expect(await said(repositoryLooks, 'drafts', told)).toMatchObject({ state });
});

test.each([
  ['no webhook in three days', [], 'unknown', 'so whether the webhook is active cannot be known'],
  ['one that our App refused', [400], 'wrong', "the webhook's secret is not WEBHOOK_SECRET"],
  ['one that found another server', [404], 'wrong', 'there is no App at that address'],
  ['one that found a failing proxy', [502], 'wrong', 'what stands before it, failed'],
  ['one that arrived after two that did not', [200, 0, 502], 'ok', '2 before it did not'],
] as const)('deliveries: %s', async (_, statuses, state, words) => {
  const delivered = statuses.map(
    (status): DeliveryFacts => ({ name: 'push', triedAt: '2026-01-01T00:00:00Z', status, outcome: 'OK' }),
  );
  const finding = await said(webhookLooks, 'deliveries', { github: { deliveries: async () => delivered } });
  expect(finding).toMatchObject({ state });
  expect(finding?.sentence).toContain(words);
});

/** As it comes out of the client: in our error, in Octokit's, in that of fetch. */
function unconnected(code: string): UnansweredError {
  const cause = Object.assign(new Error('40AD:error:0A00010B:SSL routines:tlsany_meth.c'), { code });
  const fetched = new TypeError('fetch failed', { cause });
  return new UnansweredError('GET /app got no answer', { cause: new Error(cause.message, { cause: fetched }) });
}

const AUTHORITY =
  /^Set NODE_EXTRA_CA_CERTS to the file of that authority .*, for the App and the runners, and GIT_SSL_CAINFO for their git\.$/;
test.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'has a certificate by an authority that the App does not trust', AUTHORITY],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'has a certificate by an authority that the App does not trust', AUTHORITY],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'has a certificate by an authority that the App does not trust', AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT', 'has a certificate by an authority that the App does not trust', AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'has a certificate by an authority that the App does not trust', AUTHORITY],
  ['CERT_HAS_EXPIRED', 'has a certificate that has expired', /^Renew that certificate\.$/],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'has a certificate for another name',
    /^Use the name that is in the certificate in GITHUB_API_URL/,
  ],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'speaks no TLS', /^Correct GITHUB_API_URL: begin it with http:\/\//],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'agrees with the App on no TLS', /^Correct GITHUB_API_URL, or /],
] as const)(
  'credentials: a GitHub that cannot be asked for %s is wrong, with its remedy',
  async (code, says, remedy) => {
    const finding = await said(appLooks, 'credentials', {
      apiUrl: 'https://git.example/api/v3',
      app: () => Promise.reject(unconnected(code)),
    });
    expect(finding).toEqual({
      state: 'wrong',
      sentence: `What answers at GITHUB_API_URL, https://git.example/api/v3, ${says} (${code}).`,
      remedy: expect.stringMatching(remedy),
    });
  },
);

test('credentials: a connection that fails for the moment is unknown', async () => {
  const finding = await said(appLooks, 'credentials', { app: () => Promise.reject(unconnected('ECONNRESET')) });
  expect(finding).toMatchObject({ state: 'unknown' });
});

const requiring = { rules: async () => [{ type: 'pull_request', rulesetId: 3, checks: [], approvals: 1 }] };
test.each([
  ['hidden from the App', () => Promise.reject(new GoneError('GitHub answered 404', { status: 404 }))],
  ['of a GitHub that does not say who may bypass it', async () => undefined],
])('a ruleset %s shows nothing of bypassing', async (_, canBypass: RepositoryInspection['canBypass']) => {
  const finding = await said(ruleLooks, 'pull requests', { look: { ...requiring, canBypass } });
  expect(finding).toMatchObject({ state: 'unknown' });
});

test.each([
  ['protected branches', { branches: 'protected', names: [] }, 'ok'],
  ['the default branch alone', { branches: 'named', names: ['main'] }, 'ok'],
  ['others beside it', { branches: 'named', names: ['main', 'release/*'] }, 'wrong'],
] as const)('an environment for %s', async (_, facts, state) => {
  expect(await said(ruleLooks, 'environment', { look: { environment: async () => facts } })).toMatchObject({ state });
});

test('a base that nobody has checked is unknown, and no pass', async () => {
  const nothing = { sha: 'a'.repeat(40), state: 'complete', changedAt: undefined, waitsFor: [], checks: [] } as const;
  const saidWhere = (conclusion: string) =>
    said(repositoryLooks, 'base', {
      look: {
        headChecks: async () => nothing,
        checksOnHead: async () => [{ status: 'completed', conclusion, title: '', by: 'loopwright', url: '' }],
      },
      app: async () => ({ slug: 'loopwright', url: '', permissions: {}, events: [], serverVersion: undefined }),
    });
  const finding = await saidWhere('failure');
  expect(finding).toMatchObject({ state: 'unknown' });
  expect(finding?.remedy).toContain('init');
  expect(await saidWhere('success')).toMatchObject({ state: 'ok', sentence: expect.stringContaining('but the App') });
});

test('files of a repository in which GitHub does not accept the App are not looked at, for that reason', async () => {
  const app = () => Promise.reject(new LoopError('GitHub answered 401', { status: 401 }));
  const ward = () => Promise.reject(new NotLookedError('GitHub does not accept them', 'Mend the credentials first.'));
  const looking = fileLooks.find(({ subject }) => subject === 'job action')?.look({ ...patientWith({ app }), ward });
  await expect(looking).rejects.toThrow('GitHub does not accept them');
});

test.each([
  ['has tried nothing', undefined, 'unknown', 'nobody knows'],
  ['is at it', { status: 'in_progress', conclusion: undefined, title: 'Trying the base' }, 'unknown', 'is trying'],
  ['found all right', { status: 'completed', conclusion: 'success', title: 'All is there' }, 'ok', 'All is there.'],
  ['found it red', { status: 'completed', conclusion: 'failure', title: 'The base is red' }, 'wrong', 'is red.'],
  ['got no report', { status: 'completed', conclusion: 'action_required', title: 'Not tried' }, 'wrong', 'Not tried.'],
] as const)('a base of which the App %s', async (_, check, state, words) => {
  const url = 'https://github.com/acme/shop/runs/1';
  const others = { status: 'completed', conclusion: 'success', title: 'All is there', by: 'github-actions', url };
  const checksOnHead = async () => [others, ...(check === undefined ? [] : [{ ...check, by: 'loopwright', url }])];
  const app = async () => ({ slug: 'loopwright', url, permissions: {}, events: [], serverVersion: undefined });
  const finding = await said(repositoryLooks, 'trial', { look: { checksOnHead }, app });
  expect(finding).toMatchObject({ state, sentence: expect.stringContaining(words) });
});

test('workflows that Actions do not know are unknown', async () => {
  const finding = await said(fileLooks, 'switched on', { look: { workflowState: async () => undefined } });
  expect(finding).toMatchObject({ state: 'unknown' });
});

test('a look that fails otherwise than by a refusal says so', async () => {
  const refused = () => Promise.reject(new LoopError('GitHub answered 451', { status: 451 }));
  await expect(said(fileLooks, 'allowed actions', { look: { actions: refused } })).rejects.toThrow('451');
});

test('a machine without a sandbox matters where jobs run on it, and is else unknown', async () => {
  const sandboxProblem = async () => 'bubblewrap is not installed.';
  expect(await said(machineLooks, 'sandbox', { sandboxProblem })).toMatchObject({ state: 'unknown' });
  const here = { sandboxProblem, apiUrl: 'http://127.0.0.1:8480/api/v3' };
  expect(await said(machineLooks, 'sandbox', here)).toMatchObject({ state: 'missing' });
});
