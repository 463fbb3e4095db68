/** For the tests of the set-up action: a run that checks out a repository, sets it up by the action as `init` writes it, and looks. */
import { readFile } from 'node:fs/promises';
import { type GitServer, oneJob, runWorkflow } from './workflow-kit.ts';

export const PLACE = '.github/actions/loopwright-setup';
export const ACTION = await readFile(
  new URL('../../config/actions/loopwright-setup/action.yml', import.meta.url),
  'utf8',
);
export const TOKEN = 'ghs_setup';

export interface SetUpOptions {
  /** A script that runs in the workspace afterwards. */
  readonly after?: string;
  /** The only folders with programs. */
  readonly path?: string;
}

/** Sets up a repository with these files. `said` is the log, without times. */
export async function setUpOn(
  git: GitServer,
  files: Readonly<Record<string, string>>,
  { after = 'true', path }: SetUpOptions = {},
) {
  const branch = `refs/heads/${Math.random().toString(36).slice(2)}`;
  const sha = await git.commit(branch, { ...files, [`${PLACE}/action.yml`]: ACTION });
  const steps = `- uses: actions/checkout@v7
- uses: actions/checkout@v7
  with: { path: workspace }
- uses: ./${PLACE}
  with: { workspace: workspace }
- run: ${JSON.stringify(after)}
  working-directory: workspace`;
  const keys = path === undefined ? '' : `    env: { PATH: '${path}' }\n`;
  const { result, log } = await runWorkflow(oneJob(steps, keys), { cloneUrl: git.cloneUrl, sha, token: TOKEN });
  return { result, said: `${log('only').replaceAll(/^\S+Z /gm, '')}\n` };
}
