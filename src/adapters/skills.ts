/** Reads the skills: `skills/<name>/SKILL.md` in the Agent Skills format (https://agentskills.io/specification). */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, YAMLParseError } from 'yaml';
import { z } from 'zod';
import { ConfigError } from '../errors.ts';
import { ANSWERS } from '../loop/answers.ts';
import { plainProblem } from '../loop/plain-problem.ts';
import { phaseName } from '../loop/terms.ts';

const frontMatter = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/),
  description: z.string().min(10).max(1024),
  /** Where it is used; `any` goes with every phase. */
  phase: z.union([phaseName, z.literal('any')]),
  role: z.enum(['planner', 'architect', 'test-designer', 'builder', 'reviewer', 'security', 'critic', 'any', 'none']),
  /** The answer that it leads to, `code` for the builder's tools, `none` for guidance. */
  output: z.string().min(1),
});

export interface Skill extends z.infer<typeof frontMatter> {
  /** The body without its front matter. */
  readonly text: string;
}

/** Skills that no answer chains but a phase needs all the same. */
const ALSO_NEEDED: readonly { readonly name: string; readonly phase: string }[] = [
  { name: 'ground-rules', phase: 'DISCOVER' },
  { name: 'incremental-implementation', phase: 'BUILD' },
  { name: 'coding-principles', phase: 'BUILD' },
  { name: 'systematic-debugging', phase: 'BUILD' },
  { name: 'performance-optimization', phase: 'BUILD' },
  { name: 'code-simplification', phase: 'BUILD' },
];

/**
 * Reads every skill of the directory.
 * @throws {ConfigError} when a skill that a phase needs is missing, or a front matter is not as it must be.
 */
export async function loadSkills(directory: string): Promise<ReadonlyMap<string, Skill>> {
  const names = await foldersIn(directory);
  const read = await Promise.all(names.map((name) => readSkill(directory, name)));
  const skills = new Map(read.flatMap((skill) => (skill === undefined ? [] : [[skill.name, skill] as const])));
  const missing = neededSkills().find(({ name }) => !skills.has(name));
  if (missing !== undefined)
    throw new ConfigError(
      `${join(directory, missing.name, 'SKILL.md')} is missing; ${missing.phase} cannot run without it: restore the file or reinstall loopwright.`,
    );
  return skills;
}

/** What ANSWERS chains, and what the phases need besides, each with the first phase that would fail. */
function neededSkills(): readonly { readonly name: string; readonly phase: string }[] {
  const chained = Object.values(ANSWERS).flatMap(({ phase, skills }) => skills.map((name) => ({ name, phase })));
  return [...chained, ...ALSO_NEEDED];
}

async function foldersIn(directory: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
  } catch (cause) {
    throw new ConfigError(
      `The skills in ${directory} cannot be read: restore the directory, name another with SKILLS_DIR, or reinstall loopwright.`,
      { cause },
    );
  }
}

const FORM = /^---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/;

/** Undefined when the folder holds no SKILL.md. */
async function readSkill(directory: string, name: string): Promise<Skill | undefined> {
  const file = join(directory, name, 'SKILL.md');
  const content = await contentOf(file);
  if (content === undefined) return undefined;
  const [, head = '', text = ''] = FORM.exec(content) ?? [];
  const parsed = frontMatter.safeParse(yamlOf(head), { reportInput: true });
  if (!parsed.success) throw new ConfigError(`${file}: ${problemOf(parsed.error)}; correct its front matter.`);
  if (parsed.data.name !== name)
    throw new ConfigError(
      `${file}: "name" is "${parsed.data.name}" and must be "${name}", like its folder; correct it.`,
    );
  if (text.trim() === '') throw new ConfigError(`${file} has no text below its front matter; write or restore it.`);
  return { ...parsed.data, text: text.trim() };
}

async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function yamlOf(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof YAMLParseError) return undefined;
    throw error;
  }
}

function problemOf({ issues }: z.ZodError): string {
  const [issue] = issues;
  return issue === undefined || issue.path.length === 0
    ? 'no front matter in YAML'
    : `"${issue.path.join('.')}" ${plainProblem(issue)}`;
}
