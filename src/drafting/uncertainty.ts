/** arch_uncertainty: how much of a plan stands on nothing that is known. Pure. */
import type { Analysis, Plan } from '../documents/documents.ts';
import { defect } from '../loop/defect.ts';
import type { Defect } from '../loop/measurement.ts';

export interface Uncertainty {
  /** The largest of the shares, 0 to 1; an empty plan is 1. */
  readonly value: number;
  readonly raw: {
    readonly unknownFiles: readonly string[];
    readonly plannedFiles: readonly string[];
    readonly unprovedRequirements: readonly string[];
    readonly requirements: readonly string[];
    readonly openDoubts: readonly string[];
    readonly doubts: number;
    readonly shares: { readonly files: number; readonly requirements: number; readonly doubts: number };
  };
  readonly defects: readonly Defect[];
}

/** Measures the plan against the files of the scan, the requirements, and the critic's open doubts. */
export function uncertaintyOf(input: {
  readonly plan: Plan;
  readonly requirements: readonly { readonly id: string }[];
  readonly doubts: Analysis['doubts'];
  readonly files: readonly string[];
}): Uncertainty {
  const { plan, requirements, doubts, files } = input;
  const folders = new Set(files.flatMap(foldersOf));
  const planned = [...new Set(plan.tasks.flatMap((task) => task.files))];
  const unknown = planned.filter((path) => !folders.has(folderOf(path)));
  const rows = new Set(plan.acceptance.map(({ requirement }) => requirement));
  const ids = requirements.map(({ id }) => id);
  const unproved = ids.filter((id) => !rows.has(id));
  const open = doubts.filter(({ resolution }) => resolution === null);
  const shares = {
    files: share(unknown.length, planned.length),
    requirements: share(unproved.length, ids.length),
    doubts: doubts.length === 0 ? 0 : open.length / doubts.length,
  };
  return {
    value: Math.max(shares.files, shares.requirements, shares.doubts),
    raw: {
      unknownFiles: unknown,
      plannedFiles: planned,
      unprovedRequirements: unproved,
      requirements: ids,
      openDoubts: open.map(({ doubt }) => doubt),
      doubts: doubts.length,
      shares,
    },
    defects: open.map(({ claim, doubt }, index) =>
      defect({
        rule: 'plan/open-doubt',
        about: String(index + 1),
        severity: 'minor',
        message: `${claim} Doubt: ${doubt}`,
      }),
    ),
  };
}

/** Nothing planned, or nothing required, is as uncertain as it gets. */
function share(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}

/** All folders on the way to a file; the root is known wherever a file is. */
function foldersOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return ['', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))];
}

function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}
