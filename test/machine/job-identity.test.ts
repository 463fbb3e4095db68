/** With what a job asks GitHub who it is, looked for from where a model's commands run. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { APPROVED, briefFor, checkout, command, DESIGN, GOOD, write } from '../jobs/build-fixture.ts';
import { startScriptedModel } from '../jobs/scripted-model.ts';
import { JOB } from '../prepared.ts';

const CANARY = 'planted-canary';
const IDENTITY = { ACTIONS_ID_TOKEN_REQUEST_URL: 'http://127.0.0.1:9/', ACTIONS_ID_TOKEN_REQUEST_TOKEN: CANARY };
/** Environments and command lines of all processes that can be seen. */
const LOOK = `cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2> /dev/null | tr '\\0' '\\n' | sed -n 's/.*REQUEST_TOKEN=/seen /p'`;

test('it is nowhere to be found, and the same look finds it outside', async () => {
  expect((await execa('bash', ['-c', LOOK], { env: IDENTITY })).stdout).toContain(`seen ${CANARY}`);
  const place = await checkout();
  onTestFinished(() => place.remove());
  const model = await startScriptedModel({
    answers: { 'acceptance-tests': [DESIGN], ...APPROVED },
    turns: [[command(`${LOOK}; env | cut -d= -f1; echo looked`), write('src/greet.js', GOOD)]],
  });
  const folder = await mkdtemp(join(place.root, 'job-'));
  await writeFile(join(folder, 'brief.json'), JSON.stringify(briefFor(place)));
  const { stdout, stderr } = await execa(process.execPath, [JOB, 'build'], {
    extendEnv: false,
    env: {
      ...{ PATH: process.env.PATH ?? '', HOME: place.root, ...IDENTITY },
      ...{ LOOPWRIGHT_BRIEF: join(folder, 'brief.json'), LOOPWRIGHT_WORKSPACE: place.workspace },
      ...{ LOOPWRIGHT_OUTPUT: join(folder, 'output'), LOOPWRIGHT_MODEL_URL: model.url },
    },
  });
  await model.close();
  const told = model.requests.flatMap(({ messages }) => messages.map(({ content }) => content)).join('\n');
  expect(told).toMatch(/^looked$/m);
  expect(told).toMatch(/^PATH$/m);
  expect(told).not.toMatch(/^ACTIONS_/m);
  for (const text of [told, stdout, stderr]) expect(text).not.toContain(CANARY);
});
