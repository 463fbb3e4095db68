/** Issues and people, as the port has them. */
import type { GitHub } from '../../../src/github/github-port.ts';
import type { Access } from './github-port.ts';
import { APP, type Comment } from './hub.ts';
import { sendComment, sendIssue, wholeSeconds } from './payloads.ts';
import { gone, notFound } from './requests.ts';
import { markdown } from './texts.ts';

type Talk = Pick<
  GitHub,
  | 'permission'
  | 'locate'
  | 'withheld'
  | 'unsent'
  | 'repository'
  | 'newestIssue'
  | 'environment'
  | 'requiredChecks'
  | 'issueState'
  | 'comment'
  | 'showComment'
  | 'react'
  | 'removeLabel'
  | 'failedDeliveries'
  | 'redeliver'
>;

/** As the adapter writes it. */
export function markOf(marker: string): string {
  return `<!-- loopwright:${marker.replace(/[^A-Za-z0-9/._:-]|--+/g, '-')} -->\n`;
}

export function talkOperations({ hub, wire }: Access): Talk {
  const read = { count: 1, writes: false };
  const write = { count: 1, writes: true };
  const talk: Talk = {
    permission: (target, login) =>
      wire.request(target, {
        ...read,
        what: `GET collaborators/${login}/permission`,
        perform: () => hub.people.find((person) => person.login === login)?.role ?? 'none',
      }),
    locate: (target) =>
      wire.request(undefined, {
        ...read,
        what: `GET repositories/${target.repositoryId}`,
        perform: () => ({
          owner: hub.repository.owner,
          repo: hub.repository.name,
          installationId: hub.repository.installationId,
          archived: false,
        }),
      }),
    // No world takes a right from the App.
    withheld: async () => undefined,
    unsent: async () => [],
    repository: (target) =>
      wire.request(target, {
        ...read,
        what: 'GET repository',
        perform: () => ({
          defaultBranch: hub.repository.defaultBranch,
          url: `https://github.example/${hub.repository.owner}/${hub.repository.name}`,
          server: 'github.com' as const,
          archived: false,
        }),
      }),
    newestIssue: (target) => wire.request(target, { ...read, what: 'GET issues', perform: () => undefined }),
    requiredChecks: (target, branch) =>
      wire.request(target, { ...read, what: `GET rules/branches/${branch}`, perform: () => [] }),
    environment: (target) => wire.request(target, { ...read, what: 'GET environment', perform: () => undefined }),
    issueState: (target, number) =>
      wire.request(target, {
        ...read,
        what: `GET issues/${number}`,
        perform() {
          const issue = hub.issues.get(number);
          if (issue === undefined) throw gone(`GET issues/${number}`);
          return { state: issue.state, labels: [...issue.labels] };
        },
      }),
    async comment(target, number, { marker, body, mention, isNew }) {
      const start = markOf(marker);
      const text = start + markdown(body, mention);
      const what = `issues/${number}/comments`;
      const existing =
        isNew === true
          ? undefined
          : await wire.request(target, {
              ...read,
              what: `GET ${what}`,
              perform: () => ownComment(hub.comments.values(), number, start),
            });
      if (existing?.body === text) return toldOf(existing);
      return wire.request(target, {
        ...write,
        what: `POST ${what}`,
        perform() {
          if (!hub.issues.has(number) && !hub.pulls.has(number)) throw gone(`POST ${what}`);
          if (existing === undefined) return toldOf(create({ hub }, number, text));
          if (existing.deleted) throw notFound(`PATCH ${what}`);
          existing.body = text;
          existing.updatedMs = hub.scheduler.nowMs();
          return toldOf(existing);
        },
      });
    },
    async showComment(target, number, wanted, known) {
      const digest = markOf(wanted.marker) + markdown(wanted.body, wanted.mention);
      if (known?.digest === digest) return known;
      const isChanged =
        known !== undefined &&
        (await wire.request(target, {
          ...write,
          what: `PATCH issues/comments/${known.id}`,
          perform() {
            const comment = hub.comments.get(known.id);
            if (comment === undefined || comment.deleted) return false;
            comment.body = digest;
            comment.updatedMs = hub.scheduler.nowMs();
            return true;
          },
        }));
      return { id: isChanged ? known.id : (await talk.comment(target, number, wanted)).id, digest };
    },
    react: (target, commentId, content) =>
      wire.request(target, {
        ...write,
        what: `POST comments/${commentId}/reactions`,
        perform() {
          const comment = hub.comments.get(commentId);
          if (comment === undefined || comment.deleted) throw notFound(`POST comments/${commentId}/reactions`);
          comment.reactions.add(content);
        },
      }),
    removeLabel: (target, number, name) =>
      wire.request(target, {
        ...write,
        what: `DELETE issues/${number}/labels/${name}`,
        perform() {
          const issue = hub.issues.get(number);
          if (issue?.labels.delete(name)) sendIssue(hub, 'unlabeled', issue, APP, name);
        },
      }),
    failedDeliveries: (cursor) =>
      wire.request(undefined, {
        ...read,
        what: 'GET app/hook/deliveries',
        perform: () => hub.deliveries.failed(cursor),
      }),
    redeliver: (id) =>
      wire.request(undefined, {
        ...write,
        what: `POST app/hook/deliveries/${id}/attempts`,
        perform() {
          if (!hub.deliveries.redeliver(id)) throw notFound(`POST app/hook/deliveries/${id}/attempts`);
        },
      }),
  };
  return talk;
}

function ownComment(comments: Iterable<Comment>, number: number, start: string): Comment | undefined {
  return [...comments].find(
    (comment) =>
      comment.number === number && comment.by === APP && !comment.deleted && comment.body.startsWith(start.trim()),
  );
}

function create({ hub }: Pick<Access, 'hub'>, number: number, body: string): Comment {
  const atMs = hub.scheduler.nowMs();
  const comment: Comment = {
    id: hub.nextId(),
    number,
    by: APP,
    createdMs: atMs,
    body,
    updatedMs: atMs,
    deleted: false,
    reactions: new Set(),
  };
  hub.comments.set(comment.id, comment);
  sendComment(hub, comment, APP);
  return comment;
}

function toldOf({ id, updatedMs }: Comment): { readonly id: number; readonly writtenAt: string } {
  return { id, writtenAt: wholeSeconds(updatedMs) };
}
