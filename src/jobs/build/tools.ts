/** The built-in agent's tools: a table. Every refusal is a sentence that the model reads, and a line in the job's log. */
import { z } from 'zod';
import { commandRefusal } from '../../guard/command-policy.ts';
import type { ToolCall, ToolDefinition } from '../../ports.ts';
import { placeOf, readRegular, writeInside } from '../../sandbox/inside.ts';
import type { CommandResult, Sandbox } from '../../sandbox/sandbox.ts';
import { parseJson } from '../report/json.ts';
import { cut, said } from '../report/said.ts';
import { JobError, SetupError } from '../workspace/environment.ts';
import { linesWithin, RESULT_CHARACTERS } from './lines-within.ts';

export interface ToolContext {
  readonly workspace: string;
  readonly sandbox: Sandbox;
  /** Files that exist and are not ignored, sorted. */
  readonly listFiles: () => Promise<readonly string[]>;
  /** Why this path is not written, as a clause; undefined when it may be. */
  readonly writeRefusal: (path: string) => string | undefined;
  /** Has packages installed that the manifest names, and gives what is new; absent where the lock file may not change. @throws {JobError} */
  readonly installPackages?: (() => Promise<readonly string[]>) | undefined;
  readonly commandTimeoutMs: number;
  readonly outputBytes: number;
  readonly log: (line: string) => void;
}

export interface ToolResult {
  readonly text: string;
  /** `malformed`: the call could not be understood; `submitted`: the model says that it is done. */
  readonly status: 'done' | 'refused' | 'malformed' | 'submitted';
}

interface Tool {
  readonly definition: ToolDefinition;
  readonly perform: (input: unknown, context: ToolContext) => Promise<ToolResult>;
}

/** How to read what was left out, by tool. */
const READ_ON: Readonly<Record<string, string>> = {
  list_files: '; name a folder',
  read_file: '; a single line is too long, so print a part of it by run_command',
  search: '; name a folder or a narrower pattern',
  run_command: '; let it print less, or write into a file and read that by lines',
};
const MOST_FILES = 1000;
const path = z.string().min(1).max(400).describe('Path from the repository root, like src/main.ts');

const INSTALL_PACKAGES = 'install_packages';

const TOOLS: readonly Tool[] = [
  tool(
    'list_files',
    'Lists the files of the repository, ignored ones left out.',
    z.strictObject({ folder: path.optional().describe('Only files below this folder') }),
    async ({ folder }, context) => {
      const inner = plainFolder(folder);
      const prefix = inner === undefined ? '' : `${inner}/`;
      const files = (await context.listFiles()).filter((file) => file.startsWith(prefix) && !isPaper(file));
      const more = files.length > MOST_FILES ? `\n… and ${files.length - MOST_FILES} more; name a folder` : '';
      return done(files.length === 0 ? 'No files.' : files.slice(0, MOST_FILES).join('\n') + more);
    },
  ),
  tool(
    'read_file',
    'Reads a text file, whole or some of its lines; of a long one the middle is left out, so name `from` and `to`.',
    z.strictObject({ path, from: z.int().positive().optional(), to: z.int().positive().optional() }),
    async (input, context) => {
      const text = await readText(context.workspace, input.path);
      if (typeof text !== 'string') return refused(context, `read ${input.path}`, text.refusal);
      const from = input.from ?? 1;
      return done(linesWithin(text.split('\n').slice(from - 1, input.to), from));
    },
  ),
  tool(
    'search',
    'Searches all text files with an extended regular expression (grep -E); answers path:line:text.',
    z.strictObject({ pattern: z.string().min(1).max(500), folder: path.optional() }),
    async ({ pattern, folder: given }, context) => {
      const folder = plainFolder(given);
      const place = await placeOf(context.workspace, folder ?? 'any');
      if (place.refusal !== undefined) return refused(context, `search ${folder}`, place.refusal);
      const skipped = ['.git', 'node_modules', '__pycache__', '.loopwright'].map((name) => `--exclude-dir=${name}`);
      const argv = ['grep', '-rnIE', ...skipped, '-e', pattern, '--', folder ?? '.'];
      const result = await inSandbox(context, argv, context.commandTimeoutMs);
      if (result.exitCode === 1) return done('No match.');
      return done(result.exitCode === 0 ? result.stdout : said(result, context.outputBytes));
    },
  ),
  tool(
    'edit_file',
    'Replaces one exact text in a file; `old` must occur exactly once.',
    z.strictObject({ path, old: z.string().min(1), new: z.string() }),
    async (input, context) => {
      const text = await readText(context.workspace, input.path);
      if (typeof text !== 'string') return refused(context, `edit ${input.path}`, text.refusal);
      const count = text.split(input.old).length - 1;
      if (count !== 1)
        return {
          text: `\`old\` occurs ${count} times in ${input.path}; it must occur exactly once. Read the file and copy more of it.`,
          status: 'refused',
        };
      return write(
        context,
        input.path,
        text.replace(input.old, () => input.new),
      );
    },
  ),
  tool(
    'write_file',
    'Writes a whole file, new or not.',
    z.strictObject({ path, content: z.string() }),
    ({ path: file, content }, context) => write(context, file, content),
  ),
  tool(
    'run_command',
    'Runs a shell command (bash) in the repository root, in a sandbox without network.',
    z.strictObject({
      command: z.string().min(1).max(8000),
      seconds: z.int().positive().optional().describe('Time limit'),
    }),
    async ({ command, seconds }, context) => {
      const refusal = commandRefusal(command);
      if (refusal !== undefined) return refused(context, `run ${JSON.stringify(command)}`, refusal);
      const timeoutMs = Math.min((seconds ?? Number.POSITIVE_INFINITY) * 1000, context.commandTimeoutMs);
      return done(said(await inSandbox(context, ['bash', '-c', command], timeoutMs), context.outputBytes));
    },
  ),
  tool(
    INSTALL_PACKAGES,
    'Installs the packages that package.json names, and writes package-lock.json; of requirements.txt, those that lines like `name==version` add. Call it after a change of dependencies; no script of a package runs.',
    z.strictObject({}),
    async (_, context) => {
      const { installPackages } = context;
      if (installPackages === undefined)
        return refused(
          context,
          'install packages',
          'this task names neither `package-lock.json` nor `requirements.txt`',
        );
      try {
        return done(`Installed. New: ${(await installPackages()).join(', ') || 'nothing'}.`);
      } catch (error) {
        // What only a person can mend ends the job.
        if (!(error instanceof JobError) || error instanceof SetupError) throw error;
        return refused(context, 'install packages', error.message.replace(/\.$/, ''));
      }
    },
  ),
  tool(
    'submit',
    'Says that the task is done. Everything is measured afterwards.',
    z.strictObject({ summary: z.string().max(2000).optional() }),
    async () => ({ text: 'Submitted.', status: 'submitted' }),
  ),
];

/** What the model is told about the tools that it has. */
export function toolDefinitions({ installPackages }: Pick<ToolContext, 'installPackages'>): readonly ToolDefinition[] {
  const definitions = TOOLS.map(({ definition }) => definition);
  return installPackages === undefined ? definitions.filter(({ name }) => name !== INSTALL_PACKAGES) : definitions;
}

/** Performs one call. A call that cannot be understood is answered, never thrown. */
export async function performTool(call: ToolCall, context: ToolContext): Promise<ToolResult> {
  const known = TOOLS.find(({ definition }) => definition.name === call.name);
  if (known === undefined) {
    const names = toolDefinitions(context)
      .map(({ name }) => name)
      .join(', ');
    return malformed(`There is no tool ${JSON.stringify(call.name)}; use one of ${names}.`);
  }
  const input = parseJson(call.arguments === '' ? '{}' : call.arguments);
  if (input === undefined) return malformed(`The arguments of ${call.name} are not JSON; send the call again.`);
  const result = await known.perform(input, context);
  return { ...result, text: cut(result.text, RESULT_CHARACTERS, READ_ON[call.name]) };
}

function tool<Input>(
  name: string,
  description: string,
  schema: z.ZodType<Input>,
  perform: (input: Input, context: ToolContext) => Promise<ToolResult>,
): Tool {
  return {
    definition: { name, description, parameters: z.toJSONSchema(schema, { io: 'input' }) },
    async perform(input, context) {
      const parsed = schema.safeParse(input);
      if (!parsed.success) return malformed(`The arguments of ${name} are wrong: ${z.prettifyError(parsed.error)}`);
      return perform(parsed.data, context);
    },
  };
}

async function readText(workspace: string, file: string): Promise<string | { readonly refusal: string }> {
  const place = await placeOf(workspace, file);
  if (place.refusal !== undefined) return { refusal: place.refusal };
  if (place.stats === undefined) return { refusal: `there is no file \`${file}\`` };
  if (!place.stats.isFile()) return { refusal: `\`${file}\` is not a file` };
  if (place.stats.size > 4_000_000) return { refusal: `\`${file}\` has ${place.stats.size} bytes` };
  const bytes = await readRegular(place.absolute);
  return bytes.includes(0) ? { refusal: `\`${file}\` is not a text file` } : bytes.toString('utf8');
}

async function write(context: ToolContext, file: string, content: string): Promise<ToolResult> {
  const refusal = context.writeRefusal(file) ?? (await writeInside(context.workspace, file, content));
  if (refusal !== undefined) return refused(context, `write ${file}`, refusal);
  return done(`Wrote ${file} (${Buffer.byteLength(content)} bytes).`);
}

/** The App's own documents of this loop and of earlier ones; what of them counts stands in the prompt. */
function isPaper(file: string): boolean {
  return file.startsWith('.loopwright/');
}

/** A folder without the decoration that models like; undefined for the root. */
function plainFolder(folder: string | undefined): string | undefined {
  const plain = folder?.replace(/^(\.\/)+|\/+$/g, '');
  return plain === '' || plain === '.' ? undefined : plain;
}

function inSandbox(context: ToolContext, argv: readonly string[], timeoutMs: number): Promise<CommandResult> {
  const { workspace, sandbox, outputBytes } = context;
  return sandbox.run({ argv, directory: workspace, env: { PYTHONDONTWRITEBYTECODE: '1' }, timeoutMs, outputBytes });
}

function done(text: string): ToolResult {
  return { text, status: 'done' };
}

function malformed(text: string): ToolResult {
  return { text, status: 'malformed' };
}

function refused(context: ToolContext, what: string, reason: string): ToolResult {
  context.log(`refused to ${what}: ${reason}`);
  return { text: `Refused to ${what}: ${reason}.`, status: 'refused' };
}
