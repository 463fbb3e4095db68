import { readdirSync, readFileSync } from 'node:fs';
import { cp, glob, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { defineConfig, type Plugin } from 'rolldown';
import { makeEmptyDatabase } from './src/adapters/database/pglite.ts';
import { installedParsers, PARSER_NAMES } from './src/syntax/parsers.ts';

/** The bundler's own helpers, which no dependency of ours installs. */
const HELPERS = '@oxc-project/runtime/';

/** Everything that is not ours stays in node_modules. */
const isPackage = (id: string): boolean => !id.startsWith('.') && !id.startsWith('/') && !id.startsWith(HELPERS);

const copyAssets = {
  name: 'copy-assets',
  writeBundle: () => cp('src/local/pages/assets', 'dist/assets', { recursive: true }),
};

const emptyDatabase: Plugin = { name: 'empty-database', writeBundle: makeEmptyDatabase };

/** Chunks carry a digest in their name, so that those of an earlier build would stay and be packed. */
const removeOldChunks: Plugin = {
  name: 'remove-old-chunks',
  async writeBundle(_options, bundle) {
    for await (const file of glob('chunks/*.js', { cwd: 'dist' }))
      if (!(file in bundle)) await rm(join('dist', file), { force: true });
  },
};

/** Programs that run in the sandbox, by file name. */
const programs = readdirSync('src/inside').filter((name) => !name.endsWith('.ts'));
const texts = Object.fromEntries(programs.map((name) => [name, readFileSync(`src/inside/${name}`, 'utf8')]));
const transform = { define: { PROGRAM_TEXTS: JSON.stringify(texts) } };

/** The parsers' files, which only the job carries: elsewhere the package is installed. */
const parsers = installedParsers();
const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const packed = Object.fromEntries(
  PARSER_NAMES.map((name) => [name, brotliCompressSync(readFileSync(join(parsers, name)), QUICK).toString('base64')]),
);
const jobTransform = { define: { ...transform.define, PARSER_FILES: JSON.stringify(packed) } };

// The job is one self-contained file, because runners fetch it by digest; `loopwright.js` checks the Node version before anything else loads.
export default defineConfig([
  {
    input: { job: 'src/jobs/main.ts' },
    platform: 'node',
    transform: jobTransform,
    output: { dir: 'dist', format: 'esm', entryFileNames: '[name].mjs', codeSplitting: false },
  },
  {
    input: {
      loopwright: 'src/bin.ts',
      main: 'src/main.ts',
      'git-process': 'src/git-process/main.ts',
      'health-check': 'src/health-check.ts',
      'local-github': 'src/local/main.ts',
      'local-runner': 'src/local/runner/main.ts',
      'scripted-model': 'src/demo/scripted-model-main.ts',
    },
    platform: 'node',
    external: isPackage,
    transform,
    output: { dir: 'dist', format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
    plugins: [copyAssets, emptyDatabase, removeOldChunks],
  },
]);
