/** The one comment that people decide by: approach, assumptions, requirements, tasks, price, diagrams; readable in three minutes. */
import { z } from 'zod';
import { budgetOf } from '../documents/budget.ts';
import { DIAGRAMS, diagramBlock } from '../documents/diagrams-document.ts';
import {
  type AcceptanceRow,
  acceptanceRow,
  analysis,
  diagrams,
  plan,
  requirement,
  type Specification,
  specification,
} from '../documents/documents.ts';
import { code, fitted, folded, inlined, list, paragraph, table } from '../documents/markdown.ts';
import { budgetTable, doubtsTable, findingsTable, supersededTable } from '../documents/plan-documents.ts';
import { assumptionsOf } from '../documents/requirement-document.ts';
import { metricLine } from '../documents/specification-document.ts';
import { isLockFile } from '../loop/lock-files.ts';
import type { Loop } from '../loop/loop.ts';
import type { StartedLoop } from '../loop/stages.ts';
import { type ModelFacts, shortDigest, warningsOf } from './words.ts';

interface DocumentText {
  readonly path: string;
  readonly text: string;
}

interface PacketFacts {
  readonly digest: string;
  readonly documents: readonly DocumentText[];
  /** What nobody can see in the issue: its kind, how often, and what it says where it says anything. */
  readonly hidden?: readonly { readonly what: string; readonly count: number; readonly said: string }[];
}

/** Mentions who set the label: this comment is the notification. What a document does not say, the packet says is missing. */
export function packetComment(
  loop: StartedLoop,
  { digest, documents, hidden = [] }: PacketFacts,
  model: ModelFacts,
): string {
  const folder = documents[0]?.path.split('/').slice(0, -1).join('/') ?? '.loopwright';
  return fitted([
    ...warningsOf(loop, model).map((text) => ({ text })),
    { text: openingOf(loop, digest) },
    ...supersededBlock(documents),
    ...packagesBlock(loop),
    ...hiddenBlock(hidden),
    { text: `### Approach\n\n${approachOf(documents)}` },
    { text: `### Assumptions\n\n${assumedIn(loop, documents)}` },
    { text: `### Requirements\n\n${requirementsOf(documents)}` },
    { name: 'the tasks', text: `### Tasks\n\n${tasksTable(loop)}` },
    { text: `### Price\n\n${priceOf(loop, documents)}` },
    { name: 'the open doubts', text: `### Doubts\n\n${doubtsOf(documents)}` },
    ...findingsBlock(documents),
    { text: `### Diagrams` },
    ...diagramsOf(documents),
    { text: `All documents are in \`${folder}/\` on the branch \`${loop.started.branch}\`.` },
  ]);
}

function openingOf(loop: StartedLoop, digest: string): string {
  const who = `@${loop.started.by.login}, please`;
  return [
    `${who} read this packet. Then comment \`/approve\`, or press **Approve** on the check \`loopwright / plan\`; or say \`/reject <what to change>\` (\`/reject plan: …\` keeps the specification).`,
    `**What approving does:** it accepts exactly this packet (digest \`${shortDigest(digest)}\`). Then tests and code are made in this repository's Actions, in at most ${boundsOf(loop)}. Nothing is merged.`,
  ].join('\n\n');
}

/** Never left out: whoever approves gives these tests up. */
function supersededBlock(documents: readonly DocumentText[]): readonly { readonly text: string }[] {
  const { supersededTests } = parsed(documents, 'plan.json', plan) ?? { supersededTests: [] };
  if (supersededTests.length === 0) return [];
  return [
    {
      text: `### Tests that will be replaced\n\nThese tests of the repository assert the old behaviour. **Approving takes exactly these out**; new tests of the named requirement stand in for them, and no other test may change:\n\n${supersededTable(supersededTests)}`,
    },
  ];
}

/** Never left out: whoever approves lets in what others have written. */
function packagesBlock({ tasks }: StartedLoop): readonly { readonly text: string }[] {
  const locks = [...new Set(tasks.flatMap(({ files }) => files.filter(isLockFile)))];
  if (locks.length === 0) return [];
  return [
    {
      text: `### New packages\n\n**Approving lets ${locks.map(code).join(', ')} change**, and with it what others wrote and the product is made of; the pull request's files name it. What a lock file of npm adds is fetched from the registries that the default branch names, by its digests, and what the root's \`requirements.txt\` adds, as wheels, from the indexes that it names there; nothing of either runs meanwhile. What another tool adds has to be on the default branch before.`,
    },
  ];
}

/** Only here: what a document says is read by models. */
function hiddenBlock(hidden: PacketFacts['hidden'] = []): readonly { readonly text: string }[] {
  if (hidden.length === 0) return [];
  const items = hidden.map(({ what, count, said }) => `${what} (${count})${said === '' ? '' : `: ${code(said)}`}`);
  return [
    {
      text: `### Hidden in the issue\n\nPeople could not see this, so it was left out of everything:\n\n${list(items, '')}`,
    },
  ];
}

/** Without a price every call counts as 0 USD, so that limit is not promised. */
function boundsOf({ started: { limits, price } }: StartedLoop): string {
  return price === undefined
    ? `${limits.iterations} iterations whose runs take at most ${limits.runMinutes} minutes each; the limit of ${limits.usd} USD cannot act, because no price is known (\`LLM_PRICE\`)`
    : `${limits.iterations} iterations and ${limits.usd} USD`;
}

/** A document as data, by its file name; undefined when the packet lacks it. */
function parsed<Schema extends z.ZodType>(
  documents: readonly DocumentText[],
  file: string,
  schema: Schema,
): z.infer<Schema> | undefined {
  const text = documents.find(({ path }) => path.endsWith(`/${file}`))?.text;
  return text === undefined ? undefined : schema.parse(JSON.parse(text));
}

function missing(file: string): string {
  return `${file} is missing; do not approve.`;
}

const MARKER = /^\s*(?:[-+*]|\d{1,3}[.)])\s+/;

/** Line by line as plain text: nothing in it can be read as another part of the packet. */
function approachOf(documents: readonly DocumentText[]): string {
  const found = parsed(documents, 'plan.json', plan);
  if (found === undefined) return missing('plan.json');
  const lines = found.approach.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.replace(MARKER, '')]));
  return lines.length > 1 ? list(lines, '') : paragraph(found.approach);
}

/** What nobody said and the loop takes for true. */
function assumedIn({ questions }: Loop, documents: readonly DocumentText[]): string {
  const found = parsed(documents, 'requirement.json', requirement);
  return found === undefined ? missing('requirement.json') : list(assumptionsOf(found, questions), 'None.');
}

function requirementsOf(documents: readonly DocumentText[]): string {
  const requirements = parsed(documents, 'requirements.json', specification.shape.requirements);
  const rows = parsed(documents, 'acceptance.json', z.array(acceptanceRow)) ?? [];
  if (requirements === undefined) return missing('requirements.json');
  return requirements.map((row) => requirementBlock(row, rows)).join('\n\n');
}

/** In the words of the documents, whole: a person approves these. */
function requirementBlock(
  { id, kind, statement, criteria, metric }: Specification['requirements'][number],
  rows: readonly AcceptanceRow[],
): string {
  const proofs = rows.filter((row) => row.requirement === id).map((row) => `${row.id}: ${row.title}`);
  const proved = proofs.length === 0 ? 'Proved by **nothing**.' : `Proved by:\n\n${list(proofs, '')}`;
  return [`**${id}** (${kind}): ${inlined(statement)}`, list(criteria, ''), ...metricLine(metric), proved].join('\n\n');
}

function tasksTable({ tasks }: Loop): string {
  return table(
    ['task', 'what', 'for', 'files'],
    tasks.map(({ id, title, requirements, files }) => [
      id,
      title,
      requirements.join(', '),
      files.map((file) => `\`${file}\``).join('<br>'),
    ]),
  );
}

/** By the limits as they are now: they are part of what is approved, and people may have raised them since the plan was written. */
function priceOf(loop: StartedLoop, documents: readonly DocumentText[]): string {
  const found = parsed(documents, 'plan.json', plan);
  return found === undefined ? missing('plan.json') : budgetTable(budgetOf(loop.started, found));
}

/** Open doubts only; the settled ones are in doubts.md. */
function doubtsOf(documents: readonly DocumentText[]): string {
  const found = parsed(documents, 'analysis.json', analysis);
  if (found === undefined) return missing('analysis.json');
  const open = found.doubts.filter(({ resolution }) => resolution === null);
  if (open.length > 0) return doubtsTable(open);
  return found.doubts.length === 1
    ? 'The one doubt of the critic is settled; see `doubts.md`.'
    : `All ${found.doubts.length} doubts of the critic are settled; see \`doubts.md\`.`;
}

/** What the critic found too little to send the plan back for; people decide knowing it. */
function findingsBlock(
  documents: readonly DocumentText[],
): readonly { readonly name: string; readonly text: string }[] {
  const { findings } = parsed(documents, 'analysis.json', analysis) ?? { findings: [] };
  if (findings.length === 0) return [];
  return [{ name: 'the findings of the critic', text: `### Findings of the critic\n\n${findingsTable(findings)}` }];
}

function diagramsOf(documents: readonly DocumentText[]): readonly { readonly name?: string; readonly text: string }[] {
  const found = parsed(documents, 'diagrams.json', diagrams);
  if (found === undefined) return [{ text: missing('diagrams.json') }];
  return DIAGRAMS.map(({ key, title }) => ({
    name: `the diagram “${title}”`,
    text: folded(title, diagramBlock(found[key]), 'open'),
  }));
}
