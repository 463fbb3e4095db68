/** The guardrails: by which numbers gates judge, and which paths always need a person. They are the operator's; no loop changes them. */
import { readFile } from 'node:fs/promises';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { ConfigError } from '../errors.ts';
import { GATES, type Gate } from '../loop/gates.ts';
import type { Thresholds } from '../loop/measurement.ts';
import { plainProblem } from '../loop/plain-problem.ts';

export interface Guardrails {
  /** Recorded with a loop when its label is set: by them it is judged to its end. */
  readonly thresholds: Thresholds;
  /** Words of a path, and globs. */
  readonly sensitive: z.infer<typeof sensitive>;
}

const sensitive = z.strictObject({ words: z.array(z.string().min(1)), paths: z.array(z.string().min(1)) });
const stated = z.strictObject({
  thresholds: z.record(z.string(), z.record(z.string(), z.string())),
  sensitive,
});

/** Reads `config/guardrails.yaml`, or a copy of it. @throws {ConfigError} where a gate is left out, is unknown, or has no number to compare with. */
export async function readGuardrails(file: string): Promise<Guardrails> {
  const document = parseDocument(await textOf(file));
  const [broken] = document.errors;
  if (broken !== undefined) throw new ConfigError(`${file} is not valid YAML: ${broken.message}`);
  const read = stated.safeParse(document.toJS(), { reportInput: true });
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new ConfigError(
      `${file}: ${issue?.path.join('.') || 'the file'} ${issue === undefined ? 'is refused' : plainProblem(issue)}; compare it with the package's own config/guardrails.yaml.`,
    );
  }
  return { thresholds: numbersOf(read.data.thresholds, file), sensitive: read.data.sensitive };
}

function numbersOf(said: z.infer<typeof stated>['thresholds'], file: string): Thresholds {
  const known = new Set(GATES.map(({ phase, name }) => `${phase}.${name}`));
  const named = Object.entries(said).flatMap(([phase, gates]) => Object.keys(gates).map((name) => `${phase}.${name}`));
  const stray = named.find((name) => !known.has(name));
  if (stray !== undefined) throw new ConfigError(`${file}: thresholds.${stray} is no gate; take the line out.`);
  const byPhase = [...Map.groupBy(GATES, ({ phase }) => phase)];
  return Object.fromEntries(
    byPhase.map(([phase, gates]) => [
      phase,
      Object.fromEntries(gates.map((gate) => [gate.name, numberOf(gate, said[phase]?.[gate.name], file)])),
    ]),
  );
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigError(
      `The guardrails cannot be read from ${file}: ${String(error)}; name the file with GUARDRAILS_FILE.`,
      { cause: error },
    );
  }
}

/** As `<= 500`: the comparison belongs to the gate, the number to the operator. */
function numberOf({ phase, name, operator, isShare }: Gate, said: string | undefined, file: string): number {
  const [, compares, digits] = /^(<=|>=) (\d+(?:\.\d+)?)$/.exec(said ?? '') ?? [];
  if (isShare === true && Number(digits) > 1)
    throw new ConfigError(
      `${file}: thresholds.${phase}.${name} is \`${said}\`, and it is a share from 0 to 1: 95 percent is 0.95.`,
    );
  if (compares === operator && digits !== undefined) return Number(digits);
  const found = said === undefined ? 'is missing' : `is \`${said}\``;
  throw new ConfigError(`${file}: thresholds.${phase}.${name} ${found}; write it as '${operator} <number>'.`);
}
