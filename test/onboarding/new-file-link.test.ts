/** The links that people are given, and not the files alone, have to be short enough for GitHub. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFileLink } from '../../src/onboarding/new-file-link.ts';
import { WORKFLOWS } from '../../src/settings/config.ts';
import { type Server, workflowPath, writeSetup } from '../../src/settings/setup-files.ts';

/** Of the text; GitHub refuses the address of a prefilled page that is longer. */
const LONGEST = 5000;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'links-'));
});
afterAll(() => rm(directory, { recursive: true }));

const LABELS = [undefined, ['self-hosted', 'linux', 'arm64'], ['a-label-of-thirty-characters-xx']];
const SERVERS: readonly Server[] = ['github.com', 'enterprise-server'];
const VARIANTS = SERVERS.flatMap((server) => LABELS.map((runsOn) => ({ server, runsOn })));

describe.each(Object.values(WORKFLOWS))('%s', (name) => {
  it.each(VARIANTS)('fits into the address of a prefilled page, for $server on $runsOn', async ({ server, runsOn }) => {
    await writeSetup(directory, { force: true, server, ...(runsOn && { runsOn }) });
    const path = workflowPath(name);
    const text = await readFile(join(directory, path), 'utf8');
    const link = newFileLink({ url: 'https://github.com/o/r', branch: 'main', path, text });
    expect(new URL(link).searchParams.get('value')).toBe(text);
    expect(/&value=(.*)$/.exec(link)?.[1]?.length).toBeLessThanOrEqual(LONGEST);
  });
});

it('keeps what would end a link in Markdown, or mean something there, out of it', () => {
  const place = { url: 'https://github.com/o/r', branch: 'a(b)', path: "it's (1).yml" };
  const link = newFileLink({ ...place, text: "f(x)[0] *y* 'z' !" });
  expect(link).not.toMatch(/[()[\]*' ]/);
  expect(new URL(link).searchParams.get('value')).toBe("f(x)[0] *y* 'z' !");
});
