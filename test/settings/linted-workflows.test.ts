/** The workflow files and actions that are written into a repository, as GitHub's own language service reads them. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validate } from '@actions/languageservice';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TextDocument } from 'vscode-languageserver-textdocument';
import {
  JOB_ACTION,
  SETUP_ACTION,
  type SetupRequest,
  workflowPath,
  writeSetup,
} from '../../src/settings/setup-files.ts';

const FILES = [workflowPath('loopwright-build.yml'), workflowPath('loopwright-verify.yml'), JOB_ACTION, SETUP_ACTION];

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'linted-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Without what actions of others take: they are at their addresses, and nobody is asked for them here. */
async function foundIn(path: string, text: string): Promise<readonly string[]> {
  // It remembers what it read at an address.
  const found = await validate(TextDocument.create(`file:///${randomUUID()}/${path}`, 'yaml', 1, text));
  return found.map(({ message, range }) => `line ${range.start.line + 1}: ${message}`);
}

describe.each<[string, Omit<SetupRequest, 'force'>]>([
  ['GitHub’s own machines', {}],
  ['machines of one’s own', { runsOn: ['self-hosted', 'linux', 'arm64'] }],
  ['an enterprise server', { server: 'enterprise-server' }],
])('what is written for %s', (_, request) => {
  test.each(FILES)('says nothing in %s that GitHub does not understand', async (path) => {
    await writeSetup(directory, { force: false, ...request });
    expect(await foundIn(path, await readFile(join(directory, path), 'utf8'))).toEqual([]);
  });
});

test.each([
  ['a key that no job has', FILES[0], /timeout-minutes:/, 'time-out-minutes:'],
  ['a machine that is a number of lists', FILES[1], /runs-on: .*/, 'runs-on: [[1]]'],
  ['an input that the workflow does not take', FILES[1], /inputs\.phase/, 'inputs.phases'],
  [
    'an expression that does not end',
    FILES[2],
    /\$\{\{ inputs\.run \}\}|\$\{\{ fromJSON\(inputs\.run\)\.base \}\}/,
    '${' + '{ fromJSON( }}',
  ],
  ['an action of no kind', FILES[3], /using: composite/, 'using: composites'],
])('%s is found', async (_, path = '', from, to) => {
  await writeSetup(directory, { force: false });
  const text = await readFile(join(directory, path), 'utf8');
  expect(text).toMatch(from);
  expect(await foundIn(path, text.replace(from, to))).not.toEqual([]);
});
