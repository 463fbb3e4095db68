/** What rules say of a specification: hard ones that it may not break, and points that count towards spec_confidence. Pure; every rule names what it found. */
import { parse, YAMLParseError } from 'yaml';
import { z } from 'zod';
import type { Requirement, Specification } from '../documents/documents.ts';
import type { Thresholds } from '../loop/measurement.ts';
import type { Lane } from '../loop/terms.ts';
import { missingFromContract } from './contract-mentions.ts';
import { goalProblems, isFiller, isMeasured, measuredOn } from './goal-metrics.ts';
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

export interface Judged {
  readonly specification: Specification;
  readonly goal: Pick<Requirement, 'metrics' | 'surface'>;
  /** spec.md as rendered. */
  readonly text: string;
  readonly lane: Lane;
  readonly thresholds: Thresholds | undefined;
}

/** Points per requirement and of the whole. */
export function lintSpecification({ specification, goal, text, lane, thresholds }: Judged): readonly SpecPoint[] {
  const { requirements, contract } = specification;
  const unstated = goalProblems(requirements, goal, thresholds);
  return [
    ...requirements.flatMap((row) => requirementPoints(row, contract.text, { ...goal, thresholds })),
    idsPoint(requirements),
    hard(undefined, 'goal-metrics', unstated.length === 0, unstated.join(' ')),
    contractPoint(contract),
    lengthPoint('spec-length', 'spec.md', text.length, LENGTHS[lane]),
    lengthPoint('contract-length', 'The interface document', contract.text.length, CONTRACT_LENGTH),
  ];
}

type Goal = Judged['goal'] & Pick<Judged, 'thresholds'>;

function requirementPoints(row: Row, contract: string, goal: Goal): readonly SpecPoint[] {
  const vague = vagueIn([row.statement, ...row.criteria].join(' '));
  const loose = row.criteria.filter((criterion) => !isMeasurable(criterion));
  const missing = row.kind === 'change' ? missingFromContract([row.statement, ...row.criteria], contract) : [];
  return [
    hard(
      row.id,
      'no-vague-words',
      vague.length === 0,
      `Vague: ${vague.join(', ')}. Say what is measured instead; a word that is meant literally stands in backquotes.`,
    ),
    hard(
      row.id,
      'measurable-criteria',
      loose.length === 0,
      `No input with an exact result or number: ${loose.join(' · ')}`,
    ),
    metricPoint(row, goal),
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

function hard(...point: Parameters<typeof lint>): SpecPoint {
  return { ...lint(...point), by: 'rule' };
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

function metricPoint(row: Row, goal: Goal): SpecPoint {
  const problem = metricProblem(row, goal);
  return hard(row.id, 'metric', problem === undefined, problem ?? '');
}

function metricProblem({ kind, metric }: Row, { surface, thresholds }: Goal): string | undefined {
  if (metric === null) return kind === 'metric' ? 'A requirement of kind metric needs its metric.' : undefined;
  if (kind !== 'metric') return `A requirement of kind ${kind} has no metric.`;
  if (!isMeasured(metric.name, surface))
    return `Nobody measures \`${metric.name}\`: VERIFY measures ${measuredOn(surface)}. Say it as a change or keep whose criterion a program can check.`;
  if (isFiller(metric, surface, thresholds))
    return `Every loop's gates hold \`${metric.name}\` at this number anyway: leave this requirement out.`;
  return undefined;
}

function idsPoint(requirements: readonly Row[]): SpecPoint {
  const ids = requirements.map(({ id }) => id);
  const wanted = ids.map((_, index) => `R-${index + 1}`);
  return hard(
    undefined,
    'consecutive-ids',
    ids.join() === wanted.join(),
    `Ids run R-1, R-2, … in order, each once: they are ${ids.join(', ')}, and must be ${wanted.join(', ')}.`,
  );
}

const openApi = z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) });

function contractPoint({ format, text }: Specification['contract']): SpecPoint {
  const problem = format === 'openapi' ? openApiProblem(text) : undefined;
  return hard(undefined, 'contract-parses', problem === undefined, problem ?? '');
}

function openApiProblem(text: string): string | undefined {
  try {
    return openApi.safeParse(parse(text)).success
      ? undefined
      : 'The interface document is not OpenAPI YAML with `openapi` and `paths`.';
  } catch (error) {
    if (error instanceof YAMLParseError) return `The interface document is no YAML: ${error.message}`;
    throw error;
  }
}

function lengthPoint(point: string, what: string, length: number, limit: number): SpecPoint {
  return lint(undefined, point, length <= limit, `${what} has ${length} characters; ${limit} are allowed.`);
}
