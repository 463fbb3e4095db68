/** Lines that people write, each of them once, so that it can be looked for later. */

export function lineOf(login: string, serial: number): string {
  return `// ${login}-${serial}`;
}

const OF_PEOPLE = /\/\/ (?:maria|otto)-\d+$/;

export function isOfPeople(line: string): boolean {
  return OF_PEOPLE.test(line);
}

/** The lines of people in a text. */
export function linesOfPeople(text: string): readonly string[] {
  return text.split('\n').filter(isOfPeople);
}
