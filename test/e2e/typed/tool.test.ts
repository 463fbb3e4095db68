import { execa } from 'execa';
import { describe, expect, test } from 'vitest';

const ROOT = new URL('../../..', import.meta.url);
const run = (tool: string, ...argv: string[]) =>
  execa(process.execPath, ['--disable-warning=ExperimentalWarning', `test/${tool}/${tool}.ts`, ...argv], {
    cwd: ROOT,
    reject: false,
  });

describe('bench and soak', () => {
  test.each([
    ['bench', '--json'],
    ['soak', '--at-once N'],
  ])('%s says how it is used, and does nothing else', async (tool, option) => {
    const { exitCode, stdout, stderr } = await run(tool, '--help');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(`npm run ${tool} [-- options]`);
    expect(stdout).toContain(`  ${option} `);
  });

  test.each([
    ['soak', ['--loops', '0'], '--loops takes a whole number from 1 on, and got "0"'],
    ['soak', ['--at-once=many'], '--at-once takes a whole number from 1 on, and got "many"'],
    ['soak', ['--loops'], '--loops needs a value'],
    ['soak', ['--turbo'], 'there is no option "--turbo"'],
    ['bench', ['often'], '"often" is one word too many'],
    ['bench', ['--json=yes'], '--json takes no value, and got "yes"'],
  ])('%s %j is refused in one sentence', async (tool, argv, complaint) => {
    const { exitCode, stdout, stderr } = await run(tool, ...argv);
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `${tool}: ${complaint}; \`npm run ${tool} -- --help\` shows how it is used.`,
    });
  });
});
