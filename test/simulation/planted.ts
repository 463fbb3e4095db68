/** Reads the files of a planted bug in place of our own, in every thread: `node --import` loads this before anything else. */
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Where the changed files lie, each under its path in the repository. */
const { PLANTED } = process.env;

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (PLANTED === undefined || !url.startsWith('file:')) return loaded;
    const changed = join(PLANTED, relative(ROOT, fileURLToPath(url)));
    return existsSync(changed) ? { ...loaded, source: readFileSync(changed, 'utf8') } : loaded;
  },
});
