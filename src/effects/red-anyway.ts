/** Which red checks are red without the change too: at the base, or at the packet's commit where that holds the base's code. */
import type { HeadCheck } from '../github/github-port.ts';
import type { ExcusedCheck } from '../loop/measurement.ts';
import type { ReviewedLoop } from '../loop/stages.ts';
import type { Ports } from '../ports.ts';

/** Asks GitHub only where something is red. A check that is still at work there excuses nothing. */
export async function redAnyway(
  failed: readonly HeadCheck[],
  loop: ReviewedLoop,
  ports: Pick<Ports, 'github' | 'workspace'>,
): Promise<readonly ExcusedCheck[]> {
  if (failed.length === 0) return [];
  const excused = new Map<string, ExcusedCheck>();
  for (const sha of await commitsWithout(loop, ports)) {
    const { checks } = await ports.github.headChecks(loop.ref, sha);
    const red = new Set(checks.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name));
    for (const { name } of failed) if (red.has(name) && !excused.has(name)) excused.set(name, { name, sha });
  }
  return [...excused.values()];
}

/** A packet that was published on top of an earlier build holds that build's code. */
async function commitsWithout(
  { ref, review, started }: ReviewedLoop,
  { workspace }: Pick<Ports, 'workspace'>,
): Promise<readonly string[]> {
  const { sha: base } = started.base;
  const { head: packet } = review.packet;
  if (packet === undefined || packet === review.head) return [base];
  const [without, there] = await Promise.all([workspace.codeTree(ref, base), workspace.codeTree(ref, packet)]);
  return without === there ? [base, packet] : [base];
}
