import { cp } from 'node:fs/promises';
import { defineConfig } from 'rolldown';

/** Everything that is not ours stays in node_modules. */
const isPackage = (id: string): boolean => !id.startsWith('.') && !id.startsWith('/');

const copyAssets = {
  name: 'copy-assets',
  writeBundle: () => cp('src/local/assets', 'dist/assets', { recursive: true }),
};

// The job is one self-contained file, because runners fetch it by digest; `loopwright.js` checks the Node version before anything else loads.
// biome-ignore lint/style/noDefaultExport: Rolldown reads the default export.
export default defineConfig([
  {
    input: { job: 'src/jobs/main.ts' },
    platform: 'node',
    output: { dir: 'dist', format: 'esm', entryFileNames: '[name].mjs', codeSplitting: false },
  },
  {
    input: {
      loopwright: 'src/bin.ts',
      main: 'src/main.ts',
      'local-github': 'src/local/main.ts',
      'scripted-model': 'src/demo/scripted-model-main.ts',
    },
    platform: 'node',
    external: isPackage,
    output: { dir: 'dist', format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
    plugins: [copyAssets],
  },
]);
