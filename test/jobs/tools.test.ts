/** The agent's tools and its conversation, on a real folder; commands run without bubblewrap here (test/machine has it). */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createModel } from '../../src/adapters/model.ts';
import { converse } from '../../src/jobs/build/agent.ts';
import { HISTORY_CHARACTERS } from '../../src/jobs/build/history.ts';
import { performTool, type ToolContext, toolDefinitions } from '../../src/jobs/build/tools.ts';
import { JobError, SetupError } from '../../src/jobs/workspace/environment.ts';
import type { Message } from '../../src/ports.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import { type Script, startScriptedModel } from './scripted-model.ts';

let root: string;
let workspace: string;
let context: ToolContext;
let log: string[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'loopwright-tools-'));
  workspace = join(root, 'workspace');
  await mkdir(join(workspace, 'src'), { recursive: true });
  await mkdir(join(workspace, '.git'));
  await writeFile(join(root, 'secret.txt'), 'outside');
  await writeFile(join(workspace, 'src/a.txt'), 'one\ntwo\ntwo\n');
  await mkdir(join(workspace, '.loopwright'));
  await writeFile(join(workspace, '.loopwright/spec.md'), 'two and absent\n');
  await mkdir(join(root, 'scratch'));
  const sandbox = await openSandbox({
    workspace,
    readOnly: [],
    scripted: true,
    scratch: join(root, 'scratch'),
    program: '/nowhere/bwrap',
  });
  log = [];
  context = {
    workspace,
    sandbox,
    listFiles: async () => ['.loopwright/7/spec.md', 'src/a.txt'],
    writeRefusal: (path) => (path === 'src/frozen.txt' ? 'it is frozen' : undefined),
    commandTimeoutMs: 10_000,
    outputBytes: 2000,
    log: (line) => log.push(line),
  };
});
afterEach(() => rm(root, { recursive: true, force: true }));

const call = (name: string, input: unknown) =>
  performTool({ id: '1', name, arguments: typeof input === 'string' ? input : JSON.stringify(input) }, context);

test('the seven tools are offered with JSON schemas that refuse unknown arguments', () => {
  const definitions = toolDefinitions(context);
  expect(definitions.map(({ name }) => name)).toEqual(
    'list_files read_file search edit_file write_file run_command submit'.split(' '),
  );
  for (const { parameters } of definitions)
    expect(parameters).toMatchObject({ type: 'object', additionalProperties: false });
});

test('packages are installed where the task names the lock file, and refused in a sentence elsewhere', async () => {
  expect((await call('install_packages', {})).text).toBe(
    'Refused to install packages: this task names neither `package-lock.json` nor `requirements.txt`.',
  );
  const offered = { ...context, installPackages: async () => ['left@1.0.0'] };
  expect(toolDefinitions(offered).map(({ name }) => name)).toContain('install_packages');
  const install = (installPackages: ToolContext['installPackages']) =>
    performTool({ id: '1', name: 'install_packages', arguments: '' }, { ...context, installPackages });
  expect(await install(async () => ['left@1.0.0'])).toEqual({ text: 'Installed. New: left@1.0.0.', status: 'done' });
  expect(await install(() => Promise.reject(new JobError('no such package.')))).toEqual({
    text: 'Refused to install packages: no such package.',
    status: 'refused',
  });
  const missing = () => Promise.reject(new SetupError('no registry answers'));
  await expect(install(missing)).rejects.toThrow('no registry answers');
});

test('files are read whole or by lines, written, edited and searched', async () => {
  expect(await call('list_files', {})).toEqual({ text: 'src/a.txt', status: 'done' });
  expect((await call('read_file', { path: 'src/a.txt', from: 2, to: 2 })).text).toBe('two');
  expect((await call('write_file', { path: 'new/b.txt', content: 'x $& y' })).status).toBe('done');
  expect((await call('edit_file', { path: 'new/b.txt', old: 'x', new: '$&$1' })).status).toBe('done');
  expect(await readFile(join(workspace, 'new/b.txt'), 'utf8')).toBe('$&$1 $& y');
  expect((await call('search', { pattern: 't.o' })).text).toBe('./src/a.txt:2:two\n./src/a.txt:3:two\n');
  expect((await call('search', { pattern: 'one', folder: './' })).text).toContain('src/a.txt:1:one');
  expect((await call('list_files', { folder: './src/' })).text).toBe('src/a.txt');
  expect((await call('search', { pattern: 'absent' })).text).toBe('No match.');
});

test('an edit whose old text is not unique changes nothing and says how often it occurs', async () => {
  expect((await call('edit_file', { path: 'src/a.txt', old: 'two', new: 'x' })).text).toContain('occurs 2 times');
  expect((await call('edit_file', { path: 'src/a.txt', old: 'absent', new: 'x' })).text).toContain('occurs 0 times');
  expect(await readFile(join(workspace, 'src/a.txt'), 'utf8')).toBe('one\ntwo\ntwo\n');
});

test.each([
  '../secret.txt',
  '/etc/passwd',
  'src/../../secret.txt',
  '.git/config',
  'src/.GIT/config',
  'a\u0000b',
  'link',
  'folder/secret.txt',
])('the path %j is refused for reading, writing, editing and searching, and the log says so', async (path) => {
  await symlink(join(root, 'secret.txt'), join(workspace, 'link'));
  await symlink(root, join(workspace, 'folder'));
  const results = [
    await call('read_file', { path }),
    await call('write_file', { path, content: 'stolen' }),
    await call('edit_file', { path, old: 'outside', new: 'stolen' }),
    await call('search', { pattern: 'outside', folder: path }),
  ];
  expect(results.map(({ status }) => status)).toEqual(['refused', 'refused', 'refused', 'refused']);
  expect(results.every(({ text }) => text.startsWith('Refused to ') && !text.includes('outside\n'))).toBe(true);
  expect(log).toHaveLength(4);
  expect(await readFile(join(root, 'secret.txt'), 'utf8')).toBe('outside');
});

test('a link that a command planted is not followed by the next write', async () => {
  await call('run_command', { command: `ln -s ${join(root, 'secret.txt')} planted` });
  expect((await call('write_file', { path: 'planted', content: 'x' })).text).toContain('`planted` is a symbolic link');
  expect(await readFile(join(root, 'secret.txt'), 'utf8')).toBe('outside');
});

test('a path that may not be written is refused with the reason', async () => {
  expect((await call('write_file', { path: 'src/frozen.txt', content: 'x' })).text).toBe(
    'Refused to write src/frozen.txt: it is frozen.',
  );
  expect(log).toEqual(['refused to write src/frozen.txt: it is frozen']);
});

test('commands answer with exit code and output, cut in the middle, and end at their time limit', async () => {
  expect((await call('run_command', { command: 'echo hello; echo problem >&2; exit 3' })).text).toBe(
    '[exit code 3]\nhello\n\nproblem\n',
  );
  expect((await call('run_command', { command: 'yes | head -c 5000' })).text).toContain('output cut');
  expect((await call('run_command', { command: 'sleep 30', seconds: 1 })).text).toContain('[timed out]');
});

test('a denied class of command is never started', async () => {
  const result = await call('run_command', { command: 'touch started; git push --force' });
  expect(result.text).toContain('only the App moves branches');
  await expect(readFile(join(workspace, 'started'))).rejects.toThrow('ENOENT');
});

test.each([
  ['unknown', '{}', 'There is no tool "unknown"'],
  ['read_file', '{"path":', 'are not JSON'],
  ['read_file', '{}', 'The arguments of read_file are wrong'],
  ['write_file', '{"path":"a","content":"b","mode":"7"}', 'Unrecognized key'],
])('a malformed call of %s with %s is told to the model', async (name, input, sentence) => {
  const result = await call(name, input);
  expect(result.status).toBe('malformed');
  expect(result.text).toContain(sentence);
});

async function talk(script: Script, limits: { readonly steps?: number; readonly until?: number } = {}) {
  const model = await startScriptedModel(script);
  const saved: (readonly Message[])[] = [];
  const ending = await converse({
    model: createModel({ baseUrl: model.url, apiKey: 'x', model: 'scripted', tries: 1 }),
    context: { loop: 'loop-1', phase: 'BUILD', skill: 'incremental-implementation', role: 'builder', attempt: 2 },
    system: 'system text',
    user: 'user text',
    tools: context,
    steps: limits.steps ?? 10,
    until: limits.until ?? Date.now() + 60_000,
    now: Date.now,
    save: async (messages) => {
      saved.push([...messages]);
    },
  });
  await model.close();
  return { ending, saved, requests: model.requests };
}

test('a conversation ends with submit, carries the headers, and is saved after every step', async () => {
  const { ending, saved, requests } = await talk({
    turns: [[{ name: 'read_file', arguments: { path: 'src/a.txt' } }]],
  });
  expect(ending).toBe('submitted');
  expect(saved.map(({ length }) => length)).toEqual([2, 4, 6]);
  expect(requests.map(({ headers }) => headers)).toEqual(
    Array.from({ length: 2 }, () => ({
      loop: 'loop-1',
      phase: 'BUILD',
      skill: 'incremental-implementation',
      role: 'builder',
      attempt: '2',
    })),
  );
  expect(requests[1]?.messages.at(-1)).toEqual({ role: 'tool', content: 'one\ntwo\ntwo\n' });
});

test('a long conversation stays within what a model takes, and its transcript is whole', async () => {
  await writeFile(join(workspace, 'src/long.txt'), 'x'.repeat(7900));
  const read = [{ name: 'read_file', arguments: { path: 'src/long.txt' } }];
  const { ending, saved, requests } = await talk({ turns: Array.from({ length: 30 }, () => read) }, { steps: 40 });
  expect(ending).toBe('submitted');
  const sizes = requests.map(({ messages }) => messages.reduce((sum, { content }) => sum + content.length, 0));
  expect(Math.max(...sizes)).toBeGreaterThan(HISTORY_CHARACTERS / 2);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(HISTORY_CHARACTERS);
  expect(
    requests
      .at(-1)
      ?.messages.slice(0, 2)
      .map(({ content }) => content),
  ).toEqual(['system text', 'user text']);
  expect(saved.at(-1)?.filter(({ content }) => content.length === 7900)).toHaveLength(30);
});

test('three plain texts without a tool call end the conversation unsubmitted', async () => {
  const { ending, requests } = await talk({ turns: ['All done.', 'Really.', 'Believe me.', 'Again.'] });
  expect(ending).toBe('no usable tool call');
  expect(requests).toHaveLength(3);
  expect(requests[1]?.messages.at(-1)?.content).toBe('Use a tool, or call submit when the task is done.');
});

test('the limit of tool calls ends the conversation, also within one turn', async () => {
  const write = (path: string) => ({ name: 'write_file', arguments: { path, content: 'x' } });
  const { ending, requests } = await talk({ turns: [[write('1')], [write('2'), write('3')]] }, { steps: 2 });
  expect(ending).toBe('out of steps');
  expect(requests).toHaveLength(2);
  expect(execFileSync('ls', { cwd: workspace }).toString()).toBe('1\n2\nsrc\n');
});

test('no turn begins after the time is over', async () => {
  const { ending, requests } = await talk({}, { until: 0 });
  expect(ending).toBe('out of time');
  expect(requests).toEqual([]);
});

test.each([
  [
    'read_file',
    { path: 'src/long.txt' },
    /^line 1\n[\s\S]*\n… lines \d+ to \d+ \(\d+ characters in all\) are left out; read them by `from` and `to` …\n[\s\S]*line 5000\n$/,
  ],
  [
    'read_file',
    { path: 'src/wide.txt' },
    /characters left out; a single line is too long, so print a part of it by run_command …/,
  ],
  ['search', { pattern: 'line' }, /characters left out; name a folder or a narrower pattern …/],
  ['run_command', { command: 'cat src/long.txt' }, /^\[exit code 0[\s\S]*characters left out; let it print less/],
])(
  'a long result of %s %j is cut at 8 kB, keeps its beginning and end, and says how to read the rest',
  async (name, input, pattern) => {
    const lines = Array.from({ length: 5000 }, (_, index) => `line ${index + 1}\n`).join('');
    await writeFile(join(workspace, 'src/long.txt'), lines);
    await writeFile(join(workspace, 'src/wide.txt'), `x${'😀'.repeat(20_000)}`);
    context = { ...context, outputBytes: 100_000 };
    const { text } = await call(name, input);
    expect(text).toMatch(pattern);
    expect(text.length).toBeLessThan(8_200);
    expect(text.isWellFormed()).toBe(true);
  },
);

test('the lines that a long file leaves out can be read by their numbers, so nothing of it is out of reach', async () => {
  const lines = Array.from({ length: 3000 }, (_, index) => `line ${index + 1}`);
  await writeFile(join(workspace, 'src/long.txt'), lines.join('\n'));
  const seen = new Set<string>();
  const open = [{ from: 1, to: lines.length }];
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    const { text } = await call('read_file', { path: 'src/long.txt', ...range });
    for (const line of text.split('\n')) if (line.startsWith('line')) seen.add(line);
    const [, from, to] = /lines (\d+) to (\d+)/.exec(text) ?? [];
    if (from !== undefined && to !== undefined) open.push({ from: Number(from), to: Number(to) });
  }
  expect([...seen].toSorted()).toEqual(lines.toSorted());
});
