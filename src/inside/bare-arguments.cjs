/** Loaded before Jest, which has read its arguments when this acts: tests in its own process find none, as where it is called without any, and nothing of this file. */
const own = process.execArgv.indexOf(__filename);
if (own > 0) process.execArgv.splice(own - 1, 2);
setImmediate(() => {
  process.argv.length = 2;
});
