/** What happens to the ground that a loop stands on. */
import type { Loop } from '../../../src/loop/loop.ts';
import { sendIssue, sendRepository } from '../github/payloads.ts';
import { type Crowd, say } from './crowd.ts';

/** Somebody commands and takes it back at once, before it is answered; or an older word goes. */
export function deleteComment(crowd: Crowd, loop: Loop): void {
  const { hub, people, said } = crowd;
  const comment = hub.random.chance(0.7)
    ? say(crowd, loop.ref.issue, people.maria, hub.random.pick(['/status', '/pause', '/context never mind']))
    : said.at(-1);
  if (comment === undefined) return;
  hub.scheduler.after(hub.random.around(1500), () => {
    comment.deleted = true;
  });
}

export function deleteIssue({ hub, people }: Crowd, loop: Loop): void {
  const issue = hub.issues.get(loop.ref.issue);
  if (issue === undefined) return;
  hub.note(`@${people.maria.login} deletes issue #${issue.number}`);
  hub.issues.delete(issue.number);
  sendIssue(hub, 'deleted', issue, people.maria);
}

export function rename({ hub, people }: Crowd): void {
  const { repository } = hub;
  repository.formerNames.add(repository.name);
  repository.name = `${repository.name}-${repository.formerNames.size}`;
  hub.note(`the repository is now called ${repository.name}`);
  sendRepository(hub, 'renamed', people.maria);
}

/** A workflow file is missing for a while, as it is before somebody installs it. */
export function removeWorkflow({ hub }: Crowd): void {
  const workflow = hub.random.pick(['loopwright-build.yml', 'loopwright-verify.yml']);
  hub.missingWorkflows.add(workflow);
  hub.note(`${workflow} is missing on the default branch`);
  hub.scheduler.after(hub.random.around(3600_000), () => hub.missingWorkflows.delete(workflow));
}

export function outage({ hub }: Crowd): void {
  const minutes = hub.random.around(6);
  hub.note(`GitHub is down for ${Math.round(minutes)} minutes`);
  hub.outageUntilMs = hub.scheduler.nowMs() + minutes * 60_000;
}
