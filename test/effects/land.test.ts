import { describe, expect, test } from 'vitest';
import { type Landing, land } from '../../src/effects/land.ts';
import { digestOf } from '../../src/guard/digest.ts';
import type { BuildReport, FileChange, SeedReport } from '../../src/loop/brief.ts';
import { startedLoop } from '../render/loops.ts';

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

/** Performs the landing of reports made on `madeOn`, where branch and loop are at `head`; with what was committed. */
async function landed(madeOn: string, head: string) {
  const build: BuildReport = { ...reportOn('build', madeOn, 'src/pay.js'), tests: null, unfinished: [] };
  const seed: SeedReport = { ...reportOn('seed', madeOn, 'data/seed.js'), seed: null };
  const blobs = new Map([build, seed].map((report) => [digestOf(JSON.stringify(report)), JSON.stringify(report)]));
  const [first, second] = [...blobs.keys()];
  const committed: { readonly parent: string; readonly paths: readonly string[] }[] = [];
  const ports: Landing = {
    clock: { now: () => new Date(0) },
    store: { blob: async (digest) => Buffer.from(blobs.get(digest) ?? '') },
    workspace: { codeTree: async () => 'e'.repeat(40) },
    github: {
      head: async () => head,
      moveRef: async () => {},
      async commit(_, { parent, changes }) {
        committed.push({ parent, paths: changes.map(({ path }) => path) });
        return { sha: CANDIDATE, tree: 'e'.repeat(40) };
      },
    },
  };
  const loop = startedLoop({ phase: 'VERIFY', head, reports: { build: first, seed: second } });
  return { event: await land(loop, ports), committed };
}

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
      cause: 'moved',
      reason: 'The branch loopwright/12 moved to ccccccc after the candidate was made on aaaaaaa.',
    });
    expect(committed).toEqual([]);
  });
});
