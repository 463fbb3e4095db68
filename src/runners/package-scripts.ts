/** What the scripts of package.json say of how tests are run. Pure. */
import { z } from 'zod';

const manifest = z.looseObject({
  scripts: z.record(z.string(), z.string()).optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
  devDependencies: z.record(z.string(), z.string()).optional(),
});

/** Where a script runs what is looked for; undefined where none does. A manifest that cannot be read says nothing. */
export function scriptThat(manifests: ReadonlyMap<string, string>, runs: RegExp): string | undefined {
  for (const [path, text] of packagesIn(manifests)) {
    const found = Object.entries(read(text).scripts ?? {}).find(([, command]) => runs.test(command));
    if (found !== undefined) return `the script \`${found[0]}\` of ${path} is \`${found[1]}\``;
  }
  return undefined;
}

/** Where a manifest asks for the package. */
export function dependsOn(manifests: ReadonlyMap<string, string>, name: string): string | undefined {
  for (const [path, text] of packagesIn(manifests)) {
    const { dependencies, devDependencies } = read(text);
    if (dependencies?.[name] !== undefined || devDependencies?.[name] !== undefined) return `${path} asks for ${name}`;
  }
  return undefined;
}

function packagesIn(manifests: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  return [...manifests].filter(([path]) => /(?:^|\/)package\.json$/.test(path));
}

function read(text: string): z.infer<typeof manifest> {
  try {
    return manifest.parse(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return {};
    throw error;
  }
}
