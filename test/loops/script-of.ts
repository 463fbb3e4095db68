/** What a model answers in a case, as a script: the words are the case's, the code is that of its builds. */
import { RUBRIC } from '../../src/documents/documents.ts';
import type { LoopCase } from './loop-case.ts';

/** Texts by path, one map for each build. */
export type Builds = readonly ReadonlyMap<string, string>[];

export function scriptOf(one: LoopCase, builds: Builds): object {
  return {
    model: 'scripted-loops',
    issue: one.title,
    answers: { ...planned(one), ...built(one) },
    tasks: { 'T-1': builds.map((files) => buildSteps(one, files)) },
  };
}

function planned({ title, summary, requirements, contract, task, acceptance }: LoopCase) {
  return {
    interview: [{ questions: [] }],
    requirement: [
      {
        ...{ title, objective: summary, kind: 'feature', surface: 'library' },
        metrics: [{ name: 'uat_pass_rate', operator: '>=', value: 0.95, unit: 'ratio' }],
        boundaries: { paths: ['.github/**'], operations: ['adding a dependency'] },
        ...{ assumptions: [], outOfScope: ['Anything that the issue does not name'] },
        stories: [{ as: 'caller of the library', want: title, so: 'I need no detour around it' }],
      },
    ],
    specification: [
      {
        summary,
        requirements: requirements.map((row) => ({ ...row, metric: null })),
        contract: { format: 'signatures', text: contract },
        outOfScope: ['Anything that the issue does not name'],
        risks: ['Callers may rely on what is wrong today.'],
      },
    ],
    'spec-review': [
      {
        points: requirements.flatMap(({ id, statement }) =>
          RUBRIC.map((point) => ({ requirement: id, point, met: true, quote: statement })),
        ),
      },
    ],
    plan: [
      {
        approach: task.detail,
        tasks: [{ id: 'T-1', ...task, requirements: requirements.map(({ id }) => id), dependsOn: [] }],
        acceptance: requirements.map(({ id, kind, criteria }, index) => ({
          ...{ id: `A-${index + 1}`, requirement: id, kind, title: criteria[0] },
          steps: acceptance[id] ?? [],
        })),
        supersededTests: [],
      },
    ],
    ...considered(task),
  };
}

function considered({ files, title }: LoopCase['task']) {
  const [file = ''] = files;
  return {
    analysis: [
      {
        findings: [],
        doubts: [
          {
            claim: `${title} needs ${files.join(' and ')} only.`,
            doubt: 'Another place may rely on what it does today.',
            attack: 'alternative',
            resolution: 'The existing tests are asked, and a keep requirement holds what stays.',
          },
        ],
        checklist: [{ item: 'Every requirement has a task and an acceptance row', satisfied: true }],
      },
    ],
    diagrams: [
      {
        component: `flowchart LR\n  Caller --> Code["${file}"]`,
        sequence:
          'sequenceDiagram\n  participant C as Caller\n  participant L as Library\n  C->>L: call\n  L-->>C: result',
        dataFlow: 'flowchart TD\n  Input["input"] --> Code["library"]\n  Code --> Output["result"]',
        deployment: `flowchart TD\n  subgraph Machine["a program's process"]\n    Library["${file}"]\n  end`,
      },
    ],
  };
}

function built({ title, requirements, tests: { path, content, names } }: LoopCase) {
  return {
    'acceptance-tests': [
      {
        files: [{ path, content }],
        tests: requirements.flatMap(({ id, kind }) =>
          (names[id] ?? []).map((name) => ({ requirement: id, kind, file: path, name })),
        ),
      },
    ],
    'security-review': [{ findings: [] }],
    'code-review': [{ verdict: 'approve', findings: [] }],
    'seed-data': [{ needed: false, reason: 'It is a library.', files: [], command: [], counts: [] }],
    release: [
      {
        title,
        notes: [title],
        checklist: [{ item: 'Read the change', owner: 'reviewer' }],
        ...{ rollback: 'Revert the merge commit.', tag: '0.0.1' },
      },
    ],
    reflection: [{ lessons: [], proposals: [] }],
  };
}

function buildSteps({ command, title }: LoopCase, files: ReadonlyMap<string, string>) {
  return [
    ...[...files].map(([path]) => ({ tool: 'read_file', path })),
    ...[...files].map(([path, content]) => ({ tool: 'write_file', path, content })),
    { tool: 'run_command', command },
    { tool: 'submit', summary: title },
  ];
}
