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

/** Settings of the environment, what starts the tool, and the tool with its arguments. */
const PARTS = /^((?:[A-Za-z_]\w*=\S* +)*)(?:(?:npx|pnpm|yarn|bunx)(?: exec| run)? +)?(.+)$/;
/** Vitest alone goes on and waits for changes. */
const ONCE = { vitest: /\s(?:run|--run)(?:\s|$)/, jest: /^(?!.*--watch)/ } as const;

/** The command for the whole suite: a script that runs the tool and nothing beside it, else what one of them runs it with. Undefined where no script does. */
export function suiteScript(manifest: string, tool: keyof typeof ONCE): string | undefined {
  const scripts = Object.entries(read(manifest).scripts ?? {}).map(([name, command]) => {
    const parts = command.split('&&').map((part) => part.trim());
    return { name, isAlone: parts.length === 1, run: parts.flatMap((part) => runOf(part, tool) ?? [])[0] };
  });
  const running = scripts.filter(({ run }) => run !== undefined);
  // Linters beside it are no tests, and may want programs that a sandbox has not.
  const alone = running.filter(({ isAlone }) => isAlone).map(({ name }) => name);
  if (alone.includes('test')) return 'npm test';
  // A name is typed into a shell.
  const named = alone.find((name) => /^[\w:.-]+$/.test(name));
  return named === undefined ? running[0]?.run : `npm run ${named}`;
}

/** The part of a script as the sandbox can run it; undefined where it does not run the tool to an end. */
function runOf(part: string, tool: keyof typeof ONCE): string | undefined {
  const [, settings = '', run = ''] = PARTS.exec(part) ?? [];
  if (!new RegExp(`^(?:node +(?:\\S*/)?)?${tool}(?:\\.[cm]?js)?(?:\\s|$)`).test(run) || !ONCE[tool].test(run))
    return undefined;
  return `${settings}${run.startsWith('node ') ? '' : 'npx '}${run}`;
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
