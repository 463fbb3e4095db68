/** A brief in which nothing is unusual: a test says only what it is about. */
import type { Brief } from '../../src/loop/brief.ts';
import { GUARDRAILS } from '../guardrails.ts';

/** The commands of a Node repository that is neither installed, built nor started; `changes` overrides some of them. */
export function commandsOf(changes: Partial<Brief['commands']> = {}): Brief['commands'] {
  return {
    install: null,
    build: null,
    test: 'node --test',
    start: null,
    health: null,
    runner: 'node-test',
    ...changes,
  };
}

/** All of a brief but where it works and what it may cost: no requirement, no task, nothing of an earlier iteration. */
export const PLAIN_BRIEF = {
  version: 2,
  iteration: 1,
  surface: 'library',
  commands: commandsOf(),
  documents: [],
  requirements: [],
  tasks: [],
  acceptance: [],
  supersededTests: [],
  previous: null,
  tests: null,
  seed: null,
  seeded: [],
  retired: [],
  defects: [],
  waivers: [],
  context: [],
  skills: {},
  model: { name: 'scripted', scripted: true },
  purse: null,
  strength: 'reported',
  thresholds: GUARDRAILS.thresholds,
} satisfies Partial<Brief>;
