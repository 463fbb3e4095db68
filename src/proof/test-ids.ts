/** The parts of a test's id, `file::name`. Pure. */

export function fileOf(id: string): string {
  return id.split('::')[0] ?? '';
}

/** As the runner reports it, with the values of its parameters. */
export function nameOf(id: string): string {
  return id.slice(fileOf(id).length + 2);
}

export function byFile(ids: readonly string[]): ReadonlyMap<string, readonly string[]> {
  return Map.groupBy(ids, fileOf);
}
