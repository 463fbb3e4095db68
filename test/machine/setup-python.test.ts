/** The set-up action for Python: a real pip without an index, and what of it is seen in the sandbox. */
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { setUpOn, TOKEN } from '../local/setup-kit.ts';
import {
  type GitServer,
  removeTemporaryDirectories,
  startGitServer,
  temporaryDirectory,
} from '../local/workflow-kit.ts';
import { wheelOf } from './wheels.ts';

let git: GitServer;
let wheels: string;
let digest: string;
beforeAll(async () => {
  git = await startGitServer(TOKEN);
  wheels = await temporaryDirectory();
  const wheel = wheelOf({ name: 'tea', files: { 'tea.py': "kind = 'green tea'\n" } });
  digest = wheel.sha256;
  await writeFile(join(wheels, wheel.file), wheel.content);
});
afterAll(async () => {
  await git.close();
  await removeTemporaryDirectories();
});

/** Opens the sandbox as the job's program does, with the path that the set-up has left, and asks for the package there. */
const inSandbox = (place: string) => `cat > look.mjs <<'END'
import { openSandbox } from ${JSON.stringify(pathToFileURL(resolve('src/sandbox/sandbox.ts')).href)};
const sandbox = await openSandbox({ workspace: process.cwd(), readOnly: [], scripted: false, scratch: ${JSON.stringify(place)} });
const argv = ['python3', '-c', 'import tea; print("sandbox:", tea.kind)'];
const { stdout, stderr } = await sandbox.run({ argv, directory: process.cwd(), timeoutMs: 30000, outputBytes: 9000 });
console.log(stdout + stderr);
END
env -i PATH="$PATH" HOME="$HOME" node look.mjs`;

it('installs what requirements.txt names, with its digest, and tests in the sandbox import it', async () => {
  const { result, said } = await setUpOn(
    git,
    { 'requirements.txt': `--no-index\n--find-links ${wheels}\ntea==1.0 --hash=sha256:${digest}\n` },
    { after: inSandbox(await temporaryDirectory()) },
  );
  expect(said).toContain('Set-up: requirements.txt\n');
  expect(said).toContain('Successfully installed tea-1.0\n');
  expect(said).toContain('sandbox: green tea\n');
  expect(result.conclusion).toBe('success');
});

it('is red with pip’s own words where a package is not the one that was locked', async () => {
  const { result, said } = await setUpOn(git, {
    'requirements.txt': `--no-index\n--find-links ${wheels}\ntea==1.0 --hash=sha256:${'0'.repeat(64)}\n`,
  });
  expect(result.conclusion).toBe('failure');
  expect(said).toContain('THESE PACKAGES DO NOT MATCH THE HASHES');
});
