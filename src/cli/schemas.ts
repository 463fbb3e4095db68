/** `loopwright schemas`: every artifact that a model is asked for, with its JSON schema. */
import { z } from 'zod';
import { ANSWERS } from '../loop/answers.ts';
import { type Command, optionsOf } from './command.ts';

const OPTIONS = {
  json: { type: 'boolean', description: 'one JSON object: name → phase, skills, role, schema' },
} as const;

export const schemas: Command = {
  summary: 'print the artifacts that a model is asked for, and their JSON schemas',
  usage: '[NAME] [--json]',
  options: OPTIONS,
  async run(argv, { out, fail }) {
    const { values, positionals } = optionsOf({ command: 'schemas', argv, options: OPTIONS, words: 1 });
    const wanted = Object.entries(ANSWERS).filter(([name]) => positionals[0] === undefined || name === positionals[0]);
    if (wanted.length === 0)
      return fail(`There is no artifact "${positionals[0]}"; the artifacts are ${Object.keys(ANSWERS).join(', ')}.`);
    const described = Object.fromEntries(
      wanted.map(([name, { phase, skills, role, schema }]) => [
        name,
        { phase, skills, role, schema: z.toJSONSchema(schema) },
      ]),
    );
    if (values.json === true) out(JSON.stringify(described));
    else
      for (const [name, { phase, skills, role, schema }] of Object.entries(described))
        out(
          `# ${name}\nphase ${phase}, skills ${skills.join(' → ')}, role ${role}\n${JSON.stringify(schema, null, 2)}\n`,
        );
    return 0;
  },
};
