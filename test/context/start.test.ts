import { expect, it } from 'vitest';
import { startingFacts } from '../../src/context/start.ts';
import type { Onboarding } from '../../src/onboarding/onboarding.ts';
import { openStage } from '../drafting/stage.ts';
import { GUARDRAILS } from '../guardrails.ts';

it('starts nothing where a branch stands in the way: a default branch named like ours, or one named like their folder', async () => {
  const stage = await openStage({
    '.github/loopwright.yml': "version: 1\ncommands: { test: 'true', runner: node-test }\n",
  });
  const factsWith = async (defaultBranch: string, taken = 'none') => {
    const github: typeof stage.ports.github = {
      ...stage.ports.github,
      repository: async () => ({
        defaultBranch,
        url: 'https://github.example/acme/shop',
        server: 'github.com' as const,
      }),
      head: async (_, name) =>
        name === `refs/heads/${defaultBranch}` || name === `refs/heads/${taken}`
          ? stage.loop.started.base.sha
          : undefined,
    };
    const by = { id: 1, login: 'maria', type: 'User' } as const;
    return startingFacts(stage.loop.ref, { title: 't', body: 'b', user: by, labels: [] }, { ...stage.ports, github });
  };
  expect((await factsWith('loopwright/trunk')).refusal).toBe(
    'The default branch is named `loopwright/trunk`, but what begins with `loopwright/` belongs to loops; rename it and set the label again.',
  );
  expect((await factsWith('trunk')).refusal).toBeUndefined();
  expect((await factsWith('trunk')).thresholds).toEqual(GUARDRAILS.thresholds);
  expect((await factsWith('trunk')).limits).toEqual({
    iterations: 3,
    usd: 3,
    runMinutes: 60,
    checksQuietSeconds: 120,
    modelSeconds: 300,
  });
  expect((await factsWith('trunk', 'loopwright')).refusal).toBe(
    `There is a branch \`loopwright\`, so git cannot have the loop's branch \`loopwright/${stage.loop.ref.issue}\` below it; rename that branch and set the label again.`,
  );
  await stage.close();
});

it('starts nothing on the very commit whose trial was red, and asks for no other commit what this one came to', async () => {
  const stage = await openStage({
    '.github/loopwright.yml': "version: 1\ncommands: { test: 'true', runner: node-test }\n",
  });
  const base = stage.loop.started.base.sha;
  const { installationId, repositoryId, owner, repo } = stage.loop.ref;
  const onboarding = {
    ...{ installationId, repositoryId, owner, repo, at: '2026-03-02T09:00:00.000Z' },
    ...({ stage: 'waiting', trials: 1, unasked: 1, base } as const),
  };
  const refusalAfter = async (red: Onboarding['red']) => {
    const store: typeof stage.ports.store = {
      ...stage.ports.store,
      onboarding: async () => ({ version: 1, onboarding: { ...onboarding, ...(red && { red }) } }),
    };
    const github: typeof stage.ports.github = {
      ...stage.ports.github,
      repository: async () => ({
        defaultBranch: 'trunk',
        url: 'https://github.example/acme/shop',
        server: 'github.com' as const,
      }),
      head: async (_, name) => (name === 'refs/heads/trunk' ? base : undefined),
    };
    const by = { id: 1, login: 'maria', type: 'User' } as const;
    const issue = { title: 't', body: 'b', user: by, labels: [] };
    return (await startingFacts(stage.loop.ref, issue, { ...stage.ports, github, store })).refusal;
  };
  const says = 'The base is red: its suite failed twice. Mend the default branch.';
  expect(await refusalAfter({ base, says })).toBe(
    `No loop starts on \`${base.slice(0, 7)}\`, which was tried. ${says} Its check \`loopwright / setup\` shows what came of it, and **Re-run** there tries it again. Set the label again when it is green.`,
  );
  expect(await refusalAfter({ base: 'b'.repeat(40), says })).toBeUndefined();
  expect(await refusalAfter(undefined)).toBeUndefined();
  await stage.close();
});
