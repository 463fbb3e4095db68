/** Accounts, repositories, issues, labels, comments and reactions as GitHub writes them. */
import type { Fields } from '../../referee/json.ts';
import { roleOf } from '../access.ts';
import { apiUrlOf, BOT_LOGIN, type Host, nodeIdOf, repositoryHtmlUrlOf, repositoryUrlOf } from '../host.ts';
import {
  type Comment,
  type Issue,
  type IssueEvent,
  type Label,
  REACTIONS,
  type Reaction,
  type Repository,
} from '../records.ts';
import { registrationOf } from '../registration/registrations.ts';
import { accountOf } from '../repository-records.ts';

export function accountPayload(host: Host, login: string): Fields {
  const { id, type } = accountOf(host, login);
  const htmlUrl = type === 'Bot' ? `${host.url()}/apps/${login.replace('[bot]', '')}` : `${host.url()}/${login}`;
  return {
    login,
    id,
    node_id: nodeIdOf('User', id),
    gravatar_id: '',
    url: `${apiUrlOf(host)}/users/${encodeURIComponent(login)}`,
    html_url: htmlUrl,
    type,
    site_admin: false,
  };
}

export function repositoryPayload(host: Host, repository: Repository): Fields {
  const { id, owner, name, defaultBranch, createdAt, pushedAt } = repository;
  const { isArchived, isPrivate, hasIssues } = host.switches.values().arranged;
  const htmlUrl = repositoryHtmlUrlOf(host, repository);
  const openIssues = host.state.issues.find({ repositoryId: id, state: 'open' }).length;
  return {
    id,
    node_id: nodeIdOf('Repository', id),
    name,
    full_name: `${owner}/${name}`,
    owner: accountPayload(host, owner),
    private: isPrivate,
    visibility: isPrivate ? 'private' : 'public',
    html_url: htmlUrl,
    clone_url: `${htmlUrl}.git`,
    git_url: `${htmlUrl}.git`,
    url: repositoryUrlOf(host, repository),
    description: null,
    fork: false,
    default_branch: defaultBranch,
    has_issues: hasIssues,
    open_issues: openIssues,
    open_issues_count: openIssues,
    created_at: createdAt,
    updated_at: pushedAt,
    pushed_at: pushedAt,
    allow_rebase_merge: false,
    archived: isArchived,
    disabled: false,
  };
}

/** What a person may do, as booleans. */
export function permissionsPayload(host: Host, repository: Repository, login: string): Fields {
  const role = roleOf(host, repository, login);
  const from = {
    admin: ['admin'],
    maintain: ['admin', 'maintain'],
    push: ['admin', 'maintain', 'write'],
    triage: ['admin', 'maintain', 'write', 'triage'],
  };
  return {
    ...Object.fromEntries(Object.entries(from).map(([name, roles]) => [name, roles.includes(role)])),
    pull: true,
  };
}

export function labelPayload(host: Host, repository: Repository, { id, name, color, description }: Label): Fields {
  const url = `${repositoryUrlOf(host, repository)}/labels/${encodeURIComponent(name)}`;
  return { id, node_id: nodeIdOf('Label', id), url, name, color, default: false, description: description ?? null };
}

/** The labels of an issue; one that was used without being made has GitHub's grey. */
export function labelPayloads(host: Host, repository: Repository, names: readonly string[]): readonly Fields[] {
  return names.map((name) => {
    const label = host.state.labels.first({ repositoryId: repository.id, name });
    return labelPayload(
      host,
      repository,
      label ?? { id: 0, repositoryId: repository.id, name, color: 'ededed', description: undefined },
    );
  });
}

export function issuePayload(host: Host, repository: Repository, issue: Issue): Fields {
  const url = `${repositoryUrlOf(host, repository)}/issues/${issue.number}`;
  const htmlUrl = `${repositoryHtmlUrlOf(host, repository)}/${issue.isPull ? 'pull' : 'issues'}/${issue.number}`;
  return {
    id: issue.id,
    node_id: nodeIdOf('Issue', issue.id),
    url,
    repository_url: repositoryUrlOf(host, repository),
    html_url: htmlUrl,
    number: issue.number,
    title: issue.title,
    body: issue.body ?? null,
    user: accountPayload(host, issue.author),
    labels: labelPayloads(host, repository, issue.labels),
    state: issue.state,
    state_reason: issue.stateReason ?? null,
    locked: false,
    assignee: null,
    assignees: [],
    milestone: null,
    comments: host.state.comments.find({ repositoryId: repository.id, number: issue.number }).length,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt ?? null,
    author_association: associationOf(host, repository, issue.author),
    active_lock_reason: null,
    performed_via_github_app: null,
    reactions: reactionRollup(host, `${url}/reactions`, {
      subject: 'issue',
      subjectId: issue.number,
      repositoryId: repository.id,
    }),
    ...(issue.isPull ? { pull_request: pullLinks(host, repository, issue) } : {}),
  };
}

export function commentPayload(host: Host, repository: Repository, comment: Comment): Fields {
  const url = `${repositoryUrlOf(host, repository)}/issues/comments/${comment.id}`;
  const issue = host.state.issues.first({ repositoryId: repository.id, number: comment.number });
  const place = issue?.isPull === true ? 'pull' : 'issues';
  return {
    id: comment.id,
    node_id: nodeIdOf('IssueComment', comment.id),
    url,
    html_url: `${repositoryHtmlUrlOf(host, repository)}/${place}/${comment.number}#issuecomment-${comment.id}`,
    issue_url: `${repositoryUrlOf(host, repository)}/issues/${comment.number}`,
    user: accountPayload(host, comment.author),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    author_association: associationOf(host, repository, comment.author),
    performed_via_github_app: comment.byApp ? appPayload(host) : null,
    reactions: reactionRollup(host, `${url}/reactions`, {
      subject: 'comment',
      subjectId: comment.id,
      repositoryId: repository.id,
    }),
  };
}

export function reactionPayload(host: Host, { id, content, user, createdAt }: Reaction): Fields {
  return { id, node_id: nodeIdOf('Reaction', id), user: accountPayload(host, user), content, created_at: createdAt };
}

export function issueEventPayload(host: Host, repository: Repository, event: IssueEvent): Fields {
  return {
    id: event.id,
    node_id: nodeIdOf('IssueEvent', event.id),
    url: `${repositoryUrlOf(host, repository)}/issues/events/${event.id}`,
    actor: accountPayload(host, event.actor),
    event: event.event,
    commit_id: null,
    commit_url: null,
    created_at: event.createdAt,
    performed_via_github_app: event.actor === BOT_LOGIN ? appPayload(host) : null,
    ...(event.label === undefined ? {} : { label: labelPayloads(host, repository, [event.label])[0] }),
  };
}

/** The App as GitHub describes it. Its slug stays what it is, whatever it is called: its bot has that name. */
export function appPayload(host: Host): Fields {
  const { appId, slug } = host.credentials;
  const { owner, manifest, registeredAt } = registrationOf(host) ?? UNREGISTERED;
  return {
    id: appId,
    slug,
    node_id: nodeIdOf('App', appId),
    client_id: `Iv1.local${appId}`,
    owner: accountPayload(host, owner),
    name: manifest.name,
    description: manifest.description ?? '',
    external_url: manifest.url ?? host.url(),
    html_url: `${host.url()}/apps/${slug}`,
    created_at: registeredAt,
    updated_at: registeredAt,
    permissions: host.switches.values().arranged.permissions,
    events: host.switches.values().arranged.events,
  };
}

const UNREGISTERED = {
  owner: BOT_LOGIN,
  manifest: { name: 'Loopwright', description: undefined, url: undefined },
  registeredAt: '2026-01-01T00:00:00Z',
};

/** How a person stands to the repository, in GitHub's words. */
export function associationOf(host: Host, repository: Repository, login: string): string {
  if (login === repository.owner) return 'OWNER';
  return roleOf(host, repository, login) === 'read' ? 'NONE' : 'COLLABORATOR';
}

function reactionRollup(
  host: Host,
  url: string,
  where: Pick<Reaction, 'subject' | 'subjectId' | 'repositoryId'>,
): Fields {
  const reactions = host.state.reactions.find(where);
  const counts = REACTIONS.map((content) => [
    content,
    reactions.filter((reaction) => reaction.content === content).length,
  ]);
  return { url, total_count: reactions.length, ...Object.fromEntries(counts) };
}

function pullLinks(host: Host, repository: Repository, { number }: Issue): Fields {
  const htmlUrl = `${repositoryHtmlUrlOf(host, repository)}/pull/${number}`;
  const mergedAt = host.state.pulls.first({ repositoryId: repository.id, number })?.mergedAt;
  return {
    url: `${repositoryUrlOf(host, repository)}/pulls/${number}`,
    html_url: htmlUrl,
    diff_url: `${htmlUrl}.diff`,
    patch_url: `${htmlUrl}.patch`,
    merged_at: mergedAt ?? null,
  };
}
