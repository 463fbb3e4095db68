/** The people named at the start: who can be chosen on the pages. */
import type { Host } from './host.ts';

export interface LocalPerson {
  readonly login: string;
  readonly role: string | undefined;
  /** `owner/name` of every repository here; all are public. */
  readonly repositories: string[];
  /** Stays in this process, but for the cookie of who chose this person. */
  readonly token: string;
}

export function peopleOf({ state }: Pick<Host, 'state'>): readonly LocalPerson[] {
  const repositories = state.repositories.find({}).map(({ owner, name }) => `${owner}/${name}`);
  return state.accounts
    .find({})
    .flatMap(({ login, role, token }) => (token === undefined ? [] : [{ login, role, repositories, token }]));
}
