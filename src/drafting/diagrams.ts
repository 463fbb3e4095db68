/** diagrams.md, and what its diagrams do wrong. */
import { diagramProblems } from '../context/mermaid-check.ts';
import type { Diagrams } from '../documents/documents.ts';
import { fenced, sections } from '../documents/markdown.ts';
import { defect } from '../loop/defect.ts';
import type { Defect } from '../loop/measurement.ts';

const DIAGRAMS = [
  { key: 'component', title: 'Components', type: 'flowchart' },
  { key: 'sequence', title: 'Sequence', type: 'sequenceDiagram' },
  { key: 'dataFlow', title: 'Data flow', type: 'flowchart' },
  { key: 'deployment', title: 'Deployment', type: 'flowchart' },
] as const;

/** Four headings with one ```mermaid block each; the packet reads them back by heading. */
export function diagramsDocument(diagrams: Diagrams): string {
  return sections(
    'Diagrams',
    DIAGRAMS.map(({ key, title }) => [title, fenced('mermaid', diagrams[key])]),
  );
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
