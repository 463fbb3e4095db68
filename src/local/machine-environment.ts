/** The only reader of `process.env` in the embedded GitHub, which could be a package of its own and so reads no settings of the App. */

/** What a process that it starts may see of the machine: where programs are, nothing else. */
export function machineEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }) };
}
