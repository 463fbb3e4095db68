/** The maintainer of the demo: says what a person would say, through the REST API. */
import { z } from 'zod';
import { LoopError } from '../errors.ts';

export interface Maintainer {
  /** Creates the issue and returns its number and the repository's id. */
  open(issue: {
    readonly title: string;
    readonly body: string;
  }): Promise<{ readonly number: number; readonly repositoryId: number }>;
  /** The newest issue with this title. */
  find(
    title: string,
  ): Promise<{ readonly number: number; readonly repositoryId: number; readonly labelled: boolean } | undefined>;
  /** The first issue or pull request of the repository, if there is any. */
  oldest(): Promise<number | undefined>;
  /** Makes the label `loop` known to the repository, so that people can choose it. */
  createLabel(): Promise<void>;
  label(issue: number): Promise<void>;
  comment(number: number, body: string): Promise<void>;
  /** The last comment on an issue, as people see it. */
  lastSaid(number: number): Promise<string | undefined>;
}

const created = z.object({ number: z.int() });
const issueRows = z.array(
  created.extend({
    title: z.string(),
    labels: z.array(z.object({ name: z.string() })),
    pull_request: z.unknown().optional(),
  }),
);

export function createMaintainer({
  githubUrl,
  fullName,
  token,
}: {
  readonly githubUrl: string;
  readonly fullName: string;
  readonly token: string;
}): Maintainer {
  const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${githubUrl}/api/v3/repos/${fullName}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new LoopError(`${method} ${path} as the maintainer was answered ${response.status}: ${text.slice(0, 300)}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const repositoryId = async () => z.object({ id: z.int() }).parse(await call('GET', '')).id;
  return {
    async open(issue) {
      const { number } = created.parse(await call('POST', '/issues', issue));
      return { number, repositoryId: await repositoryId() };
    },
    async find(title) {
      const rows = issueRows.parse(await call('GET', '/issues?state=all&per_page=100'));
      const found = rows.find((row) => row.title === title && row.pull_request === undefined);
      if (found === undefined) return undefined;
      const labelled = found.labels.some(({ name }) => name === 'loop');
      return { number: found.number, repositoryId: await repositoryId(), labelled };
    },
    async oldest() {
      const [first] = z.array(created).parse(await call('GET', '/issues?state=all&direction=asc&per_page=1'));
      return first?.number;
    },
    async createLabel() {
      await call('POST', '/labels', { name: 'loop', color: '2f5bd8', description: 'Starts Loopwright on an issue' });
    },
    async label(issue) {
      await call('POST', `/issues/${issue}/labels`, { labels: ['loop'] });
    },
    async comment(number, body) {
      await call('POST', `/issues/${number}/comments`, { body });
    },
    async lastSaid(number) {
      const comments = z.array(z.object({ body: z.string() }));
      const last = comments.parse(await call('GET', `/issues/${number}/comments?per_page=100`)).at(-1);
      return last?.body.replaceAll(/<!--.*?-->/gs, '').trim();
    },
  };
}
