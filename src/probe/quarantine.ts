/** Whether what is pushed where candidates lie before they are proved stays out of everybody's reach. */
import { type Finding, ok, unknown, wrong } from '../doctor/finding.ts';
import { TELL } from './probe.ts';
import { branchFor, commitOn, type Scratch, within } from './scratch.ts';

/** Silence shows something only where a push to a branch, made after it, is heard of. */
export async function quarantine(scratch: Scratch): Promise<Finding> {
  const { probing, repository, mark } = scratch;
  const ref = `refs/loopwright/probe/${mark}`;
  const control = `refs/heads/${branchFor(scratch, 'control')}`;
  const sha = await commitOn(scratch, ref);
  const heard = async (of: string, pushed: string) => ({
    runs: await probing.runsOn(repository, of),
    told: await probing.pushesToldOf(pushed),
  });
  const controlSha = await commitOn(scratch, control);
  const seen = await within(scratch, async () => {
    const { runs, told } = await heard(sha, ref);
    return runs.length > 0 || told > 0 ? { runs, told } : undefined;
  });
  if (seen === undefined) return silence(scratch, ref, await heard(controlSha, control));
  const what = seen.runs.length > 0 ? `started ${seen.runs.join(', ')}` : 'was told by a webhook';
  return wrong(`A push to ${ref} ${what}: what lies there before it is proved is not out of reach.`, TELL);
}

function silence(
  { patienceMs }: Scratch,
  ref: string,
  control: { readonly runs: readonly string[]; readonly told: number },
): Finding {
  const time = `within ${Math.round(patienceMs / 1000)} s`;
  if (control.told === 0)
    return unknown(
      `A push to a branch was told by no webhook ${time}, so that the silence about ${ref} says nothing.`,
      'See whether the App hears of `push` and where its webhooks go (`doctor`); give GitHub more time with --wait.',
    );
  return control.runs.length === 0
    ? unknown(
        `A push to ${ref} sent no webhook ${time}; one to a branch started no workflow either, so that of workflows nothing is known.`,
        'Commit a workflow on `push` to the scratch repository, or give GitHub more time with --wait.',
      )
    : ok(`A push to ${ref} started no workflow and sent no webhook ${time}; one to a branch did both.`);
}
