/** The lane of a loop by deterministic rules: shorter documents, never fewer human gates, tests or scans. */
import type { Lane } from './terms.ts';

interface Rule {
  readonly lane: Lane;
  readonly applies: (title: string, labels: readonly string[]) => boolean;
}

const RULES: readonly Rule[] = [
  {
    lane: 'bug',
    applies: (title, labels) =>
      labels.includes('bug') || /\b(bug|crash|broken|regression|error|fails?|fix)\b/i.test(title),
  },
  {
    lane: 'trivial',
    applies: (title, labels) => labels.includes('documentation') || /\b(typo|spelling|wording|rename)\b/i.test(title),
  },
];

/** The first rule that applies; everything else is a feature. */
export function laneOf(title: string, labels: readonly string[]): Lane {
  return RULES.find(({ applies }) => applies(title, labels))?.lane ?? 'feature';
}
