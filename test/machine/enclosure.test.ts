/** Steps of a repository's own workflows in bubblewrap: they work as outside, and end when they must. */
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WorkflowExecution } from '../../src/local/actions/workflow-types.ts';
import { confining } from '../../src/local/runner/enclosure.ts';
import { createOutlet, type Outlet } from '../../src/local/runner/outlet.ts';
import {
  executeHere,
  executionOf,
  oneJob,
  removeTemporaryDirectories,
  temporaryDirectory,
} from '../local/workflow-kit.ts';

let outlet: Outlet;
let execute: ReturnType<typeof confining>;
beforeAll(async () => {
  outlet = createOutlet((request) => new Response(`asked for ${new URL(request.url).pathname}`));
  const folder = join(await temporaryDirectory(), 'confinement');
  execute = confining({ own: [], known: [], folder, outlet: outlet.path });
});
afterAll(async () => {
  await outlet.close();
  await removeTemporaryDirectories();
});

async function run(steps: string, changes: Partial<WorkflowExecution> = {}) {
  const serverUrl = 'http://127.0.0.1:4711';
  const execution = await executionOf({ text: oneJob(steps), serverUrl, ...changes });
  const { conclusion, jobs } = await executeHere(execution, execute);
  return { conclusion, log: jobs[0]?.log ?? '' };
}

test('a step hands on outputs, variables and the path, and works in its folder', async () => {
  const { conclusion, log } = await run(`- run: |
    mkdir -p sub bin; printf '#!/bin/sh\\necho tool\\n' > bin/own-tool; chmod +x bin/own-tool
    echo "kind=tea" >> "$GITHUB_OUTPUT"; echo "NAME=shop" >> "$GITHUB_ENV"; echo "$PWD/bin" >> "$GITHUB_PATH"
  id: first
- run: own-tool; echo "$NAME \${{ steps.first.outputs.kind }} $(basename "$PWD") $HOME"; touch ~/kept
  working-directory: sub
- run: ls ~; node -e "console.log('node', process.version)"; npm --version > /dev/null; python3 -c "print('python')"`);
  expect(conclusion, log).toBe('success');
  for (const line of ['tool', 'shop tea sub', 'kept', `node ${process.version}`, 'python']) expect(log).toContain(line);
});

test.each([
  ['exit 7', '7'],
  ['kill -9 $$', '137'],
])('a step that ends by %s fails with the exit code %s', async (script, code) => {
  expect((await run(`- run: ${script}`)).log).toContain(`Process completed with exit code ${code}.`);
});

test('the server is where it is outside, and nothing else of any network is there', async () => {
  const { log } = await run(`- run: |
    node -e "fetch(process.env.GITHUB_SERVER_URL + '/api/v3/x').then((a) => a.text()).then((text) => console.log('server', text))"
    node -e "fetch('http://127.0.0.1:4712').catch((error) => console.log('port', error.cause.code))"
    node -e "fetch('http://192.0.2.1').catch((error) => console.log('world', error.cause.code))"`);
  for (const line of ['server asked for /api/v3/x', 'port ECONNREFUSED', 'world ENETUNREACH'])
    expect(log).toContain(line);
});

test('what a step leaves in the background ends with it', async () => {
  const mark = `${60 + Math.floor(Math.random() * 1e6)}.75`;
  await run(`- run: setsid sleep ${mark} > /dev/null 2>&1 &`);
  expect((await execa('pgrep', ['-fx', `sleep ${mark}`], { reject: false })).stdout).toBe('');
});

test('a cancelled run leaves no process behind, also none that left its session', async () => {
  const mark = `${60 + Math.floor(Math.random() * 1e6)}.5`;
  const { conclusion } = await run(`- run: setsid sleep ${mark} & sleep ${mark}`, {
    signal: AbortSignal.timeout(1500),
  });
  expect(conclusion).toBe('cancelled');
  expect((await execa('pgrep', ['-fx', `sleep ${mark}`], { reject: false })).stdout).toBe('');
});

test('a step that uses up the machine is ended with the sentence of the limit', async () => {
  const { conclusion, log } = await run(`- run: for n in $(seq 1 1500); do sleep 600 & done; wait`);
  expect(conclusion).toBe('failure');
  expect(log).toContain('The command was ended: it had more than 1024 processes and threads.');
});
