/** What ends a BUILD at once: each row has the exact sentence, which stands in every place; nothing of the try lands, and `/rerun` goes on with the same approval. */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Loop } from '../../src/loop/loop.ts';
import type { ReviewedLoop } from '../../src/loop/stages.ts';
import { commanded, proposed } from './acts.ts';
import { FAULT_ROWS, type FaultyModel, startFaultyModel, TIMEOUT_MS } from './faulty-model.ts';
import { expectStopped } from './stopped.ts';
import { startWorld, type World } from './world.ts';

const ACTION = '.github/actions/loopwright-job/action.yml';

let world: World;
let model: FaultyModel;
let packet: ReviewedLoop;
let issue: number;
beforeAll(async () => {
  model = await startFaultyModel();
  // As far as the App knows the model is a real one, whose code needs a sandbox.
  world = await startWorld({
    modelUrl: model.url,
    modelSilenceMs: TIMEOUT_MS,
    scripted: false,
    prepare: captureRunner,
  });
  packet = await proposed(world, 'Let visitors search');
  issue = packet.ref.issue;
});
afterAll(async () => {
  await world.close();
  await model.close();
});

/** The workflow's action runs the forger where it ran the job. */
async function captureRunner(path: string): Promise<void> {
  const action = await readFile(join(path, ACTION), 'utf8');
  const captured = action.replace(
    '"$ENGINE" "$RUNNER_TEMP/loopwright/job.mjs" "$COMMAND"',
    '"$ENGINE" "$LOOPWRIGHT_WORKSPACE/../setup/forge.mjs" "$COMMAND"',
  );
  expect(captured).not.toBe(action);
  await writeFile(join(path, ACTION), captured);
  await cp(join(import.meta.dirname, '..', 'fixtures', 'forge', 'forge.mjs'), join(path, 'forge.mjs'));
}

/** `case` is what the forger is told; {run}, {entry}, {head}, {base} and {bytes} are filled in. */
interface Row {
  readonly case: string;
  readonly sentence: string;
  /** Where a look at the run is not enough. */
  readonly remedy?: string;
}

const LOOK = 'Look at the run and its log before you say `/rerun`.';

const ROWS: readonly Row[] = [
  {
    case: 'another entry',
    sentence:
      'The BUILD report speaks of another run: build of entry 99 for {head} on {base}, expected build of entry {entry} for {head} on {base}. Nothing of it was taken over.',
  },
  {
    case: 'another base',
    sentence:
      'The BUILD report speaks of another run: build of entry {entry} for {head} on {head}, expected build of entry {entry} for {head} on {base}. Nothing of it was taken over.',
  },
  {
    case: 'no raw output',
    sentence:
      'The measurement build_ok has no raw output with digest sha256:000000000000…; a value without it is none. Nothing of it was taken over.',
  },
  {
    case: 'a missing field',
    sentence:
      'The BUILD report breaks its schema at "sandbox": Invalid option: expected one of "bubblewrap"|"none". Nothing of it was taken over.',
  },
  {
    case: 'no JSON',
    sentence: 'The BUILD artifact has no readable report.json. Nothing of it was taken over.',
  },
  {
    case: 'a workflow',
    sentence:
      '`.github/workflows/release.yml` must not change: files of git and GitHub (`.git*`) are changed by people only. The proposed patch was refused as a whole.',
  },
  {
    case: 'code owners',
    sentence:
      '`docs/CODEOWNERS` must not change: CODEOWNERS is changed by people only. The proposed patch was refused as a whole.',
  },
  {
    case: 'a symbolic link',
    sentence:
      'The BUILD report breaks its schema at "changes.0.mode": Invalid option: expected one of "100644"|"100755". Nothing of it was taken over.',
  },
  {
    case: 'a way out',
    sentence:
      '`../guestbook/src/search.js` must not change: its path has an empty, `.` or `..` segment. The proposed patch was refused as a whole.',
  },
  {
    case: 'an unplanned file',
    sentence:
      '`src/store.js` changed although no task of the approved plan names it. The proposed patch was refused as a whole.',
  },
  {
    case: 'other tests',
    sentence: 'The frozen tests do not have the digest that the report states. Nothing of it was taken over.',
  },
  {
    case: '20 MB',
    sentence:
      'The artifact "build" of run {run} has {bytes} bytes; at most 8000000 are read. Nothing of it was taken over.',
  },
  {
    case: 'a zip bomb',
    sentence:
      'The report and raw outputs of the artifact unpack to at least 40000000 bytes in 1 file; at most 16000000 bytes in 500 files are read. Nothing of it was taken over.',
  },
  {
    case: 'no bubblewrap',
    remedy: 'Set that right, then say `/rerun`.',
    sentence:
      'The sandbox needs bubblewrap, and there is no bwrap on the PATH; install it on the runner (apt-get install bubblewrap) and allow user namespaces, or use the scripted model.',
  },
];

/** Has the next entry done as the row says, and waits for the stop. */
async function stoppedBy(wish: string): Promise<Loop> {
  await commanded(world, 'maria', issue, `/context ${wish}`);
  const { status, entry } = await world.until(issue, () => true);
  const word = status === 'stopped' ? '/rerun' : '/approve';
  expect(await commanded(world, 'maria', issue, word)).toMatchObject({ reactions: ['+1'] });
  return world.until(issue, (loop) => loop.status === 'stopped' && loop.entry > entry);
}

describe('a run that the App refuses', () => {
  it.each(ROWS)('$case: comment and check run say why, nothing lands, no model is asked', async (row) => {
    const { case: wish, sentence, remedy = LOOK } = row;
    const calls = model.calls(issue);
    await expectStopped(world, await stoppedBy(wish), { packet, sentence, remedy });
    expect(model.calls(issue)).toBe(calls);
  });
});

describe('a model that the job asks', () => {
  it.each(FAULT_ROWS)(
    'and that answers with $case: three tries, comment and check run say why, nothing lands',
    async ({ fault, tries }) => {
      model.fail(issue, 'BUILD', fault);
      const calls = model.calls(issue);
      const sentence = `The model at ${model.url} gave no usable acceptance-tests in 3 tries: ${tries}`;
      const stopped = await stoppedBy('nothing');
      await expectStopped(world, stopped, {
        packet,
        sentence,
        remedy: 'See that the model answers, then say `/rerun`.',
      });
      expect([model.calls(issue), stopped.spent.calls]).toEqual([calls + 3, calls + 3]);
    },
  );
});

describe('when everything is right again', () => {
  it('`/rerun` builds on the same approval, and what is honest lands', async () => {
    model.fail(issue, 'BUILD', undefined);
    await commanded(world, 'maria', issue, '/context nothing');
    await commanded(world, 'maria', issue, '/rerun');
    const landed = await world.until(issue, ({ built }) => built.candidate !== undefined);
    expect(landed.approval).toMatchObject({ digest: packet.review.packet.digest });
    await commanded(world, 'maria', issue, '/stop');
  });
});
