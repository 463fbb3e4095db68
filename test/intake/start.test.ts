import { expect, it } from 'vitest';
import { startingFacts } from '../../src/intake/start.ts';
import { openStage } from '../drafting/stage.ts';

it('starts nothing where the default branch is named like a branch of ours, which the App may write', async () => {
  const stage = await openStage({
    '.github/loopwright.yml': "version: 1\ncommands: { test: 'true', runner: node-test }\n",
  });
  const factsWith = async (defaultBranch: string) => {
    const github: typeof stage.ports.github = {
      ...stage.ports.github,
      repository: async () => ({ defaultBranch }),
      head: async () => stage.loop.started.base.sha,
    };
    const by = { id: 1, login: 'maria', type: 'User' } as const;
    return startingFacts(stage.loop.ref, { title: 't', body: 'b', user: by, labels: [] }, { ...stage.ports, github });
  };
  expect((await factsWith('loopwright/trunk')).refusal).toBe(
    'The default branch is named `loopwright/trunk`, but what begins with `loopwright/` belongs to loops; rename it and set the label again.',
  );
  expect((await factsWith('trunk')).refusal).toBeUndefined();
  await stage.close();
});
