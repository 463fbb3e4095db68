/** An authored script belongs to one issue; about another one nobody is misled. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createModel } from '../../src/adapters/model.ts';
import { demoScript, readIssue } from '../../src/demo/demo-material.ts';
import { readScript } from '../../src/demo/script.ts';
import { type ScriptedModel, startScriptedModel } from '../../src/demo/scripted-model.ts';
import { issueBlock } from '../../src/drafting/material.ts';
import { userOf } from '../../src/drafting/prompt.ts';
import { ModelError } from '../../src/errors.ts';
import { newLoop } from '../../src/loop/loop.ts';
import { startedOn } from '../adapters/loops.ts';

let server: ScriptedModel;
beforeAll(async () => {
  server = await startScriptedModel(await readScript(demoScript()));
});
afterAll(() => server.close());

const CONTEXT = { loop: 'acme/guestbook#1', phase: 'DISCOVER', skill: 'interview-me', role: 'planner', attempt: 1 };

function ask(title: string, name: 'interview' | 'release' = 'interview') {
  const loop = newLoop({ installationId: 1, repositoryId: 2, owner: 'acme', repo: 'guestbook', issue: 1, n: 1 });
  const issue = { title, body: 'Please.', author: { id: 7, login: 'maria', type: 'User' as const } };
  const user = userOf(
    'Ask.',
    name === 'interview' ? [issueBlock({ ...loop, started: { ...startedOn('loopwright/1'), issue } })] : [],
  );
  const { url: baseUrl } = server;
  const model = createModel({ baseUrl, apiKey: 'none', model: 'scripted', scripted: true, silenceMs: 5000 });
  return model.answer({ name, context: CONTEXT, system: 'You ask.', user });
}

test('the demo script knows the issue of the demo', async () => {
  const { title } = await readIssue();
  expect((await ask(title)).answer).toMatchObject({ questions: [{}, {}] });
});

test('about another issue it refuses in one sentence that says what it is and what to do, and is not asked again', async () => {
  const error = await ask('Count the visitors').catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ModelError);
  expect(String(error)).toContain(
    'gave no usable interview in 1 try: its answers are authored for the issue “Let visitors search the guestbook” only, and this is another one; name a real model with LLM_BASE_URL and LLM_MODEL.',
  );
});

test('what is asked without telling the issue is answered', async () => {
  expect((await ask('', 'release')).answer).toMatchObject({ title: expect.any(String) });
});
