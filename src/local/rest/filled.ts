/** What the server does not model and answers with the neutral value of GitHub's description: reviewed once, by the schema that has it. A field that is filled and not named here was forgotten. */

const words = (text: string): readonly string[] => text.split(' ');

/** Addresses of what is not served. */
const USER = words(
  'avatar_url events_url followers_url following_url gists_url organizations_url received_events_url repos_url starred_url subscriptions_url',
);
const ISSUE = words('comments_url events_url labels_url');
const REPOSITORY_ADDRESSES = [
  ...words('archive_url assignees_url blobs_url branches_url collaborators_url comments_url commits_url compare_url'),
  ...words('contents_url contributors_url deployments_url downloads_url events_url forks_url git_commits_url'),
  ...words('git_refs_url git_tags_url hooks_url issue_comment_url issue_events_url issues_url keys_url labels_url'),
  ...words('languages_url merges_url milestones_url notifications_url pulls_url releases_url stargazers_url'),
  ...words('statuses_url subscribers_url subscription_url tags_url teams_url trees_url'),
];
/** Beside them what only a forge for many has: forks, stars, wikis. */
const REPOSITORY = [
  ...REPOSITORY_ADDRESSES,
  ...words('mirror_url ssh_url svn_url forks forks_count stargazers_count subscribers_count watchers watchers_count'),
  ...words('has_discussions has_downloads has_pages has_projects has_wiki homepage language license size topics'),
];

interface Reviewed {
  /** Names of schemas; `webhook-issues-` stands for all that begin so. */
  readonly schemas: readonly string[];
  readonly fields: readonly string[];
}

const REVIEWED: readonly Reviewed[] = [
  {
    schemas: words('simple-user nullable-simple-user collaborator nullable-collaborator'),
    fields: USER,
  },
  { schemas: words('issue webhooks_issue webhooks_issue_2 webhook-issue-comment- webhook-issues-'), fields: ISSUE },
  { schemas: words('minimal-repository webhook-workflow-run-'), fields: REPOSITORY_ADDRESSES },
  {
    schemas: words(
      'full-repository repository repository-webhooks webhook-pull-request- webhook-push webhook-issues-transferred',
    ),
    fields: REPOSITORY,
  },
  // The description lets the account be an enterprise, and wants what that has.
  { schemas: ['GET /app/installations'], fields: [...USER, ...words('name slug created_at updated_at')] },
  // Of an issue that was closed or opened the description has no kind, and takes it for one that was labelled.
  { schemas: ['labeled-issue-event'], fields: words('label name color') },
  // Profiles of people have a name and nothing else.
  {
    schemas: ['private-user'],
    fields: [
      ...USER,
      ...words('bio blog collaborators company disk_usage email followers following hireable location'),
      ...words(
        'owned_private_repos private_gists public_gists public_repos total_private_repos two_factor_authentication',
      ),
    ],
  },
  // A suite is told within a transaction, in which git cannot be asked for its commit; lists of suites have it.
  {
    schemas: words('webhook-check-suite-'),
    fields: words('head_commit id tree_id message timestamp author committer name email'),
  },
];

/** Whether the field is one that nobody forgot. */
export function isReviewed(schema: string, field: string): boolean {
  return REVIEWED.some(
    ({ schemas, fields }) =>
      fields.includes(field) &&
      schemas.some((name) => schema === name || (name.endsWith('-') && schema.startsWith(name))),
  );
}
