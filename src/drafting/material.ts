/** The material that prompts are made of: issue, answers, scan, documents, feedback; each block says where it comes from. */
import { relevantFiles } from '../context/relevant-files.ts';
import { type Scan, scanRepository } from '../context/scan.ts';
import { selectParts } from '../context/select.ts';
import { documentNamed } from '../documents/document-texts.ts';
import { type Removal, visibleText } from '../guard/incoming.ts';
import type { Loop } from '../loop/loop.ts';
import type { Defect } from '../loop/measurement.ts';
import type { StartedLoop } from '../loop/stages.ts';
import type { Ports } from '../ports.ts';
import type { Block } from './prompt.ts';

/** Tokens of repository files in one prompt. */
const FILES_BUDGET_TOKENS = 16_000;
/** Longer file lists are cut at whole lines, and the block says how many are left out. */
const MAX_LISTED_FILES = 400;

/** The scan of the loop's base commit. */
export async function scanOf(loop: StartedLoop, ports: Ports): Promise<Scan> {
  return scanRepository(ports.workspace, loop.ref, loop.started.base.sha);
}

/** The issue as people see it; what is hidden in it never reaches a model. */
export function issueBlock({ started: { issue }, ref }: StartedLoop): Block {
  const text = `${visibleText(issue.title).text}

${visibleText(issue.body).text}`;
  return { name: 'issue', source: `issue #${ref.issue}, written by @${issue.author.login}`, text };
}

/** What was hidden in the issue and left out, for people to look at; in a document it would come back into prompts. */
export function hiddenInIssue({ started: { issue } }: StartedLoop): readonly Removal[] {
  return [issue.title, issue.body].flatMap((text) => visibleText(text).removed);
}

/** The interview so far; empty when nothing was asked. */
export function answersBlock({ questions }: Loop): readonly Block[] {
  if (questions.length === 0) return [];
  const lines = questions.map(({ number, question, answer, assumed, safeDefault }) => {
    const said = visibleText(answer ?? safeDefault ?? '(open, no safe default)').text;
    const how = answer === undefined || assumed ? 'assumed' : 'answered';
    return `${number}. ${question}\n   ${how}: ${said}`;
  });
  return [{ name: 'interview', source: 'people, in answer to our questions', text: lines.join('\n') }];
}

/** What people said with `/context`, as people see it. */
export function shownContext({ context }: Loop): readonly string[] {
  return context.map((said) => visibleText(said).text);
}

/** What sends the loop back. A rejection holds the words of a comment or a review; the other defects are the checks' own. */
export function shownFeedback({ requested, feedback }: Loop): readonly Defect[] {
  return [...requested, ...feedback].map((found) =>
    found.rule === 'rejected' ? { ...found, message: visibleText(found.message).text } : found,
  );
}

/** What people added with `/context`, and what was wrong with the last try. */
export function guidanceBlocks(loop: Loop): readonly Block[] {
  const context = shownContext(loop);
  const feedback = shownFeedback(loop);
  const notes = context.map((text, index) => `${index + 1}. ${text}`).join('\n');
  const defects = feedback.map(
    ({ severity, rule, requirement, file, message, suggestion }) =>
      `- [${severity}] ${rule}${requirement === null ? '' : ` ${requirement}`}${file === null ? '' : ` (${file})`}: ${message}${suggestion === null ? '' : ` Suggestion: ${suggestion}`}`,
  );
  return [
    ...(context.length === 0 ? [] : [{ name: 'context', source: 'people with write permission', text: notes }]),
    ...(feedback.length === 0
      ? []
      : [{ name: 'feedback', source: 'the last try: checks and reviewers', text: defects.join('\n') }]),
  ];
}

/** The loop's documents with these file names, where they exist. */
export async function documentBlocks(loop: Loop, ports: Ports, names: readonly string[]): Promise<readonly Block[]> {
  const texts = await Promise.all(
    names.map(async (name) => ({ name, text: await documentNamed(loop, name, ports.store) })),
  );
  return texts.flatMap(({ name, text }) =>
    text === undefined ? [] : [{ name, source: 'an earlier phase of this loop', text }],
  );
}

export function scanBlock(scan: Scan): Block {
  const listed = scan.files.slice(0, MAX_LISTED_FILES);
  const left = scan.files.length - listed.length;
  const lines = [
    `languages: ${scan.languages.map(({ name, files }) => `${name} (${files})`).join(', ') || 'none recognised'}`,
    `test runner: ${scan.runner ?? 'not recognised'}`,
    ...scan.commands.map(({ name, command, source }) => `command ${name} (${source}): ${command}`),
    ...scan.routes.map(({ method, path, file, line }) => `route ${method} ${path} (${file}:${line})`),
    ...scan.notes.map((note) => `note: ${note}`),
    'files:',
    ...listed,
    ...(left > 0 ? [`(${left} more files are not listed)`] : []),
  ];
  return { name: 'repository', source: `a scan of commit ${scan.sha}`, text: lines.join('\n') };
}

/** Whole files that have to do with what is asked, within a budget. */
export async function fileBlocks(loop: Loop, ports: Ports, scan: Scan, asked: string): Promise<readonly Block[]> {
  const parts = await relevantFiles(ports.workspace, loop.ref, { scan, asked });
  const { kept } = selectParts(parts, FILES_BUDGET_TOKENS);
  return kept.map(({ name, text }) => ({ name, source: `the repository at ${scan.sha.slice(0, 7)}`, text }));
}

/** What a loop is about, in words that people see; used to rank files. */
export function askedOf({ started: { issue }, questions }: StartedLoop): string {
  const said = [issue.title, issue.body, ...questions.map(({ answer }) => answer ?? '')];
  return said.map((text) => visibleText(text).text).join('\n');
}
