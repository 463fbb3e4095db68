/**
 * Runs a command that may use the network: within the sandbox, whose network is empty, it listens where proxies are looked for, and hands everything to
 * the socket of the one outside. `node egress.mjs <socket> <direct> <last descriptor> <program> [argument]…` ends as the command does, which has the
 * descriptors up to the last one, and asks the direct names without a proxy.
 */
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import process from 'node:process';

const [socket, direct, last, program, ...argv] = process.argv.slice(2);

/** Node looks for a proxy where it is told to: https://nodejs.org/api/http.html#built-in-proxy-support */
const BESIDE = { NO_PROXY: direct, no_proxy: direct, NODE_USE_ENV_PROXY: '1' };

const server = createServer((client) => {
  const outside = connect(socket);
  const end = () => {
    client.destroy();
    outside.destroy();
  };
  for (const one of [client, outside]) one.on('error', end).on('close', end);
  client.pipe(outside).pipe(client);
});
server.listen(0, '127.0.0.1', () => {
  const proxy = `http://127.0.0.1:${server.address().port}`;
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];
  const env = { ...process.env, ...BESIDE, ...Object.fromEntries(names.map((name) => [name, proxy])) };
  const child = spawn(program, argv, { env, stdio: Array.from({ length: Number(last) + 1 }, (_, index) => index) });
  child.on('error', (error) => {
    process.stderr.write(`${program}: ${error.message}\n`);
    process.exit(127);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.kill(process.pid, signal);
  });
});
