/**
 * Starts the product with a free port as PORT and asks for its health path until it answers 200, ends, or the time is over; tells that over
 * file descriptor 3. The product is a child of this program and cannot write there: Node closes inherited descriptors in its children. Takes
 * `{start, health, startMs}` as its argument.
 */
const { spawn } = require('node:child_process');
const { createServer } = require('node:net');
const { writeSync } = require('node:fs');
const { start, health, startMs } = JSON.parse(process.argv[2]);
const finish = (healthy, detail) => {
  writeSync(3, JSON.stringify({ healthy, detail }));
  process.exit(0);
};
const free = createServer().listen(0, '127.0.0.1', () => {
  const { port } = free.address();
  free.close(() => run(port));
});
async function run(port) {
  const product = spawn('bash', ['-c', start], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  let ended,
    last = 'no answer';
  product.on('exit', (code, signal) => {
    ended = `the start command ended with ${code === null ? signal : `exit code ${code}`}`;
  });
  for (const until = Date.now() + startMs; Date.now() < until && ended === undefined; ) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}${health}`, {
        redirect: 'manual',
        signal: AbortSignal.timeout(5000),
      });
      if (response.status === 200) return finish(true, 'status 200');
      last = `status ${response.status}`;
    } catch (error) {
      last = String(error.cause?.code ?? error.name);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  finish(false, ended ?? `${last} within ${startMs / 1000} s`);
}
