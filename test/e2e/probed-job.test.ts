/** The job by which a probe sees how jobs stand: dispatched for real, with the App that it comes from, and its runner. */
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { packageFile } from '../../src/settings/package-root.ts';
import { listening } from '../listening.ts';
import { probedOn } from '../probe/stage.ts';
import { pushed } from './acts.ts';
import { REPOSITORY, startWorld, type World } from './world.ts';

const PATIENCE_MS = 600_000;
const [owner = '', repo = ''] = REPOSITORY.split('/');

let world: World;
/** Where the model is asked, which nobody does. */
let model: Server;
let asked = 0;
beforeAll(async () => {
  model = createServer((_, response) => {
    asked += 1;
    response.writeHead(500).end();
  });
  world = await startWorld({ gateway: true, modelUrl: `${await listening(model)}/v1` });
});
afterAll(async () => {
  await world.close();
  model.close();
  expect(asked).toBe(0);
});

async function probed(publicUrl: string) {
  const { id: repositoryId } = z.object({ id: z.int() }).parse((await world.as('maria', 'GET', '')).body);
  const { installationId } = world.github.credentials;
  const repository = { owner, repo, repositoryId, installationId };
  const on = { stage: { server: world.github }, repository, publicUrl };
  const { rows, left } = await probedOn(on, ['PUBLIC_URL', 'token', 'sandbox'], { longPatienceMs: PATIENCE_MS });
  expect(left).toEqual([]);
  return Object.fromEntries(rows.map(({ subject, state, sentence }) => [subject, `${state}: ${sentence}`]));
}

it('shows that the runner reaches the App, that the token would do, and that the sandbox works', async () => {
  expect(await probed(world.app.url)).toEqual({
    PUBLIC_URL: expect.stringMatching(/^ok: Run \d+ took its job and its brief from http/),
    token: 'ok: The token of the job in the environment `loopwright` has the claims that the gateway asks for.',
    sandbox: expect.stringMatching(/^ok: The sandbox works on the runner\. A command ran in it\./),
  });
});

it('shows an App that runners do not reach, in what the step of the workflow says', async () => {
  const other = createServer(async (request, response) => {
    const isShown = request.url?.startsWith(`/jobs/job-${'0'.repeat(64)}`) || request.url?.startsWith('/briefs/');
    const answer = isShown ? await fetch(new URL(request.url ?? '', world.app.url)) : undefined;
    response.writeHead(answer?.status ?? 403).end((await answer?.text()) ?? 'Not for runners.');
  });
  const rows = await probed(await listening(other));
  other.closeAllConnections();
  other.close();
  expect(rows.PUBLIC_URL).toMatch(
    /^wrong: The runner of run \d+ did not .*\/jobs\/job-[0-9a-f]{64}\.mjs answered 403: Not for runners\.$/,
  );
  expect(rows.token).toMatch(/^unknown: Run \d+ ended as failure without a report\.$/);
});

it('shows a job whose workflow names no environment', async () => {
  const path = '.github/workflows/loopwright-build.yml';
  const text = await readFile(packageFile('config', 'workflows', 'loopwright-build.yml'), 'utf8');
  await pushed(world, 'maria', { branch: 'main', path, text: text.replaceAll('    environment: loopwright\n', '') });
  expect(await probed(world.app.url)).toMatchObject({
    PUBLIC_URL: expect.stringMatching(/^ok/),
    token: expect.stringMatching(
      /^wrong: The gateway does not take the job's token \(403\): Run \d+ .* awaits\. The token's environment is missing, not "loopwright": /,
    ),
    sandbox: expect.stringMatching(/^ok/),
  });
});
