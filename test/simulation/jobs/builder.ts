/** The builder: works on the checkout that it is given, in the files that the plan names, and never takes away a line that a person wrote. */
import { type Conflict, conflictDefect, mergeChanges, type Tree } from '../../../src/guard/merge-changes.ts';
import { digestOfTests } from '../../../src/guard/test-digest.ts';
import type { Brief, FileChange, FrozenTests } from '../../../src/loop/brief.ts';
import type { Defect } from '../../../src/loop/measurement.ts';
import { changesBetween, type Files, withChanges } from '../github/commits.ts';
import type { Hub } from '../github/hub.ts';
import { isOfPeople } from '../people/lines.ts';

export interface Built {
  readonly changes: FileChange[];
  readonly tests: FrozenTests;
  readonly conflicts: readonly Conflict[];
  readonly defects: readonly Defect[];
}

/** Builds on the candidate of the brief, with what the iteration before left behind. */
export function builtOn(hub: Hub, brief: Brief): Built {
  const { files } = hub.commits.get(brief.candidate);
  const earlier = earlierWork(hub, brief, files);
  const workspace = new Map(withChanges(files, earlier.changes));
  const tests = brief.previous?.tests ?? designed(brief);
  for (const { path, content } of tests.files) workspace.set(path, content);
  for (const path of new Set(brief.tasks.flatMap((task) => task.files))) edit(hub, workspace, path, brief.entry);
  return {
    changes: changesBetween(files, workspace),
    tests,
    conflicts: earlier.conflicts,
    defects: earlier.conflicts.map(conflictDefect),
  };
}

/** As jobs/workspace/earlier-work.ts: what was built before, merged with what people pushed since. */
function earlierWork({ commits }: Hub, { previous, candidate }: Brief, after: Files): ReturnType<typeof mergeChanges> {
  if (previous === null) return { changes: [], conflicts: [] };
  const { head, changes, tests: frozen } = previous;
  if (head === candidate) return { changes, conflicts: [] };
  const base = baseOf(commits, { head, changes, candidate });
  return mergeChanges({ changes, frozen, before: base === undefined ? undefined : treeOf(base), after: treeOf(after) });
}

/** The newest commit of the branch that has the earlier work already, else the one that it was made on; none where the branch was rewritten. */
function baseOf(
  commits: Hub['commits'],
  {
    head,
    changes,
    candidate,
  }: { readonly head: string; readonly changes: readonly FileChange[]; readonly candidate: string },
): Files | undefined {
  if (!commits.has(head)) return undefined;
  let at: string | undefined = candidate;
  while (at !== undefined && at !== head) {
    const { files, parents } = commits.get(at);
    if (changes.every(({ path, content }) => contentOf(files.get(path)) === content)) return files;
    at = commits.isAncestor(head, at) ? parents[0] : undefined;
  }
  return commits.get(head).files;
}

function contentOf(text: string | undefined): string | null {
  return text === undefined ? null : Buffer.from(text).toString('base64');
}

function treeOf(files: Files): Tree {
  return new Map(
    [...files].map(([path, text]) => [path, { mode: '100644', content: Buffer.from(text).toString('base64') }]),
  );
}

function designed(brief: Brief): FrozenTests {
  const path = `test/loop-${brief.loop.issue}-${brief.entry}.test.js`;
  const files = [{ path, content: `import test from 'node:test';\n// designed in entry ${brief.entry}\n` }];
  const tests = brief.requirements
    .filter(({ kind }) => kind !== 'metric')
    .map(({ id, kind }) => ({
      requirement: id,
      kind: kind === 'keep' ? ('keep' as const) : ('change' as const),
      file: path,
      name: id,
    }));
  return { files, tests, digest: digestOfTests(files) };
}

const BUILT = '// built';

/** Puts its own line into the file, or renews it; sometimes it rewrites another line that is nobody's. */
function edit({ random }: Hub, workspace: Map<string, string>, path: string, entry: number): void {
  const lines = (workspace.get(path) ?? '').split('\n');
  const own = lines.findIndex((line) => line.startsWith(BUILT));
  const line = `${BUILT} in entry ${entry}`;
  if (own >= 0) lines[own] = line;
  else lines.splice(Math.min(2, lines.length), 0, line);
  const free = lines.findIndex((text) => text.startsWith('export const limit') && !isOfPeople(text));
  if (free >= 0 && random.chance(0.5)) lines[free] = `export const limit = ${entry};`;
  workspace.set(path, lines.join('\n'));
}

/** The files of the repository that the loops work on. */
export function startingFiles(authored: Readonly<Record<string, string>>): Files {
  const padding = Array.from({ length: 6 }, (_, index) => `export const part${index + 1} = ${index + 1};`).join('\n');
  const code = (name: string): string => `// ${name}\nexport const limit = 10;\n${padding}\n`;
  return new Map([
    ...Object.entries(authored),
    ['src/items.js', code('items')],
    ['src/server.js', code('server')],
    ['src/auth/login.js', code('login')],
    ['docs/guide.md', '# Guide\n\nRead me.\n'],
    ['.github/loopwright.yml', CONFIG],
  ]);
}

const CONFIG = 'version: 1\ncommands:\n  test: npm test\n  runner: node-test\n  start: npm start\n  health: /\n';
