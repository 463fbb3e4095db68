import { defineConfig } from 'rolldown';

// `loopwright.js` checks the Node version before anything else loads; the job is one self-contained file, because runners fetch it by digest.
const external = [/^node:/, /^[a-z@]/i];

// biome-ignore lint/style/noDefaultExport: Rolldown reads the default export.
export default defineConfig([
  { input: { job: 'src/jobs/main.ts' }, platform: 'node', output: { dir: 'dist', format: 'esm', entryFileNames: '[name].mjs', codeSplitting: false, cleanDir: false } },
  {
    input: { loopwright: 'src/bin.ts', main: 'src/main.ts', 'local-github': 'src/local/main.ts', 'scripted-model': 'src/demo/scripted-model-main.ts' },
    platform: 'node',
    external: (id) => !id.startsWith('.') && !id.startsWith('/') && external.some((pattern) => pattern.test(id)),
    output: { dir: 'dist', format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
  },
]);
