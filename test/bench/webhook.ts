/** The webhook of the bench: a push to what may be the branch of a loop, as large as GitHub's own; it is heard, stored, taken in and looked up. */
import { createHmac } from 'node:crypto';

export const SECRET = 'the secret of the bench';
export const PATH = '/api/github/webhooks';

const sha = (digit: string): string => digit.repeat(40);
const person = { name: 'maria', email: 'maria@example.com', username: 'maria' };
const url = (path: string): string => `https://api.github.com/repos/acme/shop/${path}`;
const LINKS =
  'archive assignees blobs branches collaborators comments commits compare contents contributors deployments downloads events forks git_commits git_refs git_tags hooks issues keys labels languages merges milestones notifications pulls releases stargazers statuses subscribers subscription tags teams trees';

const payload = {
  ref: 'refs/heads/loopwright/77',
  before: sha('a'),
  after: sha('b'),
  created: false,
  deleted: false,
  forced: false,
  compare: 'https://github.com/acme/shop/compare/aaaaaaaaaaaa...bbbbbbbbbbbb',
  commits: ['c', 'd', 'b'].map((digit) => ({
    id: sha(digit),
    tree_id: sha('e'),
    distinct: true,
    message:
      'Sort the items by name\n\nUntil now they came in the order in which they were made, which nobody could follow.',
    timestamp: '2026-01-02T03:04:05Z',
    url: `https://github.com/acme/shop/commit/${sha(digit)}`,
    author: person,
    committer: person,
    added: ['src/items/sort.ts', 'test/items/sort.test.ts'],
    removed: [],
    modified: ['src/items/list.ts', 'README.md'],
  })),
  pusher: { name: person.name, email: person.email },
  repository: {
    id: 5,
    node_id: 'R_kgDOABCDEF',
    name: 'shop',
    full_name: 'acme/shop',
    private: true,
    owner: { login: 'acme', id: 3, type: 'Organization', url: 'https://api.github.com/orgs/acme' },
    ...Object.fromEntries(LINKS.split(' ').map((name) => [`${name}_url`, url(name)])),
    default_branch: 'main',
    open_issues: 12,
    topics: [],
  },
  organization: { login: 'acme', id: 3, url: 'https://api.github.com/orgs/acme' },
  sender: { login: 'maria', id: 7, type: 'User', url: 'https://api.github.com/users/maria', site_admin: false },
  installation: { id: 1, node_id: 'MDIzOkludGVncmF0aW9u' },
};

export const BODY = Buffer.from(JSON.stringify(payload));

/** One request as it goes over the wire. */
export function requestOf(id: string): Buffer {
  const head = [
    `POST ${PATH} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `Content-Length: ${BODY.length}`,
    'X-GitHub-Event: push',
    `X-GitHub-Delivery: ${id}`,
    `X-Hub-Signature-256: sha256=${createHmac('sha256', SECRET).update(BODY).digest('hex')}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), BODY]);
}
