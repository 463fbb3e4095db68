/** What a run of our workflows is called, as their `run-name` writes it: by the title a run is found again, and a run finds its loop. */

/** `loopwright-build acme/shop#12-2 entry 5 (BUILD)` */
export function runTitle(workflow: string, { loop, entry, phase }: Readonly<Record<string, string>>): string {
  return `${workflow.replace(/\.ya?ml$/, '')} ${loop} entry ${entry} (${phase})`;
}

const TITLE = /^loopwright-\w+ [^\s#]+#(\d{1,9})(?:-(\d{1,9}))? entry (\d{1,9}) \(\w+\)$/;

/** Which loop and entry a title names; the repository's name in it may be an old one. */
export function readRunTitle(
  title: string,
): { readonly issue: number; readonly n: number; readonly entry: number } | undefined {
  const [, issue, n = '1', entry] = TITLE.exec(title) ?? [];
  if (issue === undefined || entry === undefined) return undefined;
  return { issue: Number(issue), n: Number(n), entry: Number(entry) };
}
