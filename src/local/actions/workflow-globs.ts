/** Branch, tag and path filters of workflow triggers: https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#filter-pattern-cheat-sheet */

/** Whether the last pattern that speaks about `name` admits it; `!` excludes. */
export function matchesFilter(patterns: readonly string[], name: string): boolean {
  let admitted = false;
  for (const pattern of patterns) {
    const negative = pattern.startsWith('!');
    if (expressionOf(negative ? pattern.slice(1) : pattern).test(name)) admitted = !negative;
  }
  return admitted;
}

/** `*` stays in a segment, `**` does not; `?` and `+` repeat the character before; `[]` is a set. */
function expressionOf(pattern: string): RegExp {
  const source = pattern.replace(/\*\*\/|\*\*|\*|[.^$(){}|\\]/g, (token) => REPLACEMENTS[token] ?? `\\${token}`);
  return new RegExp(`^${source}$`);
}

const REPLACEMENTS: Readonly<Record<string, string>> = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*' };

export interface RefFilter {
  readonly branches?: readonly string[] | undefined;
  readonly 'branches-ignore'?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly 'tags-ignore'?: readonly string[] | undefined;
  readonly paths?: readonly string[] | undefined;
  readonly 'paths-ignore'?: readonly string[] | undefined;
}

/** Whether a push of `ref` passes; a filter for branches alone leaves tags out, and the other way round. */
export function admitsRef(filter: RefFilter, ref: string): boolean {
  const isTag = ref.startsWith('refs/tags/');
  const name = ref.replace(/^refs\/(heads|tags)\//, '');
  const branches = { only: filter.branches, ignored: filter['branches-ignore'] };
  const tags = { only: filter.tags, ignored: filter['tags-ignore'] };
  const [own, other] = isTag ? [tags, branches] : [branches, tags];
  if (own.only) return matchesFilter(own.only, name);
  if (own.ignored) return !matchesFilter(own.ignored, name);
  return !other.only && !other.ignored;
}

/** Whether any changed path passes. */
export function admitsPaths(filter: RefFilter, changed: readonly string[]): boolean {
  const { paths, 'paths-ignore': ignored } = filter;
  if (paths) return changed.some((path) => matchesFilter(paths, path));
  if (ignored) return changed.some((path) => !matchesFilter(ignored, path));
  return true;
}
