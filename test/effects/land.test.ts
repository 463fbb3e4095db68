import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { land } from '../../src/effects/land.ts';
import { WriteRefusedError } from '../../src/errors.ts';
import type { BuildReport, FileChange, SeedReport } from '../../src/loop/brief.ts';
import type { ReviewedLoop } from '../../src/loop/stages.ts';
import type { Ports } from '../../src/ports.ts';
import { reviewIn } from '../adapters/loops.ts';
import { openStage, type Stage } from '../drafting/stage.ts';

const HEAD = 'a'.repeat(40);
const HERS = 'c'.repeat(40);
const CANDIDATE = 'd'.repeat(40);

function reportOn<Kind extends 'build' | 'seed'>(kind: Kind, candidate: string, path: string) {
  const change: FileChange = { path, mode: '100644', content: '' };
  return {
    kind,
    version: 2 as const,
    loop: 'acme/shop#12',
    entry: 5,
    candidate,
    base: 'b'.repeat(40),
    sandbox: 'bubblewrap' as const,
    measurements: [],
    defects: [],
    calls: [],
    failure: null,
    durationMs: 1,
    changes: [change],
  };
}

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ 'src/pay.js': '' });
});
afterAll(() => stage.close());

/** Performs the landing of reports made on `madeOn`, where the loop knows the head `known` and the branch is at `head`; with what was committed. */
async function landed(madeOn: string, known: string, head = known) {
  const build: BuildReport = { ...reportOn('build', madeOn, 'src/pay.js'), tests: null, unfinished: [] };
  const seed: SeedReport = { ...reportOn('seed', madeOn, 'data/seed.js'), seed: null };
  const { store } = stage.ports;
  const reports = {
    build: await store.putBlob(JSON.stringify(build)),
    seed: await store.putBlob(JSON.stringify(seed)),
  };
  const committed: { readonly parent: string; readonly paths: readonly string[] }[] = [];
  const base = stage.loop.started.base.sha;
  const ports: Ports = {
    ...stage.ports,
    store: { ...store, begins: async () => true },
    workspace: { ...stage.ports.workspace, codeTree: async () => 'e'.repeat(40) },
    github: {
      ...stage.ports.github,
      head: async (_, ref) => (ref === 'refs/heads/main' ? base : head),
      changedPaths: async () => ['src/pay.js'],
      moveRef: async () => {},
      async commit(_, { parent, changes }) {
        committed.push({ parent, paths: changes.map(({ path }) => path) });
        return { sha: CANDIDATE, tree: 'e'.repeat(40), before: undefined };
      },
    },
  };
  const loop: ReviewedLoop = {
    ...stage.loop,
    phase: 'VERIFY',
    review: { ...reviewIn(13), head: known },
    built: { reports },
  };
  return { event: await land({ type: 'land', key: '5/land', entry: 5 }, loop, ports), committed };
}

/** Performs it where the branch has what was proved before, in an evidence commit, and the base went on; with the refs that were moved. */
async function landedAgain(
  merge: Ports['workspace']['merge'],
  { head = HEAD, over = {} }: { readonly head?: string; readonly over?: Partial<Ports['github']> } = {},
) {
  const build: BuildReport = { ...reportOn('build', 'f'.repeat(40), 'src/pay.js'), tests: null, unfinished: [] };
  const seed: SeedReport = { ...reportOn('seed', 'f'.repeat(40), 'data/seed.js'), seed: null };
  const { store, workspace, github } = stage.ports;
  const reports = {
    build: await store.putBlob(JSON.stringify(build)),
    seed: await store.putBlob(JSON.stringify(seed)),
  };
  const moved: string[] = [];
  const base = stage.loop.started.base.sha;
  const ports: Ports = {
    ...stage.ports,
    workspace: { ...workspace, codeTree: async () => TREE, mergeBase: async () => 'b'.repeat(40), merge },
    github: {
      ...github,
      head: async (_, ref) => (ref === 'refs/heads/main' ? base : head),
      changedPaths: async () => ['src/pay.js'],
      commit: async () => ({ sha: CANDIDATE, tree: TREE, before: head }),
      moveRef: async (_, ref, sha) => void moved.push(`${ref} ${sha}`),
      ...over,
    },
  };
  const loop: ReviewedLoop = {
    ...{ ...stage.loop, phase: 'VERIFY', review: { ...reviewIn(13), head: HEAD } },
    built: { reports, candidate: { sha: 'f'.repeat(40), codeTree: TREE, entry: 4 } },
  };
  return { event: await land({ type: 'land', key: '5/land', entry: 5 }, loop, ports), moved };
}

const TREE = 'e'.repeat(40);
const CLEAN = async () => ({ parent: stage.loop.started.base.sha, held: [], made: [] });

describe('what was proved before, and a base that went on', () => {
  test('land together as a merge on the branch', async () => {
    const { event, moved } = await landedAgain(CLEAN);
    expect(event).toMatchObject({ type: 'landed', candidate: CANDIDATE, codeTree: TREE, head: CANDIDATE });
    expect(moved).toEqual([`refs/heads/${stage.loop.started.branch} ${CANDIDATE}`]);
  });

  test('land as they were where an earlier try has moved the branch', async () => {
    const { event, moved } = await landedAgain(CLEAN, { head: CANDIDATE });
    expect(event).toMatchObject({ type: 'landed', candidate: CANDIDATE, head: CANDIDATE });
    expect(moved).toEqual([]);
  });

  test('give way to a push of which no webhook told', async () => {
    const { event, moved } = await landedAgain(CLEAN, { head: HERS });
    expect(event).toMatchObject({ type: 'pushed', sha: HERS });
    expect(moved).toEqual([]);
  });

  const branch = 'loopwright/12';
  test.each([
    [
      'conflict',
      async () => ({ conflicts: ['src/pay.js'] }),
      {},
      `The base main conflicts with ${branch} in src/pay.js; merge main into ${branch} and say \`/rerun\`.`,
    ],
    [
      'hold what only people may write',
      CLEAN,
      { moveRef: () => Promise.reject(new WriteRefusedError('GitHub refused: no `workflows` permission.')) },
      `GitHub refused: no \`workflows\` permission; merge main into ${branch} and say \`/rerun\`.`,
    ],
  ])('are a person’s where they %s', async (_, merge, over, reason) => {
    expect((await landedAgain(merge, { over })).event).toMatchObject({ type: 'failed', cause: 'conflict', reason });
  });
});

describe('a candidate', () => {
  test('lands as one commit on the head that its reports were made on', async () => {
    const { event, committed } = await landed(HEAD, HEAD);
    expect(event).toMatchObject({ type: 'landed', candidate: CANDIDATE });
    expect(committed).toEqual([{ parent: HEAD, paths: ['src/pay.js', 'data/seed.js'] }]);
  });

  test('never lands on a newer head, whose files it would undo: it is built again', async () => {
    const { event, committed } = await landed(HEAD, HERS);
    expect(event).toMatchObject({
      type: 'failed',
      cause: 'work',
      reason: 'The candidate was made on aaaaaaa, and the branch is at ccccccc.',
    });
    expect(committed).toEqual([]);
  });

  test('gives way to a push of which no webhook told', async () => {
    const { event, committed } = await landed(HEAD, HEAD, HERS);
    expect(event).toMatchObject({ type: 'pushed', sha: HERS, documentsChanged: false });
    expect(committed).toEqual([]);
  });
});
