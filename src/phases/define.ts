/** DEFINE: requirements that can be measured, an interface document, and a judgement by rules and by somebody else. */
import { type Requirement, requirement as requirementSchema, type Specification } from '../loop/answers.ts';
import type { Event, Loop } from '../loop/loop.ts';
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
import { confidenceOf, defectsOfPoints } from './spec-points.ts';
import { contractFile, specificationDocument } from './specification-document.ts';
import { storedJson } from './stored-json.ts';

/** Two calls: the specification, and its review by the critic. */
export async function define(drafting: Drafting): Promise<Event> {
  const { loop } = drafting;
  const goal = await storedJson(drafting, 'requirement.json', requirementSchema);
  const specification = await drafting.ask(
    'specification',
    'Write the specification for the requirement above. Where feedback is given, mend exactly what it names.',
    await materialOf(drafting),
  );
  const text = specificationDocument(specification, goal);
  const review = await drafting.ask(
    'spec-review',
    'Judge spec.md: every rubric point of every requirement, each with a quote copied letter by letter from spec.md.',
    [
      { name: 'requirement.md', source: 'an earlier phase of this loop', text: goalText(goal) },
      { name: 'spec.md', source: 'the writer of the specification', text },
      { name: 'contract', source: 'the writer of the specification', text: specification.contract.text },
    ],
  );
  const points = [...lintSpecification(specification, text, loop.lane), ...rubricPoints(specification, text, review)];
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
      source: 'phases/define',
      raw: points,
    }),
  ];
  const defects = defectsOfPoints(points, documents[0]?.path ?? 'spec.md');
  return draftedEvent(drafting, { documents, measurements, defects }, { requirementIds: idsOf(specification) });
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
