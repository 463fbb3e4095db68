/** Security review and code review of the proposed change, by other roles than the one that built it. */
import { ANSWERS, type CodeReview, type SecurityReview } from '../../loop/answers.ts';
import type { FrozenTests } from '../../loop/brief.ts';
import { defect } from '../../loop/defect.ts';
import type { Defect } from '../../loop/measurement.ts';
import { cut } from '../report/said.ts';
import { type Bench, callContext } from '../workspace/environment.ts';
import {
  acceptanceOf,
  changeSection,
  contextOf,
  documentsOf,
  issueOf,
  requirementsOf,
  section,
  skillTexts,
  supersededOf,
} from './prompt.ts';

export interface Review {
  readonly security: SecurityReview;
  readonly code: CodeReview;
  /** Whether the change goes back to the builder. */
  readonly revise: boolean;
  /** All findings, those that send it back first. */
  readonly defects: readonly Defect[];
}

const DIFF_CHARACTERS = 200_000;
const SEVERITY = { critical: 'blocker', required: 'major', optional: 'minor', nit: 'minor' } as const;

/** Findings that go back to the builder, whoever of the two reviewers has them; the others stand in the pull request. */
const SENDS_BACK: readonly CodeReview['findings'][number]['severity'][] = ['critical', 'required'];

/** Asks both reviewers. An approval together with a critical or required finding counts as `revise`. @throws {ModelError} */
export async function review(bench: Bench, tests: FrozenTests, diff: string): Promise<Review> {
  const user = userMessage(bench, tests, diff);
  const security = await ask(bench, 'security-review', user);
  const code = await ask(bench, 'code-review', user);
  const revise =
    code.verdict === 'revise' ||
    [...code.findings, ...security.findings].some(({ severity }) => SENDS_BACK.includes(severity));
  const defects = [
    ...security.findings.map(({ category, message, ...finding }) =>
      defectFrom('security-review', { ...finding, message: `${category.replaceAll('-', ' ')}: ${message}` }),
    ),
    ...code.findings.map((finding) => defectFrom('code-review', finding)),
  ];
  bench.environment.log(`review: ${revise ? 'revise' : 'approve'}, ${defects.length} findings`);
  return { security, code, revise, defects: defects.toSorted((left, right) => rank(left) - rank(right)) };
}

async function ask<Name extends 'security-review' | 'code-review'>(bench: Bench, name: Name, user: string) {
  const { skills, role } = ANSWERS[name];
  const context = callContext(bench.brief, { phase: 'BUILD', skill: skills[0], role, attempt: bench.brief.iteration });
  const { answer } = await bench.environment.model.answer({ name, context, system: skillTexts(bench, skills), user });
  return answer;
}

function userMessage({ brief }: Bench, tests: FrozenTests, diff: string): string {
  return [
    issueOf(brief),
    section('Requirements', requirementsOf(brief)),
    documentsOf(brief, ['contract']),
    section('Acceptance rows', acceptanceOf(brief)),
    section('Tasks', brief.tasks.map(({ id, title, files }) => `- ${id} ${title}: ${files.join(', ')}`).join('\n')),
    section('Frozen tests, written by somebody else; all pass', tests.files.map(({ path }) => `- ${path}`).join('\n')),
    supersededOf(brief),
    contextOf(brief),
    changeSection(cut(diff, DIFF_CHARACTERS)),
  ].join('');
}

function defectFrom(rule: string, finding: CodeReview['findings'][number]): Defect {
  const { severity, requirement, file, line, message, fix } = finding;
  return defect({
    rule,
    about: `${file}:${line ?? ''}:${message.slice(0, 80)}`,
    requirement,
    file,
    line,
    severity: SEVERITY[severity],
    message,
    suggestion: fix,
  });
}

function rank({ severity }: Defect): number {
  return ['blocker', 'major', 'minor'].indexOf(severity);
}
