/** HTTP routes found by simple patterns for node:http, Express, Flask and FastAPI; a hint for prompts, never a gate. */

export interface Route {
  readonly method: string;
  readonly path: string;
  readonly file: string;
  readonly line: number;
}

interface Pattern {
  readonly files: RegExp;
  readonly pattern: RegExp;
  readonly routesOf: (match: RegExpExecArray) => readonly { readonly method: string; readonly path: string }[];
}

const SCRIPT = /\.[mc]?[jt]sx?$/;
const PYTHON = /\.py$/;

const PATTERNS: readonly Pattern[] = [
  {
    // Express and its likes: app.get('/items', …)
    files: SCRIPT,
    pattern: /\b(?:app|router|server|api|fastify)\.(get|post|put|patch|delete)\(\s*['"`](\/[^'"`]*)['"`]/g,
    routesOf: ([, method = '', path = '']) => [{ method: method.toUpperCase(), path }],
  },
  {
    // node:http: request.method === 'GET' && url.pathname === '/items'
    files: SCRIPT,
    pattern:
      /method\s*===?\s*['"](GET|POST|PUT|PATCH|DELETE)['"][^\n]{0,80}?(?:pathname|path|url)\s*===?\s*['"](\/[^'"]*)['"]/g,
    routesOf: ([, method = '', path = '']) => [{ method, path }],
  },
  {
    // Tables keyed by method and path: 'GET /items': handler
    files: SCRIPT,
    pattern: /['"`](GET|POST|PUT|PATCH|DELETE) (\/[^'"`\s]*)['"`]/g,
    routesOf: ([, method = '', path = '']) => [{ method, path }],
  },
  {
    // A path alone: if (pathname === '/items')
    files: SCRIPT,
    pattern: /(?:pathname|\.url|\bpath)\s*===?\s*['"](\/[^'"]*)['"]/g,
    routesOf: ([, path = '']) => [{ method: 'any', path }],
  },
  {
    // Flask: @app.route('/items', methods=['GET', 'POST'])
    files: PYTHON,
    pattern: /@\w+\.route\(\s*['"](\/[^'"]*)['"](?:[^)]*?methods\s*=\s*[[(]([^\])]*)[\])])?/g,
    routesOf: ([, path = '', methods = "'GET'"]) =>
      [...methods.matchAll(/['"](\w+)['"]/g)].map(([, method = '']) => ({ method: method.toUpperCase(), path })),
  },
  {
    // FastAPI and Flask 2: @app.get('/items')
    files: PYTHON,
    pattern: /@\w+\.(get|post|put|patch|delete)\(\s*['"](\/[^'"]*)['"]/g,
    routesOf: ([, method = '', path = '']) => [{ method: method.toUpperCase(), path }],
  },
];

/** The routes that one source file declares; a path found with a method is not repeated without one. */
export function routesIn(file: string, text: string): readonly Route[] {
  const found = PATTERNS.filter(({ files }) => files.test(file)).flatMap(({ pattern, routesOf }) =>
    [...text.matchAll(pattern)].flatMap((match) =>
      routesOf(match).map((route) => ({ ...route, file, line: text.slice(0, match.index).split('\n').length })),
    ),
  );
  const unique = [...new Map(found.map((route) => [`${route.method} ${route.path}`, route])).values()];
  const named = new Set(unique.flatMap(({ method, path }) => (method === 'any' ? [] : [path])));
  return unique.filter(({ method, path }) => method !== 'any' || !named.has(path));
}
