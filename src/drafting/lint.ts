/** The deterministic half of spec_confidence. Pure; every rule names what it found. */
import { parse, YAMLParseError } from 'yaml';
import { z } from 'zod';
import type { Specification } from '../documents/documents.ts';
import type { Lane } from '../loop/terms.ts';
import { missingFromContract } from './contract-mentions.ts';
import type { SpecPoint } from './spec-points.ts';

type Row = Specification['requirements'][number];

/** Words that two readers measure differently. */
const VAGUE =
  'fast quickly slow easy easily simple simply user-friendly intuitive robust flexible scalable efficient efficiently appropriate appropriately adequate reasonable reasonably nice nicely properly correctly seamless seamlessly various several some many few usually often sometimes optimal sufficient sufficiently modern etc maybe possibly tbd'.split(
    ' ',
  );

/** Characters of spec.md that a lane allows; walls of text are not read. */
const LENGTHS: Readonly<Record<Lane, number>> = { trivial: 4_000, bug: 6_000, feature: 14_000 };
const CONTRACT_LENGTH = 20_000;

/** Points per requirement and of the whole. `text` is spec.md as rendered. */
export function lintSpecification(specification: Specification, text: string, lane: Lane): readonly SpecPoint[] {
  const { requirements, contract } = specification;
  return [
    ...requirements.flatMap((row) => requirementPoints(row, contract.text)),
    idsPoint(requirements),
    contractPoint(contract),
    lengthPoint('spec-length', 'spec.md', text.length, LENGTHS[lane]),
    lengthPoint('contract-length', 'The interface document', contract.text.length, CONTRACT_LENGTH),
  ];
}

function requirementPoints(row: Row, contract: string): readonly SpecPoint[] {
  const vague = vagueIn([row.statement, ...row.criteria].join(' '));
  const loose = row.criteria.filter((criterion) => !isMeasurable(criterion));
  const missing = row.kind === 'change' ? missingFromContract([row.statement, ...row.criteria], contract) : [];
  return [
    lint(row.id, 'no-vague-words', vague.length === 0, `Vague: ${vague.join(', ')}. Say what is measured instead.`),
    lint(
      row.id,
      'measurable-criteria',
      loose.length === 0,
      `No input with an exact result or number: ${loose.join(' · ')}`,
    ),
    metricPoint(row),
    ...(row.kind === 'change'
      ? [
          lint(
            row.id,
            'in-contract',
            missing.length === 0,
            `The interface document does not mention ${missing.join(', ')}.`,
          ),
        ]
      : []),
  ];
}

function lint(requirement: string | undefined, point: string, met: boolean, problem: string): SpecPoint {
  return { by: 'lint', requirement, point, met, detail: met ? 'met' : problem };
}

function vagueIn(text: string): readonly string[] {
  // What stands in quotes or code is an exact value, not a promise.
  const prose = text.replaceAll(/`[^`]*`|"[^"]*"/g, ' ').toLowerCase();
  const words = new Set(prose.match(/[a-z][a-z-]*/g) ?? []);
  return VAGUE.filter((word) => words.has(word));
}

const EXACT = /\d|`[^`]+`|"[^"]+"|'[^']+'|“[^”]+”|\b(?:true|false|null|empty|unchanged|identical|exactly)\b/i;
const INPUT =
  /\b(?:GET|POST|PUT|PATCH|DELETE)\b|`[^`]+`|"[^"]+"|'[^']+'|\/[\w{]|\w\(|\b(?:given|when|for|with|after|on|to|at|if|of|in|from|requests?|runs?|running|input)\b/i;

/** Names an input and an exact value or number. */
function isMeasurable(criterion: string): boolean {
  return EXACT.test(criterion) && INPUT.test(criterion);
}

function metricPoint({ id, kind, metric }: Row): SpecPoint {
  const met = (kind === 'metric') === (metric !== null);
  return lint(
    id,
    'metric',
    met,
    kind === 'metric'
      ? 'A requirement of kind metric needs its metric.'
      : `A requirement of kind ${kind} has no metric.`,
  );
}

function idsPoint(requirements: readonly Row[]): SpecPoint {
  const wrong = requirements.find(({ id }, index) => id !== `R-${index + 1}`);
  return lint(
    undefined,
    'consecutive-ids',
    wrong === undefined,
    `Ids run R-1, R-2, … in order; ${wrong?.id ?? ''} is out of place.`,
  );
}

const openApi = z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) });

function contractPoint({ format, text }: Specification['contract']): SpecPoint {
  const met = format !== 'openapi' || openApi.safeParse(yamlOf(text)).success;
  return lint(
    undefined,
    'contract-parses',
    met,
    'The interface document is not OpenAPI YAML with `openapi` and `paths`.',
  );
}

function yamlOf(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof YAMLParseError) return undefined;
    throw error;
  }
}

function lengthPoint(point: string, what: string, length: number, limit: number): SpecPoint {
  return lint(undefined, point, length <= limit, `${what} has ${length} characters; ${limit} are allowed.`);
}
