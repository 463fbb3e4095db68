/** Says paths of the runner's working copies as everybody else knows them: from the repository's root. */
import type { Report } from '../../loop/brief.ts';
import { treesDirectory } from '../../sandbox/sandbox.ts';

interface Places {
  readonly workspace: string;
  readonly scratch: string;
}

/** The report with the texts that people and models read said from the root; a random folder would also hide that a failure came twice. */
export function reportFromRoot(report: Report, places: Places): Report {
  const said = (text: string): string => fromRoot(text, places);
  const common = {
    defects: report.defects.map((defect) => ({ ...defect, id: said(defect.id), message: said(defect.message) })),
    failure: report.failure === null ? null : { ...report.failure, message: said(report.failure.message) },
  };
  if (report.kind !== 'verify') return { ...report, ...common };
  return {
    ...report,
    ...common,
    evidence: report.evidence.map((row) => ({ ...row, reason: said(row.reason) })),
    acceptance: report.acceptance.map((row) => ({ ...row, detail: said(row.detail) })),
  };
}

/** The text without the runner's folders: a file of a working copy is said from the root, a script of ours as `runner/…`. */
export function fromRoot(text: string, { workspace, scratch }: Places): string {
  const tree = `${RegExp.escape(treesDirectory(scratch))}/[\\w-]+`;
  const root = new RegExp(`(?:file://)?(?:${tree}|${RegExp.escape(workspace)})(?:/|(?![\\w./-]))`, 'g');
  const ours = new RegExp(`(?:file://)?${RegExp.escape(scratch)}(?:/run-[0-9a-f]+)?(?![\\w.-])`, 'g');
  return text.replaceAll(root, (found) => (found.endsWith('/') ? '' : '.')).replaceAll(ours, 'runner');
}
