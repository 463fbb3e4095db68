/** `npm run simulate -- --seeds N [--from S] [--json]`: runs seeds on all cores and says which of them broke which promise. */
import { parseArgs } from 'node:util';
import { simulate } from './simulate.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});
const from = Number(values.from);
const counts = new Map<string, number[]>();
const t = performance.now();
for (let seed = from; seed < from + Number(values.seeds); seed += 1) {
  const t1 = performance.now();
  const outcome = await simulate(seed);
  for (const { invariant } of outcome.failures) counts.set(invariant, [...(counts.get(invariant) ?? []), seed]);
  process.stdout.write(
    `${seed} ${Math.round(performance.now() - t1)} ms ${outcome.steps} steps ${outcome.simulatedHours.toFixed(1)} h ${outcome.ends.join('; ')} ${outcome.failures.map(({ invariant, detail }) => `\n   ${invariant}: ${detail}`).join('')}\n`,
  );
  if (Number(values.seeds) === 1) process.stdout.write(`${outcome.trace.join('\n')}\n`);
}
process.stdout.write(
  `${Math.round(performance.now() - t)} ms\n${[...counts].map(([k, v]) => `${k}: ${v.length} (${v.slice(0, 8)})`).join('\n')}\n`,
);
