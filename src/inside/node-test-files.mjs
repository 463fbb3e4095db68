/**
 * Runs node:test files one after the other, each by the sealed runner in a process of its own, whose lines go to file descriptor 3 behind the
 * file's place in the request. Reads `{token, program, files: [{path, key}]}` from standard input; a process is told its own key only.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const { files, ...shared } = JSON.parse(readFileSync(0, 'utf8'));
const RUNNER = join(import.meta.dirname, 'node-test-runner.mjs');

function run({ path, key }, index) {
  return new Promise((done) => {
    const argv = [...process.execArgv, RUNNER];
    const child = spawn(process.execPath, argv, { detached: true, stdio: ['pipe', 'inherit', 'inherit', 3] });
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
    child.stdin.end(JSON.stringify({ ...shared, key, prefix: `${index} `, url: pathToFileURL(resolve(path)).href }));
  });
}

for (const [index, file] of files.entries()) await run(file, index);
