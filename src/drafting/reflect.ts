/** REFLECT: what this loop taught, and at most three proposals that a person accepts or declines. */

import { list, sections } from '../documents/markdown.ts';
import type { Reflection } from '../loop/answers.ts';
import { defect } from '../loop/defect.ts';
import type { Event } from '../loop/event.ts';
import type { Loop } from '../loop/loop.ts';
import type { Ports } from '../ports.ts';
import { type Drafting, draftedEvent, GROUND_RULES, storeDocuments } from './drafting.ts';
import { documentBlocks, shownContext } from './material.ts';
import type { Block } from './prompt.ts';

type Proposal = Reflection['proposals'][number];

/** Keys of the configuration that a proposal may name; limits, protection and promotion are guardrails. */
const OPEN_KEYS = [
  'commands.install',
  'commands.build',
  'commands.test',
  'commands.start',
  'commands.health',
  'branch',
];
/** Skills that judge or bind; the loop never proposes to change its own judges. */
const CLOSED_SKILLS = [
  GROUND_RULES,
  'security-and-hardening',
  'spec-review',
  'requesting-code-review',
  'test-designer',
  'speckit-analyze',
];

/** One call. Nothing here is committed; proposals that touch guardrails, or nothing that exists, are dropped and recorded. */
export async function reflect(drafting: Drafting): Promise<Event> {
  const { loop, ports } = drafting;
  const blocks = [historyBlock(loop), ...(await documentBlocks(loop, ports, ['requirement.md', 'evidence.md']))];
  const reflection = await drafting.ask(
    'reflection',
    'What should be different the next time, and what in this record shows it?',
    blocks,
  );
  const judged = reflection.proposals.map((proposal) => ({ proposal, refusal: refusalOf(proposal, ports) }));
  const kept = judged.flatMap(({ proposal, refusal }) => (refusal === undefined ? [proposal] : []));
  const defects = judged.flatMap(({ proposal, refusal }, index) =>
    refusal === undefined
      ? []
      : [
          defect({
            rule: 'reflect/dropped',
            about: String(index + 1),
            severity: 'minor',
            message: `Dropped the proposal for "${proposal.target}": ${refusal}`,
          }),
        ],
  );
  const documents = await storeDocuments(drafting, {
    'reflection.md': reflectionDocument(reflection.lessons, kept),
    'reflection.json': JSON.stringify({ lessons: reflection.lessons, proposals: kept }, null, 2),
  });
  return draftedEvent(
    drafting,
    { documents, measurements: [], defects },
    { lessons: reflection.lessons, proposals: kept },
  );
}

/** What happened, as recorded: one line per entry, the people's words, the costs. */
function historyBlock(loop: Loop): Block {
  const { entries, spent } = loop;
  const lines = entries.map(
    ({ entry, phase, attempt, outcome, reason }) =>
      `entry ${entry}: ${phase}, try ${attempt}: ${outcome}${reason === '' ? '' : `; ${reason}`}`,
  );
  const cost = `${spent.calls} model calls, ${spent.promptTokens + spent.completionTokens} tokens, ${spent.usd.toFixed(2)} USD`;
  return {
    name: 'history',
    source: 'the record of this loop',
    text: [...lines, cost, ...shownContext(loop)].join('\n'),
  };
}

/** Why a proposal is dropped; undefined when a person may decide on it. */
function refusalOf({ type, target }: Proposal, { skills }: Pick<Ports, 'skills'>): string | undefined {
  if (type === 'config')
    return OPEN_KEYS.includes(target)
      ? undefined
      : `it is none of the keys that a loop may propose to change (${OPEN_KEYS.join(', ')}).`;
  const name = target.replace(/^skills\//, '').replace(/\/SKILL\.md$/, '');
  if (CLOSED_SKILLS.includes(name)) return 'this skill judges the work, and a loop does not change its judges.';
  return skills.has(name) ? undefined : 'there is no such skill.';
}

function reflectionDocument(lessons: readonly string[], proposals: readonly Proposal[]): string {
  return sections('Reflection', [
    ['Lessons', list(lessons, 'None.')],
    [
      'Proposals',
      list(
        proposals.map(({ type, target, change, evidence }) => `${type} \`${target}\`: ${change} Evidence: ${evidence}`),
        'None.',
      ),
    ],
  ]);
}
