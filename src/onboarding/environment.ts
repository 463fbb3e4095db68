/** Who may use the environment of the jobs that ask for models, and what people do about it. Pure. */
import { matchesGlob } from 'node:path';
import type { EnvironmentFacts } from '../github/inspection-port.ts';
import { JOB_ENVIRONMENT } from '../settings/config.ts';

export interface EnvironmentFinding {
  readonly state: 'ok' | 'missing' | 'wrong';
  readonly sentence: string;
  /** Given for all that is not ok. */
  readonly remedy?: string;
  /** While it is so, no BUILD can begin. One that is not there bars nothing: a job makes it, and private repositories of some plans can have none. */
  readonly bars?: true;
}

export interface EnvironmentPlace {
  /** Of the repository, for people. */
  readonly url: string;
  readonly defaultBranch: string;
}

/** `found` is undefined where there is none. */
export function environmentFinding(found: EnvironmentFacts | undefined, place: EnvironmentPlace): EnvironmentFinding {
  const branch = `\`${place.defaultBranch}\``;
  const name = `the environment \`${JOB_ENVIRONMENT}\``;
  const settings = `name ${branch} alone as its deployment branch: ${place.url}/settings/environments`;
  if (found === undefined)
    return {
      state: 'missing',
      sentence: `There is no environment \`${JOB_ENVIRONMENT}\`; the first job would make one that every branch may use.`,
      remedy: `Make it, and ${settings}`,
    };
  const wrong = (sentence: string): EnvironmentFinding => ({
    state: 'wrong',
    sentence,
    remedy: `Edit it, and ${settings}`,
  });
  if (found.branches === 'every') return wrong(`Every branch may use ${name}.`);
  if (found.branches === 'protected') return { state: 'ok', sentence: `Protected branches alone may use ${name}.` };
  // They are patterns, in which a star stands for no slash.
  if (!found.names.some((pattern) => matchesGlob(place.defaultBranch, pattern)))
    return { ...wrong(`${branch} may not use ${name}, so no BUILD can begin.`), bars: true };
  const others = found.names.filter((one) => one !== place.defaultBranch).map((one) => `\`${one}\``);
  if (others.length > 0) return wrong(`Beside ${branch}, ${others.join(', ')} may use ${name}.`);
  return { state: 'ok', sentence: `${branch} alone may use ${name}.` };
}
