/** Names of tests as a file declares them, where values are put into a title. Pure. */

/** Stands in a name for what is put in. */
export const ANY = '\u0000';

/** Whether a test is told by this name. */
export function isNamedBy(name: string, told: string): boolean {
  return name.includes(ANY) ? patternFor(name).test(told) : name === told;
}

function patternFor(name: string): RegExp {
  return new RegExp(`^${name.split(ANY).map(RegExp.escape).join('.*')}$`, 's');
}
