/** What the scripts of package.json say of how tests are run. Pure. */
import { z } from 'zod';

const manifest = z.looseObject({ scripts: z.record(z.string(), z.string()).optional() });

/** Where a script runs what is looked for; undefined where none does. A manifest that cannot be read says nothing. */
export function scriptThat(manifests: ReadonlyMap<string, string>, runs: RegExp): string | undefined {
  for (const [path, text] of manifests) {
    if (!/(?:^|\/)package\.json$/.test(path)) continue;
    const found = Object.entries(scriptsOf(text)).find(([, command]) => runs.test(command));
    if (found !== undefined) return `the script \`${found[0]}\` of ${path} is \`${found[1]}\``;
  }
  return undefined;
}

function scriptsOf(text: string): Readonly<Record<string, string>> {
  try {
    return manifest.parse(JSON.parse(text)).scripts ?? {};
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return {};
    throw error;
  }
}
