/**
 * Runs node:test files one after the other, each by the sealed runner in a process of its own, whose lines go to file descriptor 3 behind the
 * file's place in the request. Reads `{token, program, command, files: [{path, key, only?: [name]}]}` from standard input; of a file with `only`
 * no other tests are run, and a process is told its own key only.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { patternOf } from './chosen-tests.mjs';
import { nodeOptions } from './node-options.mjs';

const { files, command, ...shared } = JSON.parse(readFileSync(0, 'utf8'));
const { token } = shared;
const RUNNER = join(import.meta.dirname, 'node-test-runner.mjs');

// Before any of them runs, and could write others.
const starts = files.map(({ path }) => nodeOptions(path, command, process.cwd()));

/** The runner's own tests, without which nothing is told, are chosen too. */
const choice = (only) => [
  `--test-name-pattern=/${patternOf([...only, `begin ${token}`, `load ${token}`, `end ${token}`])}/`,
];

function run({ path, key, only }, index) {
  return new Promise((done) => {
    const { env, argv, preloads, folder } = starts[index];
    // What the repository has loaded first is loaded by the runner, behind the lock.
    const child = spawn(
      process.execPath,
      [
        ...process.execArgv,
        '--experimental-import-meta-resolve',
        ...argv,
        ...(only === undefined ? [] : choice(only)),
        RUNNER,
      ],
      {
        ...{ detached: true, env: { ...process.env, ...env }, stdio: ['pipe', 'inherit', 'inherit', 3] },
      },
    );
    const from = pathToFileURL(join(folder, 'package.json')).href;
    const request = { ...shared, key, prefix: `${index} `, url: pathToFileURL(resolve(path)).href, preloads, from };
    const ended = () => {
      // What a file left running would be in the way of the next one.
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch (error) {
        if (error.code !== 'ESRCH') throw error;
      }
      done();
    };
    child.on('exit', ended);
    // One that ends before it has read its request has told nothing, which says enough.
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify(request));
  });
}

for (const [index, file] of files.entries()) await run(file, index);
