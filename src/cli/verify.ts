/** `loopwright verify`: repeats a loop's VERIFY from its branch and the artifact that its run left, without the App. */
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { LoopError, UsageError } from '../errors.ts';
import type { Brief, VerifyReport } from '../loop/brief.ts';
import { type Compared, comparedReports, differencesIn } from '../loop/repeated.ts';
import { childEnvironment } from '../settings/env.ts';
import { packageFile } from '../settings/package-root.ts';
import { openCheckout } from '../trees/checkout.ts';
import { type Repository, runGit } from '../trees/repository.ts';
import { type Command, optionsOf, orUnjudged, type Terminal } from './command.ts';
import { inScratch } from './scratch.ts';
import { type Exported, exportedIn, reportIn } from './verify-artifact.ts';

const OPTIONS = {
  json: { type: 'boolean', description: 'print one JSON object, and nothing else on standard output' },
  repo: { type: 'string', value: 'DIR', description: 'a checkout that has the candidate (default: this directory)' },
  setup: {
    type: 'string',
    value: 'DIR',
    description: 'what the set-up action kept for the install command, as $LOOPWRIGHT_SETUP (default: nothing)',
  },
} as const;

const EXIT_CODES = { same: 0, differs: 1, 'not judged': 2 } as const;

export const verify: Command = {
  summary: "repeat a loop's VERIFY from the artifact of its run, and say where the verdicts differ",
  usage: 'DIR [--repo DIR] [--setup DIR] [--json]',
  options: OPTIONS,
  run: (argv, terminal) => orUnjudged(terminal, { argv, code: EXIT_CODES['not judged'], inJson: unknown }, runIn),
};

function unknown(message: string) {
  return { version: 1, verdict: 'not judged', reasons: [message] } as const;
}

async function runIn(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = optionsOf({ command: 'verify', argv, options: OPTIONS, words: 1 });
  const [folder] = positionals;
  if (folder === undefined)
    throw new UsageError('Say the folder of the unpacked artifact `verify`, for example `loopwright verify verify/`.');
  const exported = await exportedIn(resolve(folder));
  const now = await inScratch('verify', terminal, (scratch) =>
    judgedAgain(exported.brief, {
      ...{ scratch, repo: resolve(values.repo ?? '.'), log: (line) => void terminal.fail(line) },
      setup: values.setup === undefined ? undefined : resolve(values.setup),
    }),
  );
  return told(exported, now, { terminal, json: values.json === true });
}

interface Places {
  readonly scratch: string;
  readonly repo: string;
  readonly setup: string | undefined;
  readonly log: (line: string) => void;
}

/** Runs the job that GitHub Actions runs, on a clone of its own, with nothing of this process's environment. @throws {LoopError} when it judges nothing. */
async function judgedAgain(brief: Brief, { scratch, repo, setup, log }: Places): Promise<VerifyReport> {
  const checkout = await openCheckout(repo, scratch);
  const workspace = await workspaceOf(brief, { scratch, ...checkout });
  const [output, temporary] = [join(scratch, 'output'), join(scratch, 'temporary')];
  for (const folder of [output, temporary]) await mkdir(folder);
  if (setup !== undefined) await symlink(await realpath(setup), join(temporary, 'loopwright-setup'));
  const file = join(scratch, 'brief.json');
  // Who sent the folder may say that its model was scripted; its code goes into a sandbox all the same.
  await writeFile(file, JSON.stringify({ ...brief, model: { ...brief.model, scripted: false } }));
  const job = execa(process.execPath, [packageFile('dist', 'job.mjs'), 'verify'], {
    extendEnv: false,
    env: {
      ...{ ...childEnvironment(), CI: 'true', TMPDIR: temporary },
      ...{ RUNNER_TEMP: temporary, LOOPWRIGHT_BRIEF: file, LOOPWRIGHT_WORKSPACE: workspace, LOOPWRIGHT_OUTPUT: output },
    },
    reject: false,
    all: true,
    lines: true,
  });
  for await (const line of job.iterable({ from: 'all' })) log(line);
  await job;
  const report = await reportIn(output);
  if (report.failure !== null) throw new LoopError(`VERIFY judged nothing: ${report.failure.message}`);
  return report;
}

/** A clone with the candidate checked out and all its history, which is what the job reads. @throws {UsageError} when the checkout lacks a commit. */
async function workspaceOf(
  { candidate, base }: Brief,
  { root, repository, scratch }: { readonly root: string; readonly repository: Repository; readonly scratch: string },
): Promise<string> {
  for (const commit of [base, candidate]) {
    const isThere = await repository.git(['cat-file', '-e', `${commit}^{commit}`]).then(
      () => true,
      () => false,
    );
    if (!isThere)
      throw new UsageError(
        `${root} has no commit ${commit}; fetch it there: \`git fetch origin ${commit}\`, or the branch of the loop.`,
      );
  }
  const workspace = join(scratch, 'workspace');
  await runGit(['clone', '--quiet', '--no-checkout', '--shared', '--', root, workspace], scratch, {});
  await runGit(['update-ref', 'refs/heads/loopwright-base', base], workspace, {});
  await runGit(['checkout', '--quiet', '--detach', candidate], workspace, {});
  return workspace;
}

function told(
  { brief, report }: Exported,
  now: VerifyReport,
  { terminal, json }: { readonly terminal: Terminal; readonly json: boolean },
): number {
  const compared = comparedReports(brief, report, now);
  const differences = differencesIn(compared);
  const { candidate, base, sandbox } = now;
  const verdict = differences.length === 0 ? 'same' : 'differs';
  if (json) terminal.out(JSON.stringify({ version: 1, candidate, base, sandbox, verdict, compared }, null, 2));
  else for (const line of linesOf(now, compared, differences.length)) terminal.out(line);
  return EXIT_CODES[verdict];
}

function linesOf({ candidate, base, sandbox }: VerifyReport, compared: readonly Compared[], differing: number) {
  const width = Math.max(...compared.map(({ what }) => what.length));
  const rows = compared.map(({ what, before, now }) => {
    const said = before === now ? now : `${now}  DIFFERS: the artifact says ${before}`;
    return `  ${what.padEnd(width)}  ${said}`;
  });
  const all = `${compared.length} verdicts`;
  return [
    `${candidate.slice(0, 10)} on top of ${base.slice(0, 10)}, sandbox ${sandbox}`,
    '',
    ...rows,
    '',
    differing === 0 ? `The same: ${all}.` : `${differing} of ${all} differ.`,
  ];
}
