/** How a person types one of our commands: with npm in a checkout, with npx where the package is installed. */

const SCRIPTS: Readonly<Record<string, string>> = { start: 'npm start', demo: 'npm run demo' };

/** A line to copy; words that a shell would read otherwise are quoted. */
export function commandLine(command: string, ...argv: readonly string[]): string {
  const words = argv.map((word) => (/^[\w./:=@-]+$/.test(word) ? word : `'${word}'`));
  return usageLine(command, words.join(' '));
}

/** The same with a text that explains the options. */
export function usageLine(command: string, usage: string): string {
  if (!import.meta.filename.endsWith('.ts')) return `npx loopwright ${command} ${usage}`.trim();
  const script = Object.hasOwn(SCRIPTS, command) ? SCRIPTS[command] : undefined;
  if (script === undefined) return `npm run -s loopwright -- ${command} ${usage}`.trim();
  return usage === '' ? script : `${script} -- ${usage}`;
}
