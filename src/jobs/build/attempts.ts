/** What the builder tried on frozen tests, as people read it. */
import { defect, FROZEN_TEST } from '../../loop/defect.ts';
import type { Defect } from '../../loop/measurement.ts';
import type { Attempt, Bench } from '../workspace/environment.ts';

const SAID: Readonly<Record<Attempt, string>> = {
  refused: 'The builder asked to write this frozen test, and was refused.',
  'put back':
    'This frozen test was changed or removed while the code was built. It was put back before anything was measured.',
};

/** Minor: what is measured is the test as it was frozen. */
export function attemptDefects({ attempts }: Pick<Bench, 'attempts'>): readonly Defect[] {
  return [...attempts].map(([file, attempt]) =>
    defect({ rule: FROZEN_TEST, about: file, file, severity: 'minor', message: SAID[attempt] }),
  );
}
