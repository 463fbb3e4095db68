/** Deleted lines that nothing shows had to go: put back, each piece alone, they turn no test red. People are told. */
import { findingDefect } from '../guard/waivers.ts';
import type { Defect } from '../loop/measurement.ts';
import { linesOf } from '../syntax/fault-patch.ts';
import { quoted } from '../syntax/language.ts';
import { languageOf } from '../syntax/parsers.ts';
import { type Deletion, deletionsIn, type PutBack, putBacks, readablePutBacks } from '../syntax/put-back.ts';
import { inParallel, lanesOf } from '../test-runs/in-parallel.ts';
import { textsIn } from '../trees/repository.ts';
import { DIFF } from './change.ts';
import { noticedWith, type StrengthRequest } from './strength.ts';

/** So many pieces are put back; of the others the log tells. */
const MOST_PIECES = 8;

/** A finding for each piece whose lines all tests, changed or not, do as well with. What cannot be told is not found. */
export async function needlesslyDeleted(request: StrengthRequest): Promise<readonly Defect[]> {
  const { parsers, log, sandbox, faults } = request;
  const { now, pieces } = await deletedPieces(request);
  const tried = readablePutBacks(parsers, now, pieces, Math.min(MOST_PIECES, faults));
  if (tried.length === 0) return [];
  const of = tried.length < pieces.length ? ` of ${pieces.length}` : '';
  log(`pieces of deleted lines, put back one at a time: ${tried.length}${of}`);
  const noticed = await inParallel(
    tried,
    (piece) => noticedWith(request, piece, now.get(piece.file) ?? ''),
    lanesOf(sandbox),
  );
  return tried.filter((_, index) => noticed[index] === 'survived').map(finding);
}

interface Deleted {
  /** Of the head, by path. */
  readonly now: ReadonlyMap<string, string>;
  readonly pieces: readonly PutBack[];
}

/** Of files that were there before and still are. */
async function deletedPieces(request: StrengthRequest): Promise<Deleted> {
  const { repository, change, parsers } = request;
  const files = change.product.filter((file) => languageOf(file) !== undefined);
  const before = await textsIn(repository, change.baseFiles, files);
  const now = await textsIn(repository, change.headFiles, before.keys());
  const added = new Set(change.added.map(({ text }) => text.trim()));
  const pieces: PutBack[] = [];
  for (const [file, text] of now) {
    const texts = { file, before: before.get(file) ?? '', now: text };
    pieces.push(...putBacks(parsers, texts, await deletionsOf(request, file), added));
  }
  return { now, pieces };
}

async function deletionsOf({ repository, change }: StrengthRequest, file: string): Promise<readonly Deletion[]> {
  const range = [change.base, change.head, '--', `:(top,literal)${file}`];
  return deletionsIn((await repository.git(['diff', ...DIFF, '--text', '--unified=0', ...range])).toString('utf8'));
}

function finding({ file, line, text }: PutBack): Defect {
  const count = linesOf(text.trim()).length;
  const [lost, them, they] = count === 1 ? ['a line', 'it', 'it'] : [`${count} lines`, 'them', 'they'];
  return findingDefect({
    ...{ rule: 'lines-deleted', about: `${file}:${line}`, file, line, severity: 'minor' },
    message: `${file} lost ${lost} before line ${line} (${quoted(text)}): with ${them} put back no test turns red, so nothing shows that ${they} had to go.`,
    suggestion: 'Look whether the change needs that; a test that is red with the lines put back would show it.',
    bound: [text],
  });
}
