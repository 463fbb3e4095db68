/** The demo's answers, of which the first build is wrong on purpose, without that mistake: one build is enough. */
import type { Script } from '../../src/demo/script.ts';

export function withoutMistake(script: Script): Script {
  const second = Object.entries(script.tasks).map(([id, tries]) => [id, tries.slice(1, 2)]);
  return { ...script, tasks: Object.fromEntries(second) };
}
