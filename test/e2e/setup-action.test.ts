/** The set-up action that `init` writes, run by the embedded GitHub's runner with a real npm and without a registry. */
import { mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCompositeAction } from '../../src/local/actions/workflow-file.ts';
import { ACTION, PLACE, type SetUpOptions, setUpOn, TOKEN } from '../local/setup-kit.ts';
import {
  type GitServer,
  removeTemporaryDirectories,
  startGitServer,
  temporaryDirectory,
} from '../local/workflow-kit.ts';

/** A dependency that lies in the repository itself, so that no registry is asked. */
const NPM = {
  'package.json': '{ "name": "shop", "dependencies": { "tea": "file:tea" } }\n',
  'package-lock.json': JSON.stringify({
    name: 'shop',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name: 'shop', dependencies: { tea: 'file:tea' } },
      'node_modules/tea': { resolved: 'tea', link: true },
      tea: { version: '1.0.0' },
    },
  }),
  'tea/package.json': '{ "name": "tea", "version": "1.0.0", "main": "tea.js" }\n',
  'tea/tea.js': "module.exports = 'green tea';\n",
};

describe('the set-up action', () => {
  let git: GitServer;
  let bin: string;
  beforeAll(async () => {
    git = await startGitServer(TOKEN);
    bin = await programs();
  });
  afterAll(async () => {
    await git.close();
    await removeTemporaryDirectories();
  });

  /** What a runner must have, and nothing that installs packages. */
  async function programs(): Promise<string> {
    const directory = await temporaryDirectory();
    const { stdout } = await execa('which', ['bash', 'git', 'mkdir', 'mv', 'find', 'cat', 'ls']);
    for (const program of stdout.split('\n')) await symlink(program, join(directory, program.split('/').at(-1) ?? ''));
    return directory;
  }

  const setUp = (files: Readonly<Record<string, string>>, options?: SetUpOptions) => setUpOn(git, files, options);

  it('has only steps that say what they do and hold no expression in their scripts', () => {
    const { steps } = parseCompositeAction(ACTION, PLACE).runs;
    expect(steps.filter(({ name, run }) => name === undefined || run === undefined)).toEqual([]);
    expect(steps.filter(({ run = '' }) => run.includes('${' + '{'))).toEqual([]);
  });

  it('does nothing without a lock file, and says so in one line', async () => {
    const { result, said } = await setUp({ 'package.json': '{}' }, { after: 'ls -A; ls -A "$RUNNER_TEMP"' });
    expect(result.conclusion).toBe('success');
    expect(said).toContain(
      'Set-up: nothing to do, there is no package-lock.json, pnpm-lock.yaml, yarn.lock, requirements.txt or uv.lock\n',
    );
    expect(said).not.toContain('\nloopwright-setup\n');
  });

  it('runs npm ci for package-lock.json, and keeps what came of it for every working copy, out of the workspace', async () => {
    const elsewhere = [
      'ls "$RUNNER_TEMP/loopwright-setup"; ls -A | grep node_modules || echo clean',
      'cp -R "$RUNNER_TEMP/loopwright-setup/." . && cp -R "$RUNNER_TEMP/loopwright-setup/." .',
      `node -p "require('tea')"`,
    ];
    const { result, said } = await setUp(NPM, { after: elsewhere.join('\n') });
    expect(said).toContain('Set-up: package-lock.json\n');
    expect(said).toMatch(/\nadded 1 package[\s\S]*\nnode_modules\nclean\ngreen tea\n/);
    expect(result.conclusion).toBe('success');
  });

  it('keeps the folders of workspaces where they were', async () => {
    const lock = {
      name: 'shop',
      lockfileVersion: 3,
      requires: true,
      packages: {
        '': { name: 'shop', workspaces: ['packages/cup'] },
        'node_modules/cup': { resolved: 'packages/cup', link: true },
        'packages/cup': { version: '1.0.0' },
      },
    };
    const { result, said } = await setUp(
      {
        'package.json': '{ "name": "shop", "workspaces": ["packages/cup"] }',
        'package-lock.json': JSON.stringify(lock),
        'packages/cup/package.json':
          '{ "name": "cup", "version": "1.0.0", "scripts": { "install": "mkdir -p node_modules && touch node_modules/made" } }',
      },
      { after: 'cd "$RUNNER_TEMP/loopwright-setup"; find . -name made -o -name cup' },
    );
    expect(result.conclusion).toBe('success');
    expect(said).toContain('./packages/cup/node_modules/made\n');
    expect(said).toContain('./node_modules/cup\n');
  });

  it('is red with npm’s own words where package.json and package-lock.json do not agree', async () => {
    const { result, said } = await setUp({
      ...NPM,
      'package.json': '{ "dependencies": { "tea": "file:tea", "milk": "file:milk" } }',
    });
    expect(result.conclusion).toBe('failure');
    expect(said).toContain('npm ci');
  });

  it.each([
    [
      'package-lock.json',
      'package-lock.json needs npm, which is not on this runner; install it in a step before this one.',
    ],
    [
      'pnpm-lock.yaml',
      'pnpm-lock.yaml needs pnpm or corepack, and neither is on this runner; install one in a step before this one.',
    ],
    [
      'yarn.lock',
      'yarn.lock needs yarn or corepack, and neither is on this runner; install one in a step before this one.',
    ],
    [
      'requirements.txt',
      'requirements.txt needs python3 with venv, which is not on this runner; install it in a step before this one.',
    ],
    ['uv.lock', 'uv.lock needs uv, which is not on this runner; install it in a step before this one.'],
  ])('says in one sentence which program %s needs on a runner without it', async (lock, sentence) => {
    const { result, said } = await setUp({ [lock]: '' }, { path: bin });
    expect(result.conclusion).toBe('failure');
    expect(said).toContain(`##[error]${sentence}\n`);
    expect(result.jobs.flatMap(({ annotations }) => annotations.map(({ message }) => message))).toContain(sentence);
  });

  it('takes several lock files one after the other, each by its own program', async () => {
    const own = await mkdtemp(join(bin, 'own-'));
    for (const name of ['npm', 'pnpm', 'yarn', 'python3', 'uv']) {
      const pip =
        name === 'python3'
          ? 'mkdir -p "$3/bin"; printf \'#!/bin/bash\\necho ran pip $*\\n\' > "$3/bin/pip"; /bin/chmod +x "$3/bin/pip"'
          : ':';
      await writeFile(join(own, name), `#!/bin/bash\necho ran ${name} $1 $2\n${pip}\n`, { mode: 0o755 });
    }
    const locks = {
      'uv.lock': '',
      'requirements.txt': '',
      'yarn.lock': '',
      'pnpm-lock.yaml': '',
      'package-lock.json': '',
    };
    const { result, said } = await setUp(locks, { path: `${own}:${bin}` });
    expect(result.conclusion).toBe('success');
    expect(said).toContain('Set-up: package-lock.json pnpm-lock.yaml yarn.lock requirements.txt uv.lock\n');
    expect(said.match(/^ran .*$/gm)).toEqual([
      'ran npm ci',
      'ran pnpm install --frozen-lockfile',
      'ran yarn install --frozen-lockfile',
      'ran python3 -m venv',
      'ran pip install --disable-pip-version-check -r requirements.txt',
      'ran uv sync --frozen',
    ]);
  });
});
