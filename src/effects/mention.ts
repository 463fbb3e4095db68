/** Whom a text of ours may notify. */

/** Nobody when that is not known. */
export function mentioning(person: { readonly login: string } | undefined): { readonly mention?: readonly string[] } {
  return person === undefined ? {} : { mention: [person.login] };
}
