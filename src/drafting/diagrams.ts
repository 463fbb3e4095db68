/** What the diagrams of a plan do wrong. */
import { diagramProblems } from '../context/mermaid-check.ts';
import { DIAGRAMS } from '../documents/diagrams-document.ts';
import type { Diagrams } from '../documents/documents.ts';
import { defect } from '../loop/defect.ts';
import type { Defect } from '../loop/measurement.ts';

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
