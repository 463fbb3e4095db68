/** YAML that people wrote, held to a schema: its value, or a sentence with the place for each thing that is wrong. Pure. */
import type { z } from 'zod';
import { ConfigError } from '../errors.ts';
import { plainProblem } from '../loop/plain-problem.ts';
import { type Place, readYaml } from './yaml-text.ts';

type Issue = z.core.$ZodIssue;

/** Whoever has so many to mend looks again anyway. */
const MOST_TOLD = 10;

/** `file` names it for people. @throws {ConfigError} with `config .github/loopwright.yml, line 4, column 3: …`, for each problem in the order of the file. */
export function checkedYaml<Value>(schema: z.ZodType<Value>, text: string, file: string): Value {
  const read = readYaml(text);
  const at = (place: Place, said: string) => `${file}, line ${place.line}, column ${place.column}: ${said}`;
  if ('problem' in read) throw new ConfigError(at(read, `${read.problem} Correct the YAML.`));
  const parsed = schema.safeParse(read.value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const problems = rootsOf(parsed.error.issues)
    .flatMap(problemsIn)
    .map(({ path, of, said }) => ({ place: read.placeOf(path, of), said }))
    .toSorted((left, right) => left.place.line - right.place.line || left.place.column - right.place.column);
  const told = problems.slice(0, MOST_TOLD).map(({ place, said }) => at(place, said));
  const left = problems.length - told.length;
  throw new ConfigError([...told, ...(left > 0 ? [`${left} more are told when these are mended.`] : [])].join(' '));
}

/** A key that is written wrong is why another one is missing. */
function rootsOf(issues: readonly Issue[]): readonly Issue[] {
  if (!issues.some(({ code }) => code === 'unrecognized_keys')) return issues;
  return issues.filter(({ code, input }) => code !== 'invalid_type' || input !== undefined);
}

interface Problem {
  readonly path: readonly PropertyKey[];
  /** What of it the place is. */
  readonly of: 'key' | 'value';
  readonly said: string;
}

function problemsIn(issue: Issue): readonly Problem[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => {
      const path = [...issue.path, key];
      return { path, of: 'key', said: `"${path.join('.')}" is not a known key; remove it.` };
    });
  const { path } = issue;
  const subject = path.length === 0 ? 'the file' : `"${path.join('.')}"`;
  // Our own rules are whole sentences.
  const said = issue.code === 'custom' ? issue.message : `${subject} ${plainProblem(issue)}; correct it.`;
  return [{ path, of: 'value', said }];
}
