/** The lane of a loop by deterministic rules: shorter documents, never fewer human gates, tests or scans. */
import type { Lane } from './terms.ts';

/** What a label says, whatever the title says: so people overrule the words. */
const BY_LABEL: ReadonlyMap<string, Lane> = new Map([
  ['trivial', 'trivial'],
  ['documentation', 'trivial'],
  ['bug', 'bug'],
  ['feature', 'feature'],
  ['enhancement', 'feature'],
]);

/** What the words of a title say; the first that applies. */
const BY_TITLE: readonly { readonly lane: Lane; readonly words: RegExp }[] = [
  { lane: 'bug', words: /\b(bug|crash|broken|regression|error|fails?|fix)\b/i },
  { lane: 'trivial', words: /\b(typo|spelling|wording|rename)\b/i },
];

/** By the first label that says it, else by the title; everything else is a feature. */
export function issueLane(title: string, labels: readonly string[]): Lane {
  const [labelled] = labels.flatMap((label) => BY_LABEL.get(label.toLowerCase()) ?? []);
  return labelled ?? BY_TITLE.find(({ words }) => words.test(title))?.lane ?? 'feature';
}
