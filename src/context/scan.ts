/** What a repository is made of, read from one commit without a model and without checking it out. */
import type { RepositoryRef } from '../github/github-port.ts';
import type { Commands } from '../loop/brief.ts';
import type { Workspace } from '../ports.ts';
import { type FoundCommand, isManifest, type Manifest, manifestFacts } from './manifests.ts';
import { type Route, routesIn } from './routes.ts';
import { readWorkflow, type WorkflowFacts } from './workflows.ts';

export interface Scan {
  readonly sha: string;
  /** All file paths, sorted, without the loops' own documents. */
  readonly files: readonly string[];
  readonly languages: readonly { readonly name: string; readonly files: number }[];
  readonly manifests: readonly Manifest[];
  readonly commands: readonly FoundCommand[];
  /** The runner whose single results can be read; undefined when neither is found. */
  readonly runner: Commands['runner'] | undefined;
  readonly routes: readonly Route[];
  readonly tests: readonly string[];
  readonly workflows: readonly WorkflowFacts[];
  /** What could not be read, one sentence each; never left out silently. */
  readonly notes: readonly string[];
}

const LANGUAGES: Readonly<Record<string, string>> = {
  js: 'JavaScript',
  mjs: 'JavaScript',
  cjs: 'JavaScript',
  jsx: 'JavaScript',
  ts: 'TypeScript',
  mts: 'TypeScript',
  tsx: 'TypeScript',
  py: 'Python',
  go: 'Go',
  rs: 'Rust',
  java: 'Java',
  rb: 'Ruby',
  php: 'PHP',
  cs: 'C#',
  html: 'HTML',
  css: 'CSS',
  sql: 'SQL',
  sh: 'Shell',
};
const ROUTED = /\.(?:[mc]?[jt]sx?|py)$/;
const TEST = /(?:^|\/)(?:tests?|__tests__|spec)\/|(?:^|\/)test_[^/]+\.py$|[._-](?:test|spec)\.[^/.]+$|_test\.[^/.]+$/;
const WORKFLOW = /^\.github\/workflows\/[^/]+\.ya?ml$/;
/** More files than this are not read for routes; the scan says so. */
const MAX_READ = 300;

/** Reads the facts of a commit. The same commit always gives the same scan. */
export async function scanRepository(workspace: Workspace, repository: RepositoryRef, sha: string): Promise<Scan> {
  const entries = await workspace.files(repository, sha);
  const files = entries.flatMap(({ path, type }) =>
    type === 'blob' && !path.startsWith('.loopwright/') ? [path] : [],
  );
  files.sort();
  const sources = files.filter((path) => ROUTED.test(path) && !TEST.test(path));
  const asked = {
    manifests: files.filter(isManifest),
    sources: sources.slice(0, MAX_READ),
    workflows: files.filter((path) => WORKFLOW.test(path)),
  };
  const found = await workspace.texts(repository, sha, Object.values(asked).flat());
  const texts = among(asked.manifests, found);
  const workflowTexts = among(asked.workflows, found);
  const facts = manifestFacts(texts.found, files);
  return {
    sha,
    files,
    languages: languagesOf(files),
    ...facts,
    routes: among(asked.sources, found).found.flatMap(({ path, text }) => routesIn(path, text)),
    tests: files.filter((path) => TEST.test(path)),
    workflows: [...workflowTexts.found.map(readWorkflow), ...workflowTexts.unread.map(unreadWorkflow)],
    notes: [
      ...facts.notes,
      ...texts.unread.map((path) => `${path} could not be read (binary or larger than 256 KiB).`),
      ...(sources.length > MAX_READ ? [`Routes were read from ${MAX_READ} of ${sources.length} source files.`] : []),
    ],
  };
}

interface Texts {
  readonly found: readonly { readonly path: string; readonly text: string }[];
  readonly unread: readonly string[];
}

function among(paths: readonly string[], texts: ReadonlyMap<string, string>): Texts {
  const found: { path: string; text: string }[] = [];
  const unread: string[] = [];
  for (const path of paths) {
    const text = texts.get(path);
    if (text === undefined) unread.push(path);
    else found.push({ path, text });
  }
  return { found, unread };
}

function languagesOf(files: readonly string[]): Scan['languages'] {
  const counts = new Map<string, number>();
  for (const path of files) {
    const language = LANGUAGES[path.slice(path.lastIndexOf('.') + 1).toLowerCase()];
    if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  return [...counts]
    .map(([name, count]) => ({ name, files: count }))
    .sort((left, right) => right.files - left.files || (left.name < right.name ? -1 : 1));
}

/** A workflow that cannot be read may hold anything. */
function unreadWorkflow(path: string): WorkflowFacts {
  return { path, triggeredByCode: true, holds: ['cannot be read'] };
}
