import { expect, it } from 'vitest';
import { startingFacts } from '../../src/context/start.ts';
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
