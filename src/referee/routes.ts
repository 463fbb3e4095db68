/** Finds the route of GitHub's description that a path belongs to. */
import type { Method } from './requests.ts';

export interface Route {
  readonly method: Method;
  readonly route: string;
}

export interface RouteMatch<R extends Route> {
  readonly row: R;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Parameters that may hold slashes, when nothing stricter matches. */
const WITH_SLASHES = new Set(['path', 'ref', 'basehead', 'branch', 'name']);

/**
 * A path as GitHub's description has it. GitHub serves every route of a repository below `/repositories/{id}` too: its redirects and its links to
 * further pages lead there, but its description has the names only. Here the id stands for both of them.
 */
export function describedPath(path: string): string {
  return path.replace(/^\/repositories\/(\d+)(?=[/?]|$)/, '/repos/$1/$1');
}

/** A matcher over `rows`: exact segments first, then slashes in paths and refs; fewest parameters win. Parameters are URL-decoded. */
export function createRouter<R extends Route>(
  rows: readonly R[],
): (method: string, path: string) => RouteMatch<R> | undefined {
  const compiled = rows
    .map((row) => ({
      row,
      names: namesOf(row.route),
      strict: patternOf(row.route, false),
      loose: patternOf(row.route, true),
    }))
    .sort((a, b) => a.names.length - b.names.length);
  return (method, path) => {
    const candidates = compiled.filter(({ row }) => row.method === method);
    for (const kind of ['strict', 'loose'] as const) {
      for (const candidate of candidates) {
        const found = candidate[kind].exec(path);
        if (found) return { row: candidate.row, parameters: decode(candidate.names, found.slice(1)) };
      }
    }
    return undefined;
  };
}

function namesOf(route: string): readonly string[] {
  return [...route.matchAll(/{([^}]+)}/g)].map(([, name = '']) => name);
}

function patternOf(route: string, loose: boolean): RegExp {
  const literal = route.replace(/[.+*?^$()|[\]\\]/g, '\\$&');
  const pattern = literal.replace(/{([^}]+)}/g, (_, name) => (loose && WITH_SLASHES.has(name) ? '(.+)' : '([^/]+)'));
  return new RegExp(`^${pattern}$`);
}

function decode(names: readonly string[], values: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name, index) => [name, decodePart(values[index] ?? '')]));
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
