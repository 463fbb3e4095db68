/** What the demo is about: its repository's name, its script, its issue, and what a newcomer reads first. */
import { readFile } from 'node:fs/promises';
import { UsageError } from '../errors.ts';
import { packageFile } from '../settings/package-root.ts';

export const DEMO_REPOSITORY = 'acme/guestbook';

/** The authored answers that belong to the demo's issue. */
export function demoScript(): string {
  return packageFile('src', 'demo', 'guestbook.yaml');
}

export interface IssueText {
  readonly title: string;
  readonly body: string;
}

/** The issue in a Markdown file, by default the demo's: the first line is the title, with or without `#`. @throws {UsageError} when there is none. */
export async function readIssue(file = packageFile('src', 'demo', 'issue.md')): Promise<IssueText> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new UsageError(`--issue ${file}: it cannot be read; name a Markdown file whose first line is the title`, {
      cause,
    });
  });
  const [first = '', ...rest] = text.trimStart().split('\n');
  const title = first.replace(/^#+\s*/, '').trim();
  if (title === '')
    throw new UsageError(`--issue ${file}: it has no title; write the title in the first line, and the issue below it`);
  return { title, body: rest.join('\n').trim() };
}

/** The guided tour, as Markdown, for the first page of `npm start`. */
export function demoWelcome(
  { title }: IssueText,
  { scripted, again }: { readonly scripted: boolean; readonly again: boolean },
): string {
  const model = scripted
    ? '**The model is scripted**: its answers are authored, and it knows this one issue only. GitHub, git, Actions, tests and evidence are real. With `LLM_BASE_URL`, `LLM_MODEL` and `LLM_API_KEY` a real model works on any issue.'
    : 'A real model works here: label any issue.';
  const before = again
    ? `> This is a place that was used before: its [issues](/${DEMO_REPOSITORY}/issues) and [pull requests](/${DEMO_REPOSITORY}/pulls) say how far they are. The tour is for an issue that has not begun.\n\n`
    : '';
  return `${before}## From an issue to a merged pull request

1. Choose **maria (admin)** at the top right, and press **Switch**.
2. Open the issue [${title}](/${DEMO_REPOSITORY}/issues) and add the label \`loop\`. Questions come as a comment.
3. Answer them with the comment \`/answer 1a 2a\`. A draft pull request follows; the issue links it.
4. Read the packet there: requirements, tasks, price, four diagrams. Then press **Approve** on its tab *Checks*.
5. Watch the checks turn green. The first build has a real bug; the second is right. It takes about half a minute.
6. The pull request leaves draft. Read what proves each requirement, and merge it yourself: Loopwright never does.

${model}`;
}

/** Who is there in local mode when nobody is named: one who may do everything, one who may only read. */
export const DEMO_USERS = [
  { login: 'maria', role: 'admin' },
  { login: 'noah', role: 'read' },
] as const;
