/**
 * Runs node:test files one after the other, each by the sealed runner in a process of its own; a single one that needs no other Node in this
 * one. Its lines go to file descriptor 3 behind the file's place in the request. Reads
 * `{token, program, command, files: [{path, key, only?: [name]}]}` from standard input; of a file with `only` no other tests are run, and a
 * process is told its own key only.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { patternOf } from './chosen-tests.mjs';
import { nodeOptions } from './node-options.mjs';
import { keep } from './node-test-request.mjs';

const { files, command, ...shared } = JSON.parse(readFileSync(0, 'utf8'));
const { token } = shared;
const RUNNER = join(import.meta.dirname, 'node-test-runner.mjs');

/** The runner's own tests, without which nothing is told, are chosen too. */
const choice = (only) => [
  `--test-name-pattern=/${patternOf([...only, `begin ${token}`, `load ${token}`, `end ${token}`])}/`,
];

// Before any of them runs, and could write others.
const starts = files.map(({ path, key, only }, index) => {
  const { env, argv, preloads, folder } = nodeOptions(path, command, process.cwd());
  const from = pathToFileURL(join(folder, 'package.json')).href;
  // What the repository has loaded first is loaded by the runner, behind the lock.
  const request = { ...shared, key, prefix: `${index} `, url: pathToFileURL(resolve(path)).href, preloads, from };
  return { env, argv: [...argv, ...(only === undefined ? [] : choice(only))], request };
});

function run(spawn, { env, argv, request }) {
  return new Promise((done) => {
    const child = spawn(process.execPath, [...process.execArgv, ...argv, RUNNER], {
      ...{ detached: true, env: { ...process.env, ...env }, stdio: ['pipe', 'inherit', 'inherit', 3] },
    });
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

const [first, ...others] = starts;
if (first !== undefined && others.length === 0 && first.argv.length === 0 && Object.keys(first.env).length === 0) {
  keep(first.request);
  await import(pathToFileURL(RUNNER).href);
} else {
  // Loading it takes longer than the rest of this program.
  const { spawn } = await import('node:child_process');
  for (const start of starts) await run(spawn, start);
}
