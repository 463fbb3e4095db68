/** YAML that people wrote, held to a schema: its value, or one sentence with the place. Pure. */
import type { z } from 'zod';
import { ConfigError } from '../errors.ts';
import { plainProblem } from '../loop/plain-problem.ts';
import { type Place, readYaml } from './yaml-text.ts';

/** `file` names it for people. @throws {ConfigError} with `config .github/loopwright.yml, line 4, column 3: …`. */
export function checkedYaml<Value>(schema: z.ZodType<Value>, text: string, file: string): Value {
  const placeText = ({ line, column }: Place) => `${file}, line ${line}, column ${column}`;
  const read = readYaml(text);
  if ('problem' in read) throw new ConfigError(`${placeText(read)}: ${read.problem} Correct the YAML.`);
  const parsed = schema.safeParse(read.value, { reportInput: true });
  if (parsed.success) return parsed.data;
  // A key that is written wrong is why another one is missing.
  const { issues } = parsed.error;
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  if (issue?.code === 'unrecognized_keys') {
    const path = [...issue.path, issue.keys[0] ?? ''];
    throw new ConfigError(
      `${placeText(read.placeOf(path, 'key'))}: "${path.join('.')}" is not a known key; remove it.`,
    );
  }
  const path = issue?.path ?? [];
  // Our own rules are whole sentences.
  if (issue?.code === 'custom') throw new ConfigError(`${placeText(read.placeOf(path, 'value'))}: ${issue.message}`);
  const subject = path.length === 0 ? 'the file' : `"${path.join('.')}"`;
  throw new ConfigError(
    `${placeText(read.placeOf(path, 'value'))}: ${subject} ${issue === undefined ? 'is refused' : plainProblem(issue)}; correct it.`,
  );
}
