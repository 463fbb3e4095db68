/** Looks at what the App is told before it starts: variables, skills, guardrails. Nothing leaves this machine. */
import { loadSkills } from '../adapters/skills.ts';
import { ConfigError } from '../errors.ts';
import type { Examined } from '../settings/env.ts';
import { readGuardrails } from '../settings/guardrails.ts';
import { packageFile } from '../settings/package-root.ts';
import { type Finding, missing, ok, type Row, wrong } from './finding.ts';
import { looksAt } from './look.ts';

const AREA = 'settings';

/** One row for each variable that is not as it must be, or one for all. */
export function settingsRows({ problems }: Examined): readonly Row[] {
  if (problems.length === 0)
    return [{ area: AREA, subject: 'variables', ...ok('Every variable that `start` reads is as it must be.') }];
  return problems.map(({ name, isMissing, stands, remedy }) => {
    const finding = (isMissing ? missing : wrong)(`${name} ${stands}.`, sentenceOf(remedy));
    return { area: AREA, subject: name, ...finding };
  });
}

/** Remedies of variables are the ends of sentences. */
function sentenceOf(remedy: string): string {
  return `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}.`;
}

export const settingsLooks = looksAt(AREA, {
  skills: ({ environment: { skillsDirectory } }) =>
    asItMustBe(() => loadSkills(skillsDirectory ?? packageFile('skills')), 'Every skill that a phase needs is there.'),
  guardrails: ({ environment: { guardrailsFile } }) =>
    asItMustBe(
      () => readGuardrails(guardrailsFile ?? packageFile('config', 'guardrails.yaml')),
      'Every gate has its number.',
    ),
  'scripted model': async ({ environment: { app, model } }) => {
    const host = model.LLM_BASE_URL === undefined ? undefined : new URL(model.LLM_BASE_URL).hostname;
    if (app.LOOPWRIGHT_SCRIPTED !== true || host === undefined || isThisMachine(host)) return undefined;
    return wrong(
      `LOOPWRIGHT_SCRIPTED is for a scripted model on this machine, and LLM_BASE_URL leads to ${host}.`,
      'Unset LOOPWRIGHT_SCRIPTED.',
    );
  },
});

/** Whether a host of an address is the machine itself. */
export function isThisMachine(host: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(host);
}

async function asItMustBe(read: () => Promise<unknown>, sentence: string): Promise<Finding> {
  try {
    await read();
    return ok(sentence);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return wrong(error.message, 'Mend the file, or unset the variable that names another than the package has.');
  }
}
