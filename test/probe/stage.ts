/** The embedded GitHub as a loop takes GitHub for granted, and what probes say of it, with answers tampered with where that is wanted. */
import { pino } from 'pino';
import { createGitHub } from '../../src/github/github.ts';
import type { RepositoryRef } from '../../src/github/github-port.ts';
import { createInspection } from '../../src/github/inspection.ts';
import { createProbing } from '../../src/github/probing.ts';
import { recorded } from '../../src/github/sent.ts';
import { wire } from '../../src/github/wire.ts';
import { WEBHOOK_PATH } from '../../src/intake/webhooks.ts';
import { type Probed, type ProbeOptions, probeAll } from '../../src/probe/probe-all.ts';
import { PROBES } from '../../src/probe/probes.ts';
import { setupText } from '../../src/settings/setup-files.ts';
import { HERE, type Stage, startStage } from '../local/server.ts';
import { executeHere } from '../local/workflow-kit.ts';

export type Tampering = (answer: Response, request: Request) => Response | Promise<Response>;

export interface Seen extends Probed {
  readonly told: readonly string[];
  readonly said: readonly string[];
}

export interface ProbeStage extends Stage {
  /** What people have arranged on GitHub's settings pages; what is not named is as all probes want it. */
  readonly arrange: (changes?: object) => Promise<void>;
  readonly probed: (
    subjects: readonly string[] | undefined,
    options?: Partial<ProbeOptions> & { readonly tampering?: Tampering },
  ) => Promise<Seen>;
  /** What is there that nobody but a probe makes. */
  readonly leftovers: () => Promise<readonly string[]>;
}

const CI = 'name: CI\non: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps: [{ run: echo ok }]\n';
/** What app.yml asks for. */
export const PERMISSIONS = {
  ...{ metadata: 'read', contents: 'write', issues: 'write', pull_requests: 'write', checks: 'write' },
  ...{ actions: 'write', statuses: 'read', merge_queues: 'read' },
};

/** A ruleset for branches of the probe that requires these checks; whether of a new branch too. */
export const requiring = (names: readonly string[], isOfNew = true) => ({
  prefix: 'loopwright/probe-required-',
  rules: [
    {
      type: 'required_status_checks',
      parameters: {
        required_status_checks: names.map((context) => ({ context })),
        strict_required_status_checks_policy: false,
        do_not_enforce_on_create: !isOfNew,
      },
    },
  ],
});

/** Rules that are broken by whoever creates such a branch or lacks such a check, and a merge of workflows that is taken, because the App may write them. */
const WANTED = {
  restricted: 'loopwright/probe-rules-',
  branchRules: requiring(['loopwright / evidence']),
  permissions: { ...PERMISSIONS, workflows: 'write' },
};

export async function startProbeStage(files: Readonly<Record<string, string>> = {}): Promise<ProbeStage> {
  const verify = await setupText(['workflows', 'loopwright-verify.yml'], 'github.com');
  const stage = await startStage({
    files: {
      'README.md': '# Toys\n',
      '.github/workflows/loopwright-verify.yml': verify,
      '.github/workflows/ci.yml': CI,
      ...files,
    },
    executeWorkflow: executeHere,
  });
  const arrange = async (changes: object = {}) =>
    void (await stage.local('PATCH', '/switches', { arranged: { ...WANTED, ...changes } }));
  await arrange();
  const publicUrl = new URL(stage.receiver.url).origin;
  stage.server.setWebhookUrl(`${publicUrl}${WEBHOOK_PATH}`);
  const { rest } = stage.as('alice');
  const { data } = await rest.repos.get(HERE);
  const repository = { installationId: stage.server.credentials.installationId, repositoryId: data.id, ...HERE };
  return {
    ...stage,
    arrange,
    probed: (subjects, options = {}) => probedOn({ stage, repository, publicUrl }, subjects, options),
    async leftovers() {
      const { data: refs } = await rest.git.listMatchingRefs({ ...HERE, ref: 'loopwright/' });
      const { data: branches } = await rest.repos.listBranches({ ...HERE, per_page: 100 });
      const { data: pulls } = await rest.pulls.list({ ...HERE, state: 'open' });
      return [...refs.map(({ ref }) => ref), ...branches.map(({ name }) => name), ...pulls.map(({ title }) => title)];
    },
  };
}

interface On {
  readonly stage: { readonly server: Pick<Stage['server'], 'url' | 'credentials'> };
  readonly repository: RepositoryRef;
  readonly publicUrl: string;
}

export async function probedOn(
  { stage, repository, publicUrl }: On,
  subjects: readonly string[] | undefined,
  { tampering = (answer) => answer, ...changes }: Partial<ProbeOptions> & { readonly tampering?: Tampering },
): Promise<Seen> {
  const { appId, privateKey } = stage.server.credentials;
  const apiUrl = `${stage.server.url}/api/v3`;
  const through = wire({ apiUrl, checked: true, probes: true });
  const { fetch, sent } = recorded(async (input, init) => {
    const request = new Request(input, init);
    return tampering(await through(request.clone()), request);
  });
  const options = { appId, privateKey, apiUrl, fetch, pauseMs: 1, log: pino({ level: 'silent' }) };
  const [told, said]: [string[], string[]] = [[], []];
  const report = await probeAll({
    ...{ github: createGitHub(options), probing: createProbing(options), inspection: createInspection(options) },
    ...{ sent, repository, publicUrl, patienceMs: 1500, longPatienceMs: 60_000, mayLoad: false, hasPerson: false },
    ...{ signal: new AbortController().signal, now: () => new Date() },
    tell: (probe) => void told.push(probe.subject),
    say: (sentence) => void said.push(sentence),
    probes: PROBES.filter(({ subject }) => subjects === undefined || subjects.includes(subject)),
    ...changes,
  });
  return { ...report, told, said };
}

/** An answer whose JSON is changed, where its path is of interest. */
export function json(
  change: (body: never, request: Request) => unknown,
  isAbout: (path: string) => boolean,
): Tampering {
  return async (answer, request) => {
    if (!isAbout(new URL(request.url).pathname) || !answer.ok) return answer;
    const changed = Response.json(change((await answer.json()) as never, request), { status: answer.status });
    return Object.defineProperty(changed, 'url', { value: answer.url });
  };
}

/** Commits what the page that a probe links is filled in with, changed or not. */
export function personOn({ as }: Stage, changed: (text: string) => string = (text) => text) {
  return (sentence: string): void => {
    const { pathname, searchParams } = new URL(/http\S+$/.exec(sentence)?.[0] ?? '');
    const branch = pathname.replace(`/${HERE.owner}/${HERE.repo}/new/`, '');
    const text = changed(searchParams.get('value') ?? '');
    void as('alice').rest.repos.createOrUpdateFileContents({
      ...{ ...HERE, branch, path: searchParams.get('filename') ?? '', message: 'As the page says' },
      content: Buffer.from(text).toString('base64'),
    });
  };
}

/** Changes a workflow on the default branch, so that there is a commit which a merge can bring. */
export async function changeWorkflow({ as }: Stage): Promise<void> {
  const { rest } = as('alice');
  const path = '.github/workflows/ci.yml';
  const { data } = await rest.repos.getContent({ ...HERE, path });
  const sha = 'sha' in data ? data.sha : '';
  const content = Buffer.from(`# Of today.\n${CI}`).toString('base64');
  await rest.repos.createOrUpdateFileContents({ ...HERE, path, message: 'Say when', content, sha });
}
