/** The numbers that requirements of kind metric ask for, as the approved documents state them. */
import type { z } from 'zod';
import { type metric, type operator, specification } from '../../documents/documents.ts';
import type { Brief } from '../../loop/brief.ts';
import { parseJson } from '../report/json.ts';

export type Metric = z.infer<typeof metric>;
export type Operator = z.infer<typeof operator>;

/** Metrics by requirement id, from the approved `requirements.json`; empty when the brief has none that can be read. */
export function metricsOf(brief: Brief): ReadonlyMap<string, Metric> {
  const text = brief.documents.find(({ path }) => path.split('/').at(-1) === 'requirements.json')?.text;
  const parsed = specification.shape.requirements.safeParse(parseJson(text ?? ''));
  if (!parsed.success) return new Map();
  return new Map(parsed.data.flatMap(({ id, metric: own }) => (own === null ? [] : [[id, own]])));
}
