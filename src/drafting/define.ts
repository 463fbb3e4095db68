/** DEFINE: requirements that can be measured, an interface document, and a judgement by rules and by somebody else. */
import { type Requirement, requirement as requirementSchema, type Specification } from '../documents/documents.ts';
import { contractFile, specificationDocument } from '../documents/specification-document.ts';
import { storedJson } from '../documents/stored-json.ts';
import type { Event } from '../loop/event.ts';
import { GATES } from '../loop/gates.ts';
import type { Loop } from '../loop/loop.ts';
import { type Drafting, draftedEvent, measured, storeDocuments } from './drafting.ts';
import { lintSpecification } from './lint.ts';
import {
  answersBlock,
  askedOf,
  documentBlocks,
  fileBlocks,
  guidanceBlocks,
  issueBlock,
  scanBlock,
  scanOf,
} from './material.ts';
import { rubricPoints } from './rubric.ts';
import { confidenceOf, defectsOfPoints, type SpecPoint } from './spec-points.ts';

/** Two calls: the specification, and its review by the critic; only one when the rules alone keep it below the gate. */
export async function define(drafting: Drafting): Promise<Event> {
  const { loop } = drafting;
  const goal = await storedJson(drafting, 'requirement.json', requirementSchema);
  const specification = await drafting.ask(
    'specification',
    'Write the specification for the requirement above. Where feedback is given, mend exactly what it names.',
    await materialOf(drafting),
  );
  const text = specificationDocument(specification, goal);
  const lint = lintSpecification(specification, text, loop.started.lane);
  const points = [...lint, ...(await reviewed(drafting, { goal, specification, text, lint }))];
  const file = contractFile(specification);
  const documents = await storeDocuments(drafting, {
    'spec.md': text,
    [file]: specification.contract.text,
    'requirements.json': JSON.stringify(specification.requirements, null, 2),
    ...supersededBy(file, loop),
  });
  const measurements = [
    await measured(drafting, {
      name: 'spec_confidence',
      value: confidenceOf(points),
      unit: 'ratio',
      source: 'drafting/define',
      raw: points,
    }),
  ];
  const defects = defectsOfPoints(points, documents[0]?.path ?? 'spec.md');
  return draftedEvent(drafting, { documents, measurements, defects }, { requirementIds: idsOf(specification) });
}

interface Written {
  readonly goal: Requirement;
  readonly specification: Specification;
  readonly text: string;
  readonly lint: readonly SpecPoint[];
}

/** A review that could not lift the specification over its gate is not paid for; its points count as not met. */
async function reviewed(
  drafting: Drafting,
  { goal, specification, text, lint }: Written,
): Promise<readonly SpecPoint[]> {
  const unasked = rubricPoints(specification, text, { points: [] });
  const best = confidenceOf([...lint, ...unasked.map((point) => ({ ...point, met: true }))]);
  if (!isConfident(best)) return unasked;
  const review = await drafting.ask(
    'spec-review',
    'Judge spec.md: every rubric point of every requirement, each with a quote copied letter by letter from spec.md.',
    [
      { name: 'requirement.md', source: 'an earlier phase of this loop', text: goalText(goal) },
      { name: 'spec.md', source: 'the writer of the specification', text },
      { name: 'contract', source: 'the writer of the specification', text: specification.contract.text },
    ],
  );
  return rubricPoints(specification, text, review);
}

/** Whether the gate of DEFINE lets this confidence pass. */
function isConfident(confidence: number): boolean {
  const gate = GATES.find(({ name }) => name === 'spec_confidence');
  return gate === undefined || confidence >= gate.threshold;
}

async function materialOf(drafting: Drafting): ReturnType<typeof documentBlocks> {
  const { loop, ports } = drafting;
  const scan = await scanOf(loop, ports);
  return [
    scanBlock(scan),
    ...(await fileBlocks(loop, ports, scan, askedOf(loop))),
    issueBlock(loop),
    ...answersBlock(loop),
    ...(await documentBlocks(loop, ports, ['requirement.md', 'spec.md', 'contract.yaml', 'contract.md'])),
    ...guidanceBlocks(loop),
  ];
}

/** A draft that changes the form of the interface document leaves no second one behind that says something else. */
function supersededBy(file: string, { documents }: Loop): Readonly<Record<string, string>> {
  const other = file === 'contract.yaml' ? 'contract.md' : 'contract.yaml';
  return documents.some(({ path }) => path.endsWith(`/${other}`)) ? { [other]: `# Superseded by \`${file}\`.` } : {};
}

function idsOf({ requirements }: Specification): string[] {
  return requirements.map(({ id }) => id);
}

function goalText({ objective, metrics, boundaries, outOfScope }: Requirement): string {
  return JSON.stringify({ objective, metrics, boundaries, outOfScope }, null, 2);
}
