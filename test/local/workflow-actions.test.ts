import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, describe, expect, it } from 'vitest';
import type { WorkflowArtifact } from '../../src/local/actions/workflow-types.ts';
import { oneJob, removeTemporaryDirectories, runWorkflow } from './workflow-kit.ts';

afterAll(removeTemporaryDirectories);

const namesIn = async (artifact: WorkflowArtifact | undefined): Promise<string[]> =>
  artifact === undefined ? [] : Object.keys(unzipSync(await readFile(artifact.file)));

describe('actions/upload-artifact', () => {
  const tree =
    '- run: mkdir -p out/deep other; echo a > out/a.txt; echo b > out/deep/b.json; echo h > out/.hidden; echo o > other/o.txt; ln -s /etc/passwd out/link\n';
  const upload = (inputs: string) =>
    runWorkflow(oneJob(`${tree}- uses: actions/upload-artifact@v7\n  with:\n    name: result\n${inputs}`));

  it.each([
    ['a folder flat', '    path: out/', ['a.txt', 'deep/b.json']],
    ['hidden files on demand', '    path: out\n    include-hidden-files: true', ['.hidden', 'a.txt', 'deep/b.json']],
    ['one file by its name', '    path: out/deep/b.json', ['b.json']],
    ['a glob below its fixed part', '    path: out/**/*.json', ['deep/b.json']],
    [
      'several lines below their common folder',
      '    path: |\n      out\n      other/o.txt\n      !out/deep',
      ['other/o.txt', 'out/a.txt'],
    ],
  ])('takes %s', async (_, inputs, expected) => {
    const { artifacts, directory } = await upload(inputs);
    expect(await namesIn(artifacts[0])).toEqual(expected);
    const [artifact] = artifacts;
    const zip = await readFile(artifact?.file ?? '');
    expect(artifact).toEqual({
      name: 'result',
      file: `${directory}/artifacts/result.zip`,
      sizeBytes: zip.byteLength,
      digest: `sha256:${createHash('sha256').update(zip).digest('hex')}`,
    });
  });

  it('follows no symbolic link and says so', async () => {
    const { log } = await upload('    path: out');
    expect(log('only')).toContain('##[warning]A symbolic link is not uploaded: out/link');
  });

  it.each([
    ['warn', 'success', '##[warning]No files were found'],
    ['ignore', 'success', 'Z No files were found'],
    ['error', 'failure', '##[error]No files were found'],
  ])('with if-no-files-found %s ends in %s', async (behaviour, conclusion, message) => {
    const { result, log, artifacts } = await upload(`    path: nowhere\n    if-no-files-found: ${behaviour}`);
    expect([result.conclusion, artifacts.length]).toEqual([conclusion, 0]);
    expect(log('only')).toContain(message);
  });

  it('refuses a name that is taken or is a path', async () => {
    const twice = '    path: out\n- uses: actions/upload-artifact@v7\n  with: { name: result, path: out }';
    expect((await upload(twice)).log('only')).toContain(
      'an artifact with this name already exists on the workflow run',
    );
    const outside = await runWorkflow(
      oneJob(`${tree}- uses: actions/upload-artifact@v7\n  with: { name: ../x, path: out }`),
    );
    expect(outside.log('only')).toContain('The artifact name is not valid: ../x');
  });
});

describe('actions/download-artifact', () => {
  it('unpacks an artifact of an earlier job, and names what there is when it is missing', async () => {
    const { log, result } = await runWorkflow(`
on: workflow_dispatch
jobs:
  make:
    runs-on: x
    steps:
      - run: mkdir out; echo made > out/f
      - { uses: actions/upload-artifact@v7, with: { name: made, path: out } }
  take:
    needs: make
    runs-on: x
    steps:
      - { uses: actions/download-artifact@v8, with: { name: made, path: got } }
      - run: cat got/f
      - { uses: actions/download-artifact@v8, with: { name: other } }
`);
    expect(log('take')).toContain('Z made');
    expect(log('take')).toContain('Artifact not found for name: other. This run has: made.');
    expect(result.conclusion).toBe('failure');
  });
});

describe('the set-up actions', () => {
  it('put the running Node first on the path, and warn about another version', async () => {
    const { log, result } = await runWorkflow(
      oneJob(`
- uses: actions/setup-node@v7
  with: { node-version: 20 }
- run: echo "$PATH"
`),
    );
    expect(result.conclusion).toBe('success');
    expect(log('only')).toContain(`Z ${dirname(process.execPath)}:`);
    expect(log('only')).toContain(`Node 20 was asked for; the local runner has only ${process.version}.`);
  });
});

describe('a composite action of the workspace', () => {
  /** A step that writes the action file; its expressions are quoted, so that the workflow leaves them alone. */
  const write = (action: string): string => {
    const lines = action.trim().replaceAll(/\$\{\{/g, () => `\${{ '\${{' }}`);
    const indented = lines.replaceAll('\n', '\n    ');
    const directory = '.github/actions/greet';
    return `- run: |\n    mkdir -p ${directory}\n    cat > ${directory}/action.yml <<'END'\n    ${indented}\n    END\n`;
  };
  const greet = `
inputs:
  who: { default: world }
  tone: { required: true }
outputs:
  said: { value: "\${{ steps.say.outputs.said }}" }
runs:
  using: composite
  steps:
    - id: say
      shell: bash
      run: echo "said=hello $WHO $EXTRA" >> "$GITHUB_OUTPUT"; echo "at $GITHUB_ACTION_PATH"
      env: { WHO: "\${{ inputs.who }}" }
`;

  it('sees its inputs and defaults, and gives its outputs', async () => {
    const { log } = await runWorkflow(
      oneJob(`${write(greet)}- id: greet
  uses: ./.github/actions/greet
  with: { tone: warm }
  env: { EXTRA: friend }
- run: echo "[$SAID]"
  env: { SAID: "\${{ steps.greet.outputs.said }}" }`),
    );
    expect(log('only')).toContain('[hello world friend]');
    expect(log('only')).toMatch(/Z at .*\/\.github\/actions\/greet/);
  });

  it.each([
    ['a required input is missing', '', 'Input required and not supplied: tone'],
    ['there is none', '-missing', "Can't find 'action.yml' or 'action.yaml'"],
  ])('fails the step when %s', async (_, suffix, message) => {
    const { log, result } = await runWorkflow(oneJob(`${write(greet)}- uses: ./.github/actions/greet${suffix}`));
    expect(result.conclusion).toBe('failure');
    expect(log('only')).toContain(message);
  });

  it('fails with its own failing step', async () => {
    const bad =
      'runs:\n  using: composite\n  steps:\n    - { shell: bash, run: exit 4 }\n    - { shell: bash, run: echo not-this }';
    const { log, result } = await runWorkflow(oneJob(`${write(bad)}- uses: ./.github/actions/greet`));
    expect(result.conclusion).toBe('failure');
    expect(log('only')).toContain('Process completed with exit code 4.');
    expect(log('only')).not.toContain('Z not-this');
  });
});
