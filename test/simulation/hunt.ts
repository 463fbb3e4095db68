/** The command line of bugs.ts. */
import { parseArgs } from 'node:util';
import { bugNames, hunt } from './bugs.ts';

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '1000' }, only: { type: 'string' } },
});
const names = (await bugNames()).filter((name) => values.only === undefined || name === values.only);
let missed = names.length === 0 ? 1 : 0;
for (const name of names) {
  const { seed, sentence, detail } = await hunt(name, Number(values.seeds));
  if (seed === undefined) missed += 1;
  const found =
    seed === undefined
      ? `not found in ${values.seeds} seeds`
      : `seed ${seed}: ${sentence}\n    ${detail.split('\n')[0]}`;
  process.stdout.write(`${seed === undefined ? '✗' : '✓'} ${name}: ${found}\n`);
}
process.stdout.write(`${names.length} planted bugs, ${missed} missed.\n`);
process.exitCode = missed === 0 ? 0 : 1;
