/** The four diagrams of a plan, and diagrams.md. Pure. */
import type { Diagrams } from './documents.ts';
import { fenced, sections } from './markdown.ts';

/** In the order in which people see them; `type` is what Mermaid calls each. */
export const DIAGRAMS = [
  { key: 'component', title: 'Components', type: 'flowchart' },
  { key: 'sequence', title: 'Sequence', type: 'sequenceDiagram' },
  { key: 'dataFlow', title: 'Data flow', type: 'flowchart' },
  { key: 'deployment', title: 'Deployment', type: 'flowchart' },
] as const;

/** Four headings with one ```mermaid block each. */
export function diagramsDocument(diagrams: Diagrams): string {
  return sections(
    'Diagrams',
    DIAGRAMS.map(({ key, title }) => [title, diagramBlock(diagrams[key])]),
  );
}

/** One diagram as GitHub draws it. */
export function diagramBlock(text: string): string {
  return fenced('mermaid', text);
}
