/** The one comment that people decide by: requirements, tasks, price, diagrams; readable in three minutes. */
import { z } from 'zod';
import { acceptanceRow, specification } from '../documents/documents.ts';
import { fitted, folded, oneLine, table } from '../documents/markdown.ts';
import type { Loop } from '../loop/loop.ts';
import type { StartedLoop } from '../loop/stages.ts';
import { type ModelFacts, shortDigest, warningsOf } from './words.ts';

interface DocumentText {
  readonly path: string;
  readonly text: string;
}

const DIAGRAMS = ['Components', 'Sequence', 'Data flow', 'Deployment'];

/** Mentions who set the label: this comment is the notification. What a document does not say, the packet says is missing. */
export function packetComment(
  loop: StartedLoop,
  { digest, documents }: { readonly digest: string; readonly documents: readonly DocumentText[] },
  model: ModelFacts,
): string {
  const folder = documents[0]?.path.split('/').slice(0, -1).join('/') ?? '.loopwright';
  const plan = textOf(documents, 'plan.md');
  return fitted([
    ...warningsOf(loop, model).map((text) => ({ text })),
    { text: openingOf(loop, digest) },
    { text: `### Requirements\n\n${requirementsTable(documents)}` },
    { name: 'the tasks', text: `### Tasks\n\n${tasksTable(loop)}` },
    { text: `### Price\n\n${sectionOf(plan, 'Budget') ?? 'The plan states no budget.'}` },
    { name: 'the open doubts', text: `### Doubts\n\n${doubtsOf(documents)}` },
    { text: `### Diagrams` },
    ...DIAGRAMS.map((title) => ({ name: `the diagram “${title}”`, text: diagramOf(documents, title) })),
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

/** Without a price every call counts as 0 USD, so that limit is not promised. */
function boundsOf({ started: { limits, price } }: StartedLoop): string {
  return price === undefined
    ? `${limits.iterations} iterations whose runs take at most ${limits.runMinutes} minutes each; the limit of ${limits.usd} USD cannot act, because no price is known (\`LLM_PRICE\`)`
    : `${limits.iterations} iterations and ${limits.usd} USD`;
}

function textOf(documents: readonly DocumentText[], file: string): string | undefined {
  return documents.find(({ path }) => path.endsWith(`/${file}`))?.text;
}

function parsed<Schema extends z.ZodType>(text: string | undefined, schema: Schema): z.infer<Schema> | undefined {
  return text === undefined ? undefined : schema.parse(JSON.parse(text));
}

function requirementsTable(documents: readonly DocumentText[]): string {
  const requirements = parsed(textOf(documents, 'requirements.json'), specification.shape.requirements);
  const rows = parsed(textOf(documents, 'acceptance.json'), z.array(acceptanceRow)) ?? [];
  if (requirements === undefined) return 'requirements.json is missing; do not approve.';
  return table(
    ['id', 'kind', 'what', 'proved by'],
    requirements.map(({ id, kind, statement, criteria }) => [
      id,
      kind,
      `${oneLine(statement)}${criteria.map((criterion) => `<br>· ${oneLine(criterion, 200)}`).join('')}`,
      rows
        .filter(({ requirement }) => requirement === id)
        .map((row) => `${row.id} ${oneLine(row.title, 80)}`)
        .join('<br>') || '**nothing**',
    ]),
  );
}

function tasksTable({ tasks }: Loop): string {
  return table(
    ['task', 'what', 'for', 'files'],
    tasks.map(({ id, title, requirements, files }) => [
      id,
      oneLine(title, 120),
      requirements.join(', '),
      files.map((file) => `\`${file}\``).join('<br>'),
    ]),
  );
}

/** The text under a second-level heading. */
function sectionOf(text: string | undefined, heading: string): string | undefined {
  const parts = (text ?? '').split(/^## /m);
  const found = parts.find((part) => part.startsWith(`${heading}\n`));
  return found?.slice(heading.length).trim();
}

/** Open doubts only; the settled ones are in doubts.md. */
function doubtsOf(documents: readonly DocumentText[]): string {
  const lines = (sectionOf(textOf(documents, 'doubts.md'), 'Claims under attack') ?? '').split('\n');
  const open = lines.filter((line) => line.includes('| **open** |'));
  const total = Math.max(0, lines.filter((line) => line.startsWith('|')).length - 2);
  if (open.length === 0)
    return total === 1
      ? 'The one doubt of the critic is settled; see `doubts.md`.'
      : `All ${total} doubts of the critic are settled; see \`doubts.md\`.`;
  return [...lines.slice(0, 2), ...open].join('\n');
}

function diagramOf(documents: readonly DocumentText[], title: string): string {
  const text = sectionOf(textOf(documents, 'diagrams.md'), title) ?? 'This diagram is missing; do not approve.';
  return folded(title, text, 'open');
}
