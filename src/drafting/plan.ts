/** PLAN: tasks and executable acceptance rows, doubts from somebody else, four diagrams that parse, a price. */

import { readConfig } from '../context/repository-config.ts';
import { budgetOf } from '../documents/budget.ts';
import { diagramsDocument } from '../documents/diagrams-document.ts';
import {
  type Analysis,
  type Diagrams,
  type Plan,
  requirement as requirementSchema,
  specification,
} from '../documents/documents.ts';
import {
  acceptanceDocument,
  analysisDocument,
  checklistDocument,
  doubtsDocument,
  planDocument,
} from '../documents/plan-documents.ts';
import { storedJson } from '../documents/stored-json.ts';
import type { Event } from '../loop/event.ts';
import type { Defect } from '../loop/measurement.ts';
import { diagramDefects, draw, undrawnPlan } from './diagrams.ts';
import { type Drafted, type Drafting, draftedEvent, measured, storeDocuments } from './drafting.ts';
import { findingDefects, gravest } from './findings.ts';
import { askedOf, documentBlocks, fileBlocks, guidanceBlocks, scanBlock, scanOf } from './material.ts';
import { type CheckedPlan, checkPlan } from './plan-checks.ts';
import type { Block } from './prompt.ts';
import { uncertaintyOf } from './uncertainty.ts';

/**
 * Three calls: the plan, its analysis by the critic, the diagrams; only the first when the rules refuse the plan after all, and only the last when
 * nothing else failed in the try before.
 */
export async function plan(drafting: Drafting): Promise<Event> {
  const { loop, ports } = drafting;
  const goal = await storedJson(drafting, 'requirement.json', requirementSchema);
  const requirements = await storedJson(drafting, 'requirements.json', specification.shape.requirements);
  const scan = await scanOf(loop, ports);
  const approved = await documentBlocks(loop, ports, ['requirement.md', 'spec.md', 'contract.yaml', 'contract.md']);
  const files = await fileBlocks(loop, ports, scan, askedOf(loop));
  const { protected: protectedPaths, commands } = await readConfig(loop, ports);
  const material = [scanBlock(scan), ...files, ...approved, ...closedBlock(protectedPaths), ...guidanceBlocks(loop)];
  const repository = { protectedPaths, runner: commands.runner, files: scan.files };
  const check = async (answer: Plan): Promise<CheckedPlan> => {
    const testTexts = await testTextsOf(drafting, answer);
    return checkPlan({ plan: answer, requirements, surface: goal.surface, repository: { ...repository, testTexts } });
  };
  const kept = await undrawnPlan(drafting);
  const planned =
    kept?.planned ??
    (await drafting.ask(
      'plan',
      'Plan the work: tasks with their files, and acceptance rows that a machine performs.',
      material,
      async (answer) => (await check(answer)).defects.map(({ message }) => message),
    ));
  const checked = await check(planned);
  if (checked.uncovered.length > 0) return refused(drafting, planned, checked);
  const proposed: Block = { name: 'plan', source: 'the architect', text: JSON.stringify(planned, null, 2) };
  const judging = [...approved, scanBlock(scan), proposed, ...guidanceBlocks(loop)];
  const analysis =
    kept?.analysis ??
    (await drafting.ask('analysis', 'Look for what is wrong with this plan before people read it.', judging));
  const diagrams = await draw(drafting, judging);
  const uncertainty = uncertaintyOf({ plan: planned, requirements, doubts: analysis.doubts, files: scan.files });
  const documents = await storePlan(drafting, { planned, analysis, diagrams });
  const unreadable = await diagramDefects(
    diagrams,
    documents.find(({ path }) => path.endsWith('/diagrams.md'))?.path ?? 'diagrams.md',
  );
  const measurements = await measurementsOf(drafting, { uncertainty, checked, analysis, diagrams, unreadable });
  const defects = [...checked.defects, ...findingDefects(analysis), ...uncertainty.defects, ...unreadable];
  return draftedEvent(drafting, { documents, measurements, defects }, factsOf(planned, requirements, goal.surface));
}

/** The test files that the plan would take tests out of, as they are on the base. */
function testTextsOf({ loop, ports }: Drafting, { supersededTests }: Plan): Promise<ReadonlyMap<string, string>> {
  const files = supersededTests.map(({ file }) => file);
  return ports.workspace.texts(loop.ref, loop.started.base.sha, files);
}

interface Drawn {
  readonly planned: Plan;
  readonly analysis: Analysis;
  readonly diagrams: Diagrams;
}

/** Each as people read it, and the data beside it: what the packet and later phases show is read from that, never from the Markdown. */
function storePlan(drafting: Drafting, { planned, analysis, diagrams }: Drawn): ReturnType<typeof storeDocuments> {
  return storeDocuments(drafting, {
    'plan.md': planDocument(planned, budgetOf(drafting.loop.started, planned)),
    'plan.json': JSON.stringify(planned, null, 2),
    'tasks.json': JSON.stringify(planned.tasks, null, 2),
    'acceptance.md': acceptanceDocument(planned.acceptance),
    'acceptance.json': JSON.stringify(planned.acceptance, null, 2),
    'analysis.md': analysisDocument(analysis),
    'analysis.json': JSON.stringify(analysis, null, 2),
    'doubts.md': doubtsDocument(analysis),
    'checklist.md': checklistDocument(analysis),
    'diagrams.md': diagramsDocument(diagrams),
    'diagrams.json': JSON.stringify(diagrams, null, 2),
  });
}

/** What the repository has closed to loops, so that no try is lost on it. */
function closedBlock(protectedPaths: readonly string[]): readonly Block[] {
  if (protectedPaths.length === 0) return [];
  return [{ name: 'closed paths', source: '`protected` in .github/loopwright.yml', text: protectedPaths.join('\n') }];
}

/** A plan that leaves requirements uncovered is not worth an analysis and drawings: what they would measure stays unmeasured, and blocks. */
async function refused(drafting: Drafting, planned: Plan, checked: CheckedPlan): Promise<Event> {
  const documents = await storeDocuments(drafting, {
    'plan.md': planDocument(planned, budgetOf(drafting.loop.started, planned)),
  });
  return draftedEvent(drafting, {
    documents,
    measurements: [await coverage(drafting, checked)],
    defects: [...checked.defects],
  });
}

function coverage(drafting: Drafting, checked: CheckedPlan): Promise<Drafted['measurements'][number]> {
  const { length: value } = checked.uncovered;
  return measured(drafting, {
    name: 'uncovered_requirements',
    value,
    unit: 'count',
    source: 'drafting/plan',
    raw: checked,
  });
}

function factsOf(
  planned: Plan,
  requirements: readonly { readonly id: string }[],
  surface: NonNullable<Drafted['surface']>,
): Partial<Drafted> {
  const { tasks, supersededTests } = planned;
  return { tasks, supersededTests, requirementIds: requirements.map(({ id }) => id), surface };
}

interface Findings {
  readonly uncertainty: ReturnType<typeof uncertaintyOf>;
  readonly checked: CheckedPlan;
  readonly analysis: Analysis;
  readonly diagrams: Diagrams;
  readonly unreadable: readonly Defect[];
}

async function measurementsOf(
  drafting: Drafting,
  { uncertainty, checked, analysis, diagrams, unreadable }: Findings,
): Promise<Drafted['measurements']> {
  const source = 'drafting/plan';
  const findings = async (cause: 'plan' | 'spec'): Promise<Drafted['measurements'][number]> =>
    measured(drafting, {
      name: `${cause}_findings`,
      value: gravest(analysis, cause).length,
      unit: 'count',
      source: 'critical and high findings of the critic',
      raw: analysis.findings,
    });
  return [
    await measured(drafting, {
      name: 'arch_uncertainty',
      value: uncertainty.value,
      unit: 'ratio',
      source,
      raw: uncertainty.raw,
    }),
    await coverage(drafting, checked),
    await findings('plan'),
    await findings('spec'),
    await measured(drafting, {
      name: 'diagram_errors',
      value: unreadable.length,
      unit: 'count',
      source: 'mermaid',
      raw: { diagrams, problems: unreadable },
    }),
  ];
}
