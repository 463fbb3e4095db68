/** The pattern that lets some tests of a file run without the others, as JavaScript's test tools match it with a test's titles from the outermost to its own. */
const quoted = (text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** Source of an expression for names as they are told (`suite > test`), where the tools put a space between titles. */
export function patternOf(names) {
  return `^(?:${names.map((name) => quoted(name).replaceAll(' > ', '(?: | > )')).join('|')})$`;
}
