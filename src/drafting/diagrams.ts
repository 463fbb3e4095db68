/** The drawing of a plan's diagrams: what they do wrong is told to whoever draws, and never costs the plan. */
import { diagramProblems } from '../context/mermaid-check.ts';
import { DIAGRAMS } from '../documents/diagrams-document.ts';
import { type Analysis, analysis, type Diagrams, type Plan, plan } from '../documents/documents.ts';
import { storedJson } from '../documents/stored-json.ts';
import { defect } from '../loop/defect.ts';
import type { Loop } from '../loop/loop.ts';
import type { Defect } from '../loop/measurement.ts';
import type { Drafting } from './drafting.ts';
import type { Block } from './prompt.ts';

/** One call: the parser's words about a diagram that it cannot read are told within it. */
export function draw(drafting: Drafting, material: readonly Block[]): Promise<Diagrams> {
  return drafting.ask('diagrams', 'Draw the product as it will be after this plan.', material, async (drawn) =>
    (await diagramDefects(drawn, 'diagrams.md')).map(({ message }) => message),
  );
}

/** The plan of the last try and what the critic said of it, where nothing but its drawings failed: it is not made anew for them. */
export async function undrawnPlan(
  drafting: Drafting,
): Promise<{ readonly planned: Plan; readonly analysis: Analysis } | undefined> {
  if (!failedInDrawing(drafting.loop)) return undefined;
  return {
    planned: await storedJson(drafting, 'plan.json', plan),
    analysis: await storedJson(drafting, 'analysis.json', analysis),
  };
}

function failedInDrawing({ entries }: Loop): boolean {
  const last = entries.at(-1);
  const red = last?.gates.filter(({ passed }) => !passed) ?? [];
  return last?.phase === 'PLAN' && red.length > 0 && red.every(({ name }) => name === 'diagram_errors');
}

/** One defect per problem that the real parser or the rules find. */
export async function diagramDefects(diagrams: Diagrams, file: string): Promise<Defect[]> {
  const defects: Defect[] = [];
  for (const { key, title, type } of DIAGRAMS) {
    const problems = await diagramProblems(diagrams[key], type);
    for (const { line, message } of problems)
      defects.push(
        defect({
          rule: 'plan/diagram',
          about: `${key}-${line}`,
          file,
          message: `${title}, line ${line} of its text: ${message}`,
        }),
      );
  }
  return defects;
}
