import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gatewaySettings } from '../../src/settings/gateway-settings.ts';
import { app, guardrails, limits, log, machines, model, skills } from '../../src/settings/variables.ts';

const README = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
/** What the demo gives the App by itself. */
const OURS = new Set(['LOOPWRIGHT_SCRIPTED']);

test.each(
  [app, gatewaySettings, guardrails, limits, log, machines, model, skills]
    .flatMap(({ shape }) => Object.keys(shape))
    .filter((name) => !OURS.has(name)),
)('the README names the variable %s', (name) => {
  expect(README).toMatch(new RegExp(`\\b${name}\\b`));
});
