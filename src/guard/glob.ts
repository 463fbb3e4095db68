/** The small glob dialect of policies: `**` is any number of folders, `*` anything within one name; all else is literal. */

/** Whether a path matches the glob. `docs/**` matches everything below `docs`, not `docs` itself. */
export function matchesGlob(glob: string, path: string): boolean {
  return matchSegments(glob.split('/'), path.split('/'));
}

function matchSegments(globs: readonly string[], segments: readonly string[]): boolean {
  const [glob, ...laterGlobs] = globs;
  if (glob === undefined) return segments.length === 0;
  const [segment, ...laterSegments] = segments;
  if (glob === '**') {
    if (laterGlobs.length === 0) return segments.length > 0;
    return matchSegments(laterGlobs, segments) || (segment !== undefined && matchSegments(globs, laterSegments));
  }
  return segment !== undefined && matchesName(glob, segment) && matchSegments(laterGlobs, laterSegments);
}

/** Matches piece by piece from the left, so that no regular expression can be made to backtrack. */
function matchesName(glob: string, name: string): boolean {
  const pieces = glob.split('*');
  const [first = '', ...others] = pieces;
  const last = others.pop();
  if (last === undefined) return glob === name;
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last)) return false;
  let rest = name.slice(first.length, name.length - last.length);
  for (const piece of others) {
    const at = rest.indexOf(piece);
    if (at < 0) return false;
    rest = rest.slice(at + piece.length);
  }
  return true;
}
