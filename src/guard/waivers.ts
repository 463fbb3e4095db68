/** Which findings people may lift, by which name, and what stands after they did. Pure. */
import { createHash } from 'node:crypto';
import { type DefectDraft, defect } from '../loop/defect.ts';
import type { Defect } from '../loop/measurement.ts';
import { findingOf, type Waiver } from '../loop/waiver.ts';

/**
 * The rules that can be wrong about right code. What is not listed nobody lifts: a secret is to be revoked, a frozen test stands for the
 * approved acceptance rows, and paths, evidence and acceptance are no opinions about a line.
 */
const WAIVABLE: ReadonlySet<string> = new Set([
  ...['eval', 'shell-interpolation', 'shell-option', 'tls-disabled', 'raw-html', 'sql-interpolation', 'python-eval'],
  ...[
    'python-shell',
    'unsafe-load',
    'weak-hash',
    'judge-tampering',
    'assertion-replaced',
    'invisible-character',
    'confusable-name',
  ],
  ...['test-changed', 'test-deleted', 'test-loosened', 'test-left-out', 'test-runner', 'test-recognised'],
  ...['test-tautology', 'test-empty', 'test-swallowed', 'check-silenced', 'coverage-settings'],
  ...['lint', 'types', 'scan', 'tool-settings'],
]);

export interface Found extends DefectDraft {
  readonly file: string;
  /** What a waiver is bound to: the text of the line, or the ids of the file's contents. Another text is another finding. */
  readonly bound: readonly string[];
}

/** The defect of a finding. Where people may lift it, the id ends in its name and the message says how. */
export function findingDefect({ bound, ...draft }: Found): Defect {
  const { rule, file, about = '', message } = draft;
  if (!WAIVABLE.has(rule)) return defect(draft);
  const hex = createHash('sha256')
    .update(JSON.stringify([rule, file, ...bound]))
    .digest('hex');
  const finding = `W-${hex.slice(0, 12)}`;
  return defect({
    ...draft,
    about: `${about}#${finding}`,
    message: `${message}${liftedBy(finding)}`,
  });
}

const liftedBy = (finding: string): string => ` A person who finds it right lifts it by \`/waive ${finding} <why>\`.`;

/** The finding as it is told where there is no loop in which anybody could lift it. */
export function withoutWaiver(found: Defect): Defect {
  return { ...found, message: found.message.replace(liftedBy(findingOf(found) ?? ''), '') };
}

export interface Lifted {
  readonly waiver: Waiver;
  readonly defect: Defect;
}
export interface Judged {
  /** What still counts. */
  readonly standing: readonly Defect[];
  readonly lifted: readonly Lifted[];
}

/** Takes out the findings that people lifted. A waiver for what was not found, or may not be lifted, does nothing. */
export function judgeFindings(defects: readonly Defect[], waivers: readonly Waiver[]): Judged {
  const named = new Map(waivers.map((waiver) => [waiver.finding, waiver]));
  // The id alone may hold what looks like a name: a file may be called so.
  const waiverOf = (found: Defect) => (WAIVABLE.has(found.rule) ? named.get(findingOf(found) ?? '') : undefined);
  return {
    standing: defects.filter((found) => waiverOf(found) === undefined),
    lifted: defects.flatMap((found) => {
      const waiver = waiverOf(found);
      return waiver === undefined ? [] : [{ waiver, defect: found }];
    }),
  };
}

const LONGEST_REASON = 200;

/** What the source of a measurement says of lifted findings; empty when there are none. */
export function liftedNote(lifted: readonly Lifted[]): string {
  if (lifted.length === 0) return '';
  const each = lifted.map(({ waiver, defect: { rule, file, line } }) => {
    const place = `${file}${line === null ? '' : `:${line}`}`;
    const reason = waiver.reason.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_REASON).toWellFormed();
    return `by @${waiver.by}: ${rule} in ${place}${reason === '' ? '' : `, "${reason}"`}`;
  });
  return `; ${lifted.length} waived ${each.join('; ')}`;
}
