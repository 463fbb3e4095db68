/** Starts the repository's own workflows on pushes and pull requests. */

import type { Fields } from '../referee/json.ts';
import type { Host } from './host.ts';
import type { Pull, Repository } from './records.ts';

export interface Pushed {
  readonly repository: Repository;
  readonly actor: string;
  readonly change: { readonly ref: string; readonly before: string; readonly after: string };
  readonly payload: Fields;
}

export async function startPushRuns(_host: Host, _pushed: Pushed): Promise<void> {}

export interface PullMoved {
  readonly repository: Repository;
  readonly actor: string;
  readonly pull: Pull;
  readonly action: string;
  readonly payload: Fields;
}

export async function startPullRuns(_host: Host, _moved: PullMoved): Promise<void> {}
