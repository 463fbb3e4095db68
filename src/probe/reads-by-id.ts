/** Whether what loops read answers by the repository's id as it does by its name. */
import { isDeepStrictEqual } from 'node:util';
import { type Finding, ok, wrong } from '../doctor/finding.ts';
import { TELL } from './probe.ts';
import type { Scratch } from './scratch.ts';

/** As loops ask them. */
const READS: readonly ((scratch: Scratch) => string)[] = [
  () => '',
  () => '/pulls?state=all&per_page=5',
  () => '/actions/runs?per_page=5',
  ({ branch }) => `/branches/${inPath(branch)}`,
  ({ branch }) => `/git/matching-refs/heads/${inPath(branch)}`,
  ({ tip }) => `/git/commits/${tip}`,
  ({ tip }) => `/git/trees/${tip}`,
  ({ tip }) => `/commits/${tip}/check-runs`,
  ({ tip }) => `/compare/${tip}...${tip}`,
];

const inPath = (branch: string): string => branch.split('/').map(encodeURIComponent).join('/');

/** Runs end and times move between the two. */
const TRIES = 3;

type Comparison = 'same' | 'different' | 'not JSON';

export async function readsById(scratch: Scratch): Promise<Finding> {
  const found: { readonly path: string; readonly is: Comparison }[] = [];
  for (const read of READS) {
    const path = read(scratch);
    found.push({ path: path === '' ? '(itself)' : path, is: await compared(scratch, path) });
  }
  const listed = (is: Comparison): string =>
    found
      .filter((one) => one.is === is)
      .map(({ path }) => path)
      .join(', ');
  const [different, garbage] = [listed('different'), listed('not JSON')];
  if (different !== '')
    return wrong(`By the repository's id these answer otherwise than by its name: ${different}.`, TELL);
  return garbage === ''
    ? ok(`${READS.length} reads answer by the repository's id as by its name.`)
    : wrong(`These answer with no JSON: ${garbage}.`, 'Look what stands before GitHub, and probe again.');
}

async function compared({ probing, repository }: Scratch, path: string): Promise<Comparison> {
  for (let tries = 1; ; tries += 1) {
    const [byName, byId] = await probing.twoWays(repository, path);
    if (isDeepStrictEqual(byName, byId)) return isJson(byName) ? 'same' : 'not JSON';
    if (tries === TRIES) return 'different';
  }
}

/** A page of whatever stands before GitHub is text. */
function isJson(answer: unknown): boolean {
  return Array.isArray(answer) || Object.prototype.toString.call(answer) === '[object Object]';
}
