/** A script of authored answers: what a scripted model says, per artifact and per task, per try. */
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { ConfigError } from '../errors.ts';
import { ANSWERS, type AnswerName } from '../loop/answers.ts';
import { plainProblem } from '../loop/plain-problem.ts';

const step = z.object({ tool: z.string() }).catchall(z.unknown());

/**
 * `answers` and `tasks` hold one entry per try, chosen by the X-Loopwright-Attempt header; the last one repeats.
 * A try is: of DISCOVER, DEFINE and PLAN one entry of the phase in a review round; of `acceptance-tests` one design, for a refused one is asked again;
 * of everything else in BUILD one iteration. An answer that breaks its schema is asked for again within the same try, so it comes again.
 * A later iteration works only on the tasks that its open defects are about, on top of what the earlier ones left.
 */
export const script = z.strictObject({
  model: z.string().min(1),
  /** Title of the issue that the answers are for; about another issue the model refuses. Without it every issue gets them. */
  issue: z.string().min(1).optional(),
  answers: z.record(z.string(), z.array(z.unknown()).min(1)),
  /** Per task id and try: the tool calls, one per turn. */
  tasks: z.record(z.string(), z.array(z.array(step).min(1)).min(1)),
});
export type Script = z.infer<typeof script>;

/** Reads a script. An answer need not fit its schema: wrong answers are worth scripting too. @throws {ConfigError} when it is no script or names an unknown artifact. */
export async function readScript(path: string): Promise<Script> {
  const parsed = script.safeParse(await yamlIn(path), { reportInput: true });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ConfigError(
      `The script ${path}: ${subjectOf(issue?.path ?? [])} ${issue === undefined ? 'is refused' : plainProblem(issue)}; see \`loopwright schemas\` for the artifacts.`,
    );
  }
  const unknown = Object.keys(parsed.data.answers).find((name) => !isAnswerName(name));
  if (unknown !== undefined)
    throw new ConfigError(
      `The script ${path}: there is no artifact "${unknown}"; the artifacts are ${Object.keys(ANSWERS).join(', ')}.`,
    );
  return parsed.data;
}

function subjectOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? 'the file' : `"${path.join('.')}"`;
}

async function yamlIn(path: string): Promise<unknown> {
  try {
    return parse(await readFile(path, 'utf8'));
  } catch (cause) {
    const [reason] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
    throw new ConfigError(`The script ${path} cannot be read (${reason}); name a YAML file of authored answers.`, {
      cause,
    });
  }
}

function isAnswerName(name: string): name is AnswerName {
  return Object.hasOwn(ANSWERS, name);
}
