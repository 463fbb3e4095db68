/** What a data directory of local mode holds already: each issue, its pull request, and what can be done next. */
import { z } from 'zod';
import { readerOf } from '../local/reader.ts';
import type { Loop } from '../loop/loop.ts';
import type { Store } from '../ports.ts';
import { nowOf } from '../render/words.ts';

interface Place {
  readonly githubUrl: string;
  readonly repositories: readonly string[];
  /** Of somebody who may read. */
  readonly token: string;
  readonly store: Pick<Store, 'newest'>;
}

/** Issues per repository; a longer list is for the browser. */
const MAX_ISSUES = 5;

const issueRows = z.array(
  z.object({ number: z.int(), title: z.string(), state: z.string(), pull_request: z.unknown().optional() }),
);
const pullRow = z.object({
  number: z.int(),
  state: z.enum(['open', 'closed']),
  draft: z.boolean().nullish(),
  merged_at: z.string().nullable(),
});
type Issue = z.infer<typeof issueRows>[number];
type Pull = z.infer<typeof pullRow>;

/** One line per issue, the newest first; empty where nobody wrote one. */
export async function whatIsThere(place: Place): Promise<readonly string[]> {
  const { read } = readerOf(place);
  const lines: string[] = [];
  for (const fullName of place.repositories) {
    const { id } = z.object({ id: z.int() }).parse(await read(`/repos/${fullName}`));
    const rows = issueRows.parse(await read(`/repos/${fullName}/issues?state=all&per_page=100`));
    for (const issue of rows.filter((row) => row.pull_request === undefined).slice(0, MAX_ISSUES)) {
      const loop = (await place.store.newest(id, issue.number))?.loop;
      const number = loop?.review?.pull;
      const pull = number === undefined ? undefined : pullRow.parse(await read(`/repos/${fullName}/pulls/${number}`));
      lines.push(`${fullName}#${issue.number} “${issue.title}”: ${nextOf(issue, loop, pull)}`);
    }
  }
  return lines;
}

/** Where the issue is, and what somebody can do about it, in one or two sentences. */
function nextOf({ state }: Issue, loop: Loop | undefined, pull: Pull | undefined): string {
  if (pull?.merged_at) return `merged as pull request #${pull.number}; nothing is left to do.`;
  if (pull?.state === 'closed') return `its pull request #${pull.number} was closed without a merge.`;
  if (loop === undefined) return state === 'open' ? 'add the label `loop` to it.' : 'closed.';
  return pull === undefined
    ? nowOf(loop)
    : `pull request #${pull.number}${pull.draft ? ' (draft)' : ''}. ${nowOf(loop)}`;
}
