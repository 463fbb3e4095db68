/** Looks at the files that `init` writes, as they stand on the default branch, and at what Actions do with them. */
import { parseConfig } from '../context/repository-config.ts';
import { ConfigError, LoopError } from '../errors.ts';
import { CONFIG_PATH, WORKFLOWS } from '../settings/config.ts';
import {
  differenceIn,
  JOB_ACTION,
  SETUP_ACTION,
  type Server,
  type Standing,
  standingOf,
  workflowPath,
} from '../settings/setup-files.ts';
import { type Finding, missing, ok, unknown, wrong } from './finding.ts';
import { listed, looksAt } from './look.ts';
import type { Patient } from './patient.ts';

const INIT = 'Run `loopwright init` in a checkout, then commit and push the files to the default branch.';
const ANEW =
  'Run `loopwright init --force` in a checkout, take your own `.github/loopwright.yml` back, then commit and push.';

export const fileLooks = looksAt('files', {
  ...Object.fromEntries(
    Object.values(WORKFLOWS).map((name) => [
      name,
      (patient: Patient) => writtenFinding(patient, workflowPath(name), ['workflows', name]),
    ]),
  ),
  'job action': (patient) => writtenFinding(patient, JOB_ACTION, ['actions', 'loopwright-job', 'action.yml']),
  'loopwright.yml': async ({ ward }) => {
    const text = await (await ward()).look.file(CONFIG_PATH);
    if (text === undefined) return missing(`${CONFIG_PATH} is not on the default branch.`, INIT);
    try {
      parseConfig(text);
      return ok(`${CONFIG_PATH} is as it must be.`);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return wrong(error.message, `Correct ${CONFIG_PATH} on the default branch.`);
    }
  },
  'set-up action': async ({ ward }) => {
    const { look } = await ward();
    const [config = '', action] = [await look.file(CONFIG_PATH), await look.file(SETUP_ACTION)];
    if (action !== undefined) return ok(`${SETUP_ACTION} is there.`);
    return config.includes('LOOPWRIGHT_SETUP')
      ? missing(
          `${SETUP_ACTION} is not on the default branch, and ${CONFIG_PATH} takes from what it has downloaded.`,
          INIT,
        )
      : ok('There is none, and nothing takes from it.');
  },
  'switched on': async ({ ward }) => {
    const { look, repository } = await ward();
    const names = Object.values(WORKFLOWS);
    const states = await Promise.all(names.map((name) => look.workflowState(name)));
    const off = names.filter((_, index) => states[index] !== undefined && states[index] !== 'active');
    const unseen = names.filter((_, index) => states[index] === undefined);
    if (off.length > 0)
      return wrong(
        `Actions do not run ${listed(off)}: switched off.`,
        `Enable the workflow: ${repository.url}/actions`,
      );
    return unseen.length === 0
      ? ok('Actions know both workflows, and run them.')
      : unknown(`Actions do not know ${listed(unseen)}.`, 'Bring the workflow files to the default branch first.');
  },
  'allowed actions': async ({ ward }) => {
    const { look, repository } = await ward();
    const place = `${repository.url}/settings/actions`;
    try {
      return actionsFinding(await look.actions(), place);
    } catch (error) {
      if (!(error instanceof LoopError) || error.status !== 403) throw error;
      return unknown(
        `Which actions may be used only owners can see, and the App is none. The workflows use those of \`actions/…\`, each by its commit.`,
        `Look there: ${place}`,
      );
    }
  },
});

/** Of a file that is to stand there as this version has it, below `config/`. */
async function writtenFinding({ app, ward }: Patient, path: string, place: readonly string[]): Promise<Finding> {
  // First: it says why nothing can be looked at where GitHub does not accept the App.
  const { look } = await ward();
  const there = await look.file(path);
  const server = (await app()).serverVersion === undefined ? 'github.com' : 'enterprise-server';
  const findings = {
    missing: missing(`${path} is not on the default branch.`, INIT),
    same: ok(`${path} is as this version writes it.`),
    moved: ok(`${path} is as this version writes it, but for where and for how long it runs.`),
    foreign: wrong(`${path} ${FOREIGN[server][0]}`, FOREIGN[server][1]),
  } as const satisfies Record<Exclude<Standing, 'differs'>, Finding>;
  const standing = await standingOf(there, place, server);
  if (standing !== 'differs') return findings[standing];
  const difference = await differenceIn(there ?? '', place, server);
  return wrong(`${path} is not as this version writes it: ${difference}.`, ANEW);
}

/** By the server that there is: what a file for the other one comes to, and the remedy. */
const FOREIGN: Readonly<Record<Server, readonly [sentence: string, remedy: string]>> = {
  'github.com': ['is for a GitHub Enterprise Server: its actions for artifacts no longer run on github.com.', ANEW],
  'enterprise-server': [
    'is for github.com: its actions for artifacts do not run on a GitHub Enterprise Server, so that no job could deliver its report.',
    ANEW.replace('init --force', 'init --enterprise-server --force'),
  ],
};

function actionsFinding(
  { isEnabled, allowed }: { readonly isEnabled: boolean; readonly allowed: string | undefined },
  place: string,
): Finding {
  if (!isEnabled) return wrong('Actions are disabled in this repository.', `Enable them: ${place}`);
  const known: Readonly<Record<string, Finding>> = {
    all: ok('Actions are enabled, and every action may be used.'),
    local_only: wrong(
      "Only the owner's own actions may be used, and the workflows use those of `actions/…`.",
      `Allow actions created by GitHub: ${place}`,
    ),
  };
  return (
    known[allowed ?? ''] ??
    unknown(
      'Only chosen actions may be used; whether those of `actions/…` are among them was not looked at.',
      `Look there: ${place}`,
    )
  );
}
