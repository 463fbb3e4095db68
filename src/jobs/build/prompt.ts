/** Puts the brief into words for a model: titled sections of data. What to do with them is the skills' text. */
import { markedMaterial } from '../../guard/material.ts';
import type { Brief } from '../../loop/brief.ts';
import type { Defect } from '../../loop/measurement.ts';
import { type Bench, SetupError } from '../workspace/environment.ts';

/** A titled part of a message; nothing at all when it has no text. */
export function section(title: string, text: string): string {
  return text.trim() === '' ? '' : `## ${title}\n\n${text.trim()}\n\n`;
}

/** A section of text that others wrote, between the marks of material. `name` is what the ground rules call it, if anything. */
export function material(title: string, source: string, text: string, name = title): string {
  return text.trim() === '' ? '' : section(title, markedMaterial({ name, source, text: text.trim() }));
}

/** What the issue is called. */
export function issueOf({ loop: { issue, title } }: Brief): string {
  return material('Issue', `the title of issue #${issue}`, title);
}

/** What people said with `/context`. */
export function contextOf({ context }: Brief): string {
  return material('Context from people', 'people with write permission', context.join('\n\n'), 'context');
}

/** What was wrong so far; output of the product and words of reviewers are in it. */
export function feedbackOf(title: string, defects: readonly Defect[]): string {
  return material(title, 'checks and reviewers of earlier tries', defectsText(defects), 'feedback');
}

/** A change as reviewers see it. */
export function changeSection(diff: string): string {
  return material('The change', 'the builder', fenced(diff));
}

/** What holds for every role; it comes before the skills, so that the start of all prompts is the same. */
const GROUND_RULES = 'ground-rules';

/** Refuses a brief without these skills, before anything is paid for. @throws {SetupError} */
export function requireSkills(brief: Brief, names: readonly string[]): void {
  const missing = names.find((name) => brief.skills[name] === undefined);
  if (missing !== undefined)
    throw new SetupError(`The brief has no skill "${missing}"; the App must send its text in \`skills\`.`);
}

/** The ground rules and the texts of skills, the first of which is needed. A missing other one is logged, never silently skipped. @throws {SetupError} */
export function skillTexts({ brief, environment }: Bench, names: readonly string[]): string {
  requireSkills(brief, names.slice(0, 1));
  return [GROUND_RULES, ...names]
    .flatMap((name) => {
      const text = brief.skills[name];
      if (text === undefined) environment.log(`skill ${name} is not in the brief; going on without it`);
      return text ?? [];
    })
    .join('\n\n---\n\n');
}

/** The approved documents whose names end in one of these. */
export function documentsOf(brief: Brief, names: readonly string[]): string {
  return brief.documents
    .filter(({ path }) => names.some((name) => fileName(path).startsWith(name)))
    .map(({ path, text }) => section(path, text))
    .join('');
}

/** Requirements as a list, all or only some. */
export function requirementsOf(brief: Brief, ids?: readonly string[]): string {
  return brief.requirements
    .filter(({ id }) => ids === undefined || ids.includes(id))
    .map(({ id, kind, statement }) => `- ${id} (${kind}): ${statement}`)
    .join('\n');
}

/** Acceptance rows as JSON lines, all or only those of some requirements. */
export function acceptanceOf(brief: Brief, ids?: readonly string[]): string {
  return brief.acceptance
    .filter(({ requirement }) => ids === undefined || ids.includes(requirement))
    .map((row) => JSON.stringify(row))
    .join('\n');
}

/** The existing tests that the approved plan takes out, as a section; nothing at all when there are none. */
export function supersededOf({ supersededTests }: Brief): string {
  return section(
    'Existing tests that people approved to be taken out, because they assert the old behaviour',
    supersededTests.map(({ file, name, requirement, why }) => `- ${file}: ${name} (${requirement}): ${why}`).join('\n'),
  );
}

/** Defects as a list with all that is known about each. */
function defectsText(defects: readonly Defect[]): string {
  return defects
    .map(({ requirement, file, line, rule, severity, message, suggestion }) => {
      const where = [requirement, file === null ? null : `${file}${line === null ? '' : `:${line}`}`].filter(Boolean);
      const fix = suggestion === null ? '' : `\n  Suggestion: ${suggestion}`;
      return `- [${severity}] ${rule}${where.length === 0 ? '' : ` (${where.join(', ')})`}: ${message}${fix}`;
    })
    .join('\n');
}

/** Files with their texts, each fenced so that no content can end its own fence. */
export function filesText(files: readonly { readonly path: string; readonly content: string }[]): string {
  return files.map(({ path, content }) => `### ${path}\n\n${fenced(content)}`).join('\n\n');
}

/** A text in a fence that is longer than any in it. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.trimEnd()}\n${fence}`;
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
