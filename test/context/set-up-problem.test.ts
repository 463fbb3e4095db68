import { beforeAll, describe, expect, it } from 'vitest';
import { setUpProblem } from '../../src/context/set-up-problem.ts';
import { startingFacts } from '../../src/context/start.ts';
import type { Onboarding } from '../../src/onboarding/onboarding.ts';
import { setupText } from '../../src/settings/setup-files.ts';
import { openStage, type Stage } from '../drafting/stage.ts';

const CONFIG = "version: 1\ncommands: { test: 'true', runner: node-test }\n";
const BUILD = '.github/workflows/loopwright-build.yml';
const SAYS = 'The base is red: its suite failed twice. Mend the default branch.';
const NOT_YET =
  "No loop starts on `BASE` yet: the repository's check `loopwright / setup` is not green. It says what is in the way, and **Re-run** there looks again. Set the label again when it is green.";
const OTHER = 'b'.repeat(40);

let whole: Readonly<Record<string, string>>;
beforeAll(async () => {
  const text = (...place: readonly string[]) => setupText(place, 'github.com');
  whole = {
    '.github/loopwright.yml': CONFIG,
    [BUILD]: await text('workflows', 'loopwright-build.yml'),
    '.github/workflows/loopwright-verify.yml': await text('workflows', 'loopwright-verify.yml'),
    '.github/actions/loopwright-job/action.yml': await text('actions', 'loopwright-job', 'action.yml'),
  };
});

/** With the App's own knowledge of the repository, as it stands for the base. */
async function onStage<Result>(
  files: Readonly<Record<string, string>>,
  known: (base: string) => Partial<Onboarding> | undefined,
  act: (stage: Stage, base: string) => Promise<Result>,
): Promise<Result> {
  const stage = await openStage(files);
  const base = stage.loop.started.base.sha;
  const { installationId, repositoryId, owner, repo } = stage.loop.ref;
  const more = known(base);
  const at = '2026-03-02T09:00:00.000Z';
  const plain = { installationId, repositoryId, owner, repo, at, stage: 'ready', trials: 1, unasked: 1 } as const;
  const stored = more && { version: 1, onboarding: { ...plain, ...more } };
  const ports = { ...stage.ports, store: { ...stage.ports.store, onboarding: async () => stored } };
  try {
    return await act({ ...stage, ports }, base);
  } finally {
    await stage.close();
  }
}

const problemIn = (files: Readonly<Record<string, string>>, known: (base: string) => Partial<Onboarding> | undefined) =>
  onStage(files, known, async ({ ports, loop }, sha) => {
    const problem = await setUpProblem(loop.ref, { sha, server: 'github.com' }, ports);
    return problem?.replaceAll(sha.slice(0, 7), 'BASE');
  });

describe('a commit whose files are all there', () => {
  it.each<[string, (base: string) => Partial<Onboarding> | undefined, string | undefined]>([
    ['whose trial was green', (base) => ({ base }), undefined],
    ['of a repository that the App did not set up', () => undefined, undefined],
    ['of a repository that was seen to be ready, later than that', () => ({ base: OTHER }), undefined],
    [
      'of a repository whose set-up somebody declined, so that nothing was tried',
      () => ({ stage: 'declined', pull: 4 }),
      NOT_YET,
    ],
    [
      'that was not tried, where another was red',
      () => ({ stage: 'waiting', red: { base: OTHER, says: SAYS } }),
      NOT_YET,
    ],
    [
      'where another is being tried',
      () => ({ stage: 'trying', base: OTHER }),
      NOT_YET.replace('not green.', 'not green (the commit tried last is `bbbbbbb`).'),
    ],
    ['that is about to be looked at', () => ({ stage: 'asked' }), NOT_YET],
    ['whose base was green, and whose model was not', (base) => ({ stage: 'waiting', base }), NOT_YET],
    [
      'whose trial was red',
      (base) => ({ stage: 'waiting', base, red: { base, says: SAYS } }),
      `No loop starts on \`BASE\`, which was tried. ${SAYS} Its check \`loopwright / setup\` shows what came of it, and **Re-run** there tries it again. Set the label again when it is green.`,
    ],
    [
      'that is being tried',
      (base) => ({ stage: 'trying', base }),
      '`BASE` is being tried: installed, built, tested twice. Set the label again when its check `loopwright / setup` is green.',
    ],
  ])('%s', async (_, known, problem) => {
    expect(await problemIn(whole, known)).toBe(problem);
  });
});

describe('a commit', () => {
  it('whose workflow was given a right to write since it was looked at starts no loop', async () => {
    const weaker = { ...whole, [BUILD]: (whole[BUILD] ?? '').replaceAll('contents: read', 'contents: write') };
    expect(await problemIn(weaker, (base) => ({ base }))).toMatch(
      /^No loop starts on `BASE`: `\.github\/workflows\/loopwright-build\.yml` is not as this version of Loopwright writes it: .* Set the label again when it is mended\.$/,
    );
  });

  it('whose jobs run elsewhere and longer is as good as any', async () => {
    const moved = (whole[BUILD] ?? '')
      .replaceAll('runs-on: ubuntu-latest', 'runs-on: [self-hosted]')
      .replaceAll('timeout-minutes: 120', 'timeout-minutes: 300');
    expect(moved).not.toBe(whole[BUILD]);
    expect(await problemIn({ ...whole, [BUILD]: moved }, (base) => ({ base }))).toBeUndefined();
  });

  it('that lacks files names each, and the pull request that says how to add them while that is open', async () => {
    const { [BUILD]: _, ...lacking } = whole;
    const told = await problemIn(lacking, () => ({ stage: 'waiting', pull: 4 }));
    expect(told).toBe(
      `No loop starts on \`BASE\`: \`${BUILD}\` is missing; \`loopwright init\` writes it into a checkout. Pull request #4 says how to add what is missing. Set the label again when it is mended.`,
    );
    expect(await problemIn(lacking, () => ({ pull: 4 }))).not.toContain('#4');
    expect(await problemIn(lacking, () => ({ stage: 'declined', pull: 4 }))).toContain(
      ' Pull request #4, which was closed, says how to add what is missing; reopen it. ',
    );
    expect(await problemIn(lacking, () => ({ stage: 'waiting', pull: 4, unneeded: true }))).not.toContain('#4');
  });

  it('in which a file was changed names no pull request, because none brings it', async () => {
    const weaker = { ...whole, [BUILD]: (whole[BUILD] ?? '').replaceAll('contents: read', 'contents: write') };
    expect(await problemIn(weaker, () => ({ stage: 'waiting', pull: 4 }))).not.toContain('#4');
  });
});

const refusalIn = (files: Readonly<Record<string, string>>, headOf: (base: string) => string | undefined) =>
  onStage(
    files,
    () => ({}),
    async ({ ports, loop }, base) => {
      const github: typeof ports.github = {
        ...ports.github,
        repository: async () => ({
          defaultBranch: 'trunk',
          url: 'https://github.example/acme/shop',
          server: 'github.com',
        }),
        head: async (_, name) => (name === 'refs/heads/trunk' ? headOf(base) : undefined),
        ...(headOf(base) === undefined && { file: async () => undefined }),
      };
      const by = { id: 1, login: 'maria', type: 'User' } as const;
      const issue = { title: 't', body: 'b', user: by, labels: [] };
      return (await startingFacts(loop.ref, issue, { ...ports, github })).refusal;
    },
  );

it('a label is refused by it', async () => {
  const { [BUILD]: _, ...lacking } = whole;
  expect(await refusalIn(lacking, (base) => base)).toContain(`\`${BUILD}\` is missing`);
  expect(await refusalIn(whole, (base) => base)).toBeUndefined();
});

it('a repository without a commit is refused for the file that is missing, and nothing is fetched of it', async () => {
  expect(await refusalIn(whole, () => undefined)).toMatch(
    /^\.github\/loopwright\.yml is missing on the default branch;/,
  );
});
