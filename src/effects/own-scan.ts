/** The App scans what it is about to land itself: a report that is silent about what its change adds is not believed. */
import { storedReport } from '../documents/stored-report.ts';
import { newLinesOf } from '../guard/added-lines.ts';
import { judgeFindings } from '../guard/waivers.ts';
import { buildReport, type FileChange, type Report, seedReport } from '../loop/brief.ts';
import type { Defect, Measurement } from '../loop/measurement.ts';
import type { ReviewedLoop } from '../loop/stages.ts';
import type { Ports } from '../ports.ts';
import { scanChange } from '../rules/scan-change.ts';
import { ownParsers } from '../syntax/parsers.ts';

type Reading = Pick<Ports, 'store' | 'workspace'>;

/** The gate that reads it. */
const GATED = 'security_findings';

/** The report as it stands after the App's own scan: with what the job did not tell, where there is more of it. */
export async function withOwnScan<Some extends Report>(
  report: Some,
  loop: ReviewedLoop,
  ports: Reading,
): Promise<Some> {
  const told = report.measurements.find(({ name }) => name === GATED);
  if (told === undefined) return report;
  const found = await findingsIn(report, loop, ports);
  if (found.length <= told.value) return report;
  const raw = await ports.store.putBlob(`${JSON.stringify(found, null, 1)}\n`);
  const own: Measurement = { ...told, value: found.length, source: "the App's own scan of the added lines", raw };
  const known = new Set(report.defects.map(({ id }) => id));
  return {
    ...report,
    measurements: report.measurements.map((measurement) => (measurement.name === GATED ? own : measurement)),
    defects: [...found.filter(({ id }) => !known.has(id)), ...report.defects],
  };
}

async function findingsIn(report: Report, loop: ReviewedLoop, ports: Reading): Promise<readonly Defect[]> {
  const { changes, parent } = await landedBy(report, loop, ports);
  const texts = new Map<string, string>();
  for (const { path, content } of changes) {
    const bytes = Buffer.from(content ?? '', 'base64');
    if (!isBinary(bytes)) texts.set(path, bytes.toString('utf8'));
  }
  const lines = await Promise.all(
    [...texts].map(async ([path, text]) => newLinesOf(path, await ports.workspace.read(loop.ref, parent, path), text)),
  );
  const { defects } = scanChange(await ownParsers(), lines.flat(), texts);
  return judgeFindings(defects, loop.waivers).standing;
}

/** As git tells it, so that the App reads the lines that a diff has. */
function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8000).includes(0);
}

/** What lies on the candidate, and on top of which commit: VERIFY judges what build and seed brought together. */
async function landedBy(
  report: Report,
  { built }: ReviewedLoop,
  { store }: Reading,
): Promise<{ readonly changes: readonly FileChange[]; readonly parent: string }> {
  if (report.kind !== 'verify') return { changes: report.changes, parent: report.candidate };
  const build = await storedReport(store, built.reports.build, buildReport);
  const seed = await storedReport(store, built.reports.seed, seedReport);
  return { changes: [...(build?.changes ?? []), ...(seed?.changes ?? [])], parent: build?.candidate ?? report.base };
}
