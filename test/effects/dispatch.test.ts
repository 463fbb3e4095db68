import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dispatch } from '../../src/effects/dispatch.ts';
import { brief, type FrozenTests } from '../../src/loop/brief.ts';
import type { ReviewedLoop } from '../../src/loop/stages.ts';
import { asReviewed } from '../../src/loop/stages.ts';
import type { Ports } from '../../src/ports.ts';
import { FILES, specification } from '../drafting/authored.ts';
import { openStage, type Stage } from '../drafting/stage.ts';
import { building, SHA } from '../loop/stands.ts';
import { record } from '../render/loops.ts';

it('a try whose run is known by its webhook meanwhile starts no further one', async () => {
  const loop: ReviewedLoop = { ...asReviewed(building()), phase: 'VERIFY' };
  const ports = { clock: { now: () => new Date(0) } } as Ports;
  const key = `${loop.entry}/dispatch`;
  const answer = await dispatch({ type: 'dispatch', key, job: 'verify', entry: loop.entry }, loop, ports, 2);
  expect(answer).toEqual({
    type: 'dispatched',
    at: '1970-01-01T00:00:00.000Z',
    entry: loop.entry,
    runId: loop.built.run?.id,
  });
});

describe('what the last build made', () => {
  const TREE = 'e'.repeat(40);
  const PROMOTED = 'f'.repeat(40);
  const FROZEN: FrozenTests = {
    files: [{ path: 'test/greet.test.js', content: 'greets' }],
    tests: [{ requirement: 'R-1', kind: 'change', file: 'test/greet.test.js', name: 'greets' }],
    digest: `sha256:${'0'.repeat(64)}`,
  };
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(FILES);
  });
  afterAll(() => stage.close());

  /** What the brief of the next run says of it, where the last entry ended so and the loop branch is at `head`. */
  async function briefed(
    last: { phase: 'BUILD' | 'VERIFY' | 'SHIP'; trees?: string[] },
    head = SHA,
    job: 'build' | 'verify' = 'verify',
  ) {
    const { loop: staged } = stage;
    const build = { kind: 'build', version: 2, loop: 'x#12', entry: 5, candidate: SHA, base: SHA, sandbox: 'none' };
    const report = { ...build, measurements: [], defects: [], calls: [], failure: null, durationMs: 1, changes: [] };
    const storedWith = (tests: FrozenTests | null) =>
      stage.ports.store.putBlob(JSON.stringify({ ...report, tests, unfinished: [] }));
    const stored = await storedWith(null);
    const requirements = await stage.ports.store.putBlob(JSON.stringify(specification.requirements));
    const before = asReviewed(building());
    const loop: ReviewedLoop = {
      ...before,
      ref: staged.ref,
      started: staged.started,
      documents: [{ path: '.loopwright/12/requirements.json', digest: requirements }],
      review: { ...before.review, head },
      entries: [record(6, last.phase, [], { outcome: 'failed' })],
      trees: last.trees ?? [TREE],
      built: { reports: { build: stored }, retired: [stored, await storedWith(FROZEN)] },
    };
    const { branch, sha } = staged.started.base;
    const told: string[] = [];
    const publish = async (text: string) => {
      told.push(text);
      return 'digest';
    };
    const ports: Ports = {
      ...stage.ports,
      modelFacts: { ...stage.ports.modelFacts, jobUrl: 'http://127.0.0.1:1/v1' },
      gateway: { ...stage.ports.gateway, publish },
      store: { ...stage.ports.store, begins: async () => true },
      github: {
        ...stage.ports.github,
        dispatch: async () => 7,
        head: async (_, ref) => (ref.endsWith(`/${branch}`) ? sha : head),
      },
      workspace: { ...stage.ports.workspace, codeTree: async (_, sha) => (sha === PROMOTED ? TREE : 'other') },
    };
    await dispatch({ type: 'dispatch', key: 'k', job, entry: loop.entry }, loop, ports, 1);
    return brief.parse(JSON.parse(told[0] ?? ''));
  }

  it.each<[string, Parameters<typeof briefed>]>([
    ['VERIFY refused it', [{ phase: 'VERIFY' }]],
    ['the checks of the repository refused it where it was promoted', [{ phase: 'SHIP' }, PROMOTED]],
  ])('is told as a tree that failed where %s', async (_, asked) => {
    expect((await briefed(...asked)).previous).toMatchObject({ head: SHA, failed: true });
  });

  it.each<[string, Parameters<typeof briefed>]>([
    ['its own gates refused it', [{ phase: 'BUILD' }]],
    ['a person granted the same tree another try', [{ phase: 'VERIFY', trees: [] }]],
    ['people have pushed since', [{ phase: 'VERIFY' }, 'c'.repeat(40)]],
  ])('is not told so where %s', async (_, asked) => {
    expect((await briefed(...asked)).previous).toMatchObject({ failed: false });
  });

  it('under plans that were sent back is told to the next build, which takes their tests away, and to no judge', async () => {
    expect((await briefed({ phase: 'BUILD' }, SHA, 'build')).retired).toEqual(FROZEN.files);
    expect((await briefed({ phase: 'BUILD' }, SHA, 'verify')).retired).toEqual([]);
  });
});
