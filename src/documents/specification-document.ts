/** spec.md and the name of the interface document. Pure; the requirements' words stand in it unchanged, so that they can be quoted. */
import type { Requirement, Specification } from './documents.ts';
import { code, list, paragraph, sections } from './markdown.ts';

type Row = Specification['requirements'][number];

export function specificationDocument(specification: Specification, goal: Requirement): string {
  const { summary, requirements, outOfScope, risks } = specification;
  return sections(`Specification: ${goal.title}`, [
    ['Summary', summary],
    ...requirements.map(requirementSection),
    ['Interface', `See \`${contractFile(specification)}\`.`],
    ['Out of scope', list(outOfScope, 'Nothing was named.')],
    ['Risks', list(risks, 'None was named.')],
  ]);
}

function requirementSection({ id, kind, statement, criteria, metric }: Row): readonly [string, string] {
  const body = [paragraph(statement), list(criteria, ''), ...metricLine(metric)];
  return [`${id} (${kind})`, body.join('\n\n')];
}

/** The number that a metric requirement is held to; nothing for the others. */
export function metricLine(metric: Row['metric']): readonly string[] {
  return metric === null
    ? []
    : [`Metric: ${code(`${metric.name} ${metric.operator} ${metric.value} ${metric.unit}`.trim())}`];
}

/** The interface document: OpenAPI is YAML, the others are Markdown. */
export function contractFile({ contract }: Specification): 'contract.yaml' | 'contract.md' {
  return contract.format === 'openapi' ? 'contract.yaml' : 'contract.md';
}
