/** Which paths and functions a requirement talks about, and whether the interface document knows them. Pure. */

const HTTP_PATH = /\b(?:GET|POST|PUT|PATCH|DELETE)\s+[`"']?(\/[^\s`"',;)?#]*)/g;
const CALL = /\b([A-Za-z_][\w.]*)\(/g;

/** The changed paths and symbols that the interface document does not mention. The root path is a page and never missing. */
export function missingFromContract(texts: readonly string[], contract: string): readonly string[] {
  const text = texts.join('\n');
  const paths = [...text.matchAll(HTTP_PATH)]
    .map(([, path = '']) => path.replace(/[.:]$/, ''))
    .filter((path) => path !== '/');
  const symbols = [...text.matchAll(CALL)].map(([, name = '']) => name.slice(name.lastIndexOf('.') + 1));
  const known = contractPaths(contract);
  return [
    ...new Set([
      ...paths.filter((path) => !mentions(known, path)),
      ...symbols.filter((name) => !hasWord(contract, name)),
    ]),
  ];
}

function contractPaths(contract: string): readonly (readonly string[])[] {
  return [...contract.matchAll(/\/[\w{}:./~%-]*/g)].map(([path]) => segmentsOf(path.replace(/[.:]$/, '')));
}

/** `/items/7` is mentioned by `/items/{id}` and by `/items/:id`. */
function mentions(known: readonly (readonly string[])[], path: string): boolean {
  const segments = segmentsOf(path);
  return known.some(
    (pattern) =>
      pattern.length === segments.length &&
      pattern.every((part, index) => part === segments[index] || isVariable(part) || isVariable(segments[index] ?? '')),
  );
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '');
}

function isVariable(part: string): boolean {
  return part.startsWith('{') || part.startsWith(':');
}

function hasWord(text: string, word: string): boolean {
  return text.match(/[A-Za-z_]\w*/g)?.includes(word) ?? false;
}
