/** DEFINE: requirements that can be measured, an interface document, and a judgement by rules and by somebody else. */
import { readConfig } from '../context/repository-config.ts';
import { requireStart } from '../context/served.ts';
import { type Requirement, requirement as requirementSchema, type Specification } from '../documents/documents.ts';
import { contractFile, specificationDocument } from '../documents/specification-document.ts';
import { storedJson } from '../documents/stored-json.ts';
import type { Event } from '../loop/event.ts';
import { thresholdOf } from '../loop/gates.ts';
import type { Loop } from '../loop/loop.ts';
import type { Measurement } from '../loop/measurement.ts';
import type { StartedLoop } from '../loop/stages.ts';
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
import { reviewProblems, rubricPoints } from './rubric.ts';
import { brokenRules, confidenceOf, defectsOfPoints, type SpecPoint, toldPoint } from './spec-points.ts';

/** Two calls: the specification, and its review by the critic; only one when rules alone keep it below its gates. */
export async function define(drafting: Drafting): Promise<Event> {
  const { loop, ports } = drafting;
  const goal = await storedJson(drafting, 'requirement.json', requirementSchema);
  // As early as the surface is known: by BUILD, everything before it has been paid for and approved.
  requireStart(goal.surface, (await readConfig(loop, ports)).commands);
  const linted = (specification: Specification): readonly SpecPoint[] =>
    lintSpecification({
      specification,
      goal,
      text: specificationDocument(specification, goal),
      lane: loop.started.lane,
      thresholds: loop.started.thresholds,
    });
  const specification = await drafting.ask(
    'specification',
    'Write the specification for the requirement above. Where feedback is given, mend exactly what it names.',
    await materialOf(drafting),
    (answer) => brokenRules(linted(answer)).map(toldPoint),
  );
  const text = specificationDocument(specification, goal);
  const lint = linted(specification);
  const { points, measurements } = await judged(drafting, { goal, specification, text, lint });
  const file = contractFile(specification);
  const documents = await storeDocuments(drafting, {
    'spec.md': text,
    [file]: specification.contract.text,
    'requirements.json': JSON.stringify(specification.requirements, null, 2),
    ...supersededBy(file, loop),
  });
  const defects = defectsOfPoints(points, documents[0]?.path ?? 'spec.md');
  return draftedEvent(drafting, { documents, measurements, defects }, { requirementIds: idsOf(specification) });
}

interface Written {
  readonly goal: Requirement;
  readonly specification: Specification;
  readonly text: string;
  readonly lint: readonly SpecPoint[];
}

interface Judged {
  readonly points: readonly SpecPoint[];
  readonly measurements: Measurement[];
}

/** A hard rule that is broken leaves nothing to score; a review that could not lift the specification over its gate is not paid for. */
async function judged(drafting: Drafting, written: Written): Promise<Judged> {
  const { specification, text, lint } = written;
  const broken = brokenRules(lint);
  const rules = await measured(drafting, {
    name: 'broken_spec_rules',
    value: broken.length,
    unit: 'count',
    source: 'drafting/define',
    raw: lint,
  });
  if (broken.length > 0) return { points: lint, measurements: [rules] };
  const unasked = rubricPoints(specification, text, { points: [] });
  const most = [...lint, ...unasked.map((point) => ({ ...point, met: true }))];
  const isWorthAReview = isConfident(confidenceOf(most), drafting.loop);
  const points = isWorthAReview ? [...lint, ...(await reviewed(drafting, written))] : lint;
  const confidence = await measured(drafting, {
    name: 'spec_confidence',
    value: confidenceOf(isWorthAReview ? points : most),
    unit: 'ratio',
    source: isWorthAReview ? 'drafting/define' : 'drafting/define, the most that a review could make of it',
    raw: points,
  });
  return { points, measurements: [rules, confidence] };
}

async function reviewed(drafting: Drafting, { goal, specification, text }: Written): Promise<readonly SpecPoint[]> {
  const review = await drafting.ask(
    'spec-review',
    'Judge spec.md: every rubric point of every requirement, each with a quote copied letter by letter from spec.md.',
    [
      { name: 'requirement.md', source: 'an earlier phase of this loop', text: goalText(goal) },
      { name: 'spec.md', source: 'the writer of the specification', text },
      { name: 'contract', source: 'the writer of the specification', text: specification.contract.text },
    ],
    (answer) => reviewProblems(specification, text, answer),
  );
  return rubricPoints(specification, text, review);
}

/** Whether the gate of DEFINE lets this confidence pass. */
function isConfident(confidence: number, { started }: StartedLoop): boolean {
  const needed = thresholdOf({ phase: 'DEFINE', name: 'spec_confidence' }, started.thresholds);
  return needed !== undefined && confidence >= needed;
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
