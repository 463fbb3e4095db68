#!/usr/bin/env -S node --max-semi-space-size=8
/**
 * The installed command: says what Node it needs before anything newer than that is loaded. Of what a hostile sender makes the App throw away V8 would
 * keep a hundred megabytes for new objects, and 24 with that option, which it takes at the start only.
 */

const NEEDED = 24;

if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  process.stderr.write(
    `loopwright needs Node ${NEEDED} or newer, and this is ${process.versions.node}; install it and run the command again.\n`,
  );
  process.exitCode = 1;
} else {
  // A name that is computed keeps bundlers from loading it first.
  await import(new URL(`./main.${import.meta.filename.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url).href);
}
