/** A proof in SARIF 2.1.0, the format in which code scanning and editors take findings. Pure. Source: OASIS, sarif-v2.1.0. */
import type { Proof, ProofRow } from './proof.ts';
import { fileOf } from './test-ids.ts';

interface Result {
  readonly ruleId: string;
  readonly level: 'error' | 'warning' | 'note';
  readonly message: { readonly text: string };
  readonly locations?: readonly object[];
}

/** One run with a result for each finding, each test that is red or flaky, and each fault that no test noticed; where none of them is why it is not proved, the reasons themselves. */
export function sarifOf(proof: Proof): object {
  const { findings, rows, strength, reasons, verdict, requirements } = proof;
  const results: readonly Result[] = [
    ...findings.map(({ rule, message, file, line, severity }) =>
      resultOf(rule, severity === 'minor' ? 'note' : 'error', message, { file, line }),
    ),
    ...rows.flatMap(rowResult),
    ...requirements.flatMap(({ requirement, reasons: why }) =>
      why.map((reason) => resultOf('requirement', 'error', `${requirement}: ${reason}.`)),
    ),
    ...(strength?.survivors ?? []).map(({ file, line, sentence }) =>
      resultOf('survivor', 'warning', `No test notices this fault: ${sentence}`, { file, line }),
    ),
  ];
  const said = results.some(({ level }) => level === 'error');
  const told = said ? [] : reasons.map((reason) => resultOf(verdict.replace(' ', '-'), 'error', reason));
  const all = [...results, ...told];
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'loopwright prove',
            rules: [...new Set(all.map(({ ruleId }) => ruleId))].map((id) => ({ id })),
          },
        },
        // Judged or not is another question than whether something was found.
        invocations: [{ executionSuccessful: verdict !== 'not judged' }],
        results: all,
      },
    ],
  };
}

const LEVELS: Readonly<Partial<Record<ProofRow['role'], string>>> = {
  red: 'does not pass on the head',
  flaky: 'does not always pass on the head',
};

function rowResult({ test, role, said }: ProofRow): readonly Result[] {
  const what = LEVELS[role];
  if (what === undefined) return [];
  return [resultOf(`${role}-test`, 'error', `${test} ${what}: ${said}`, { file: fileOf(test), line: null })];
}

function resultOf(
  ruleId: string,
  level: Result['level'],
  text: string,
  place?: { readonly file: string | null; readonly line: number | null },
): Result {
  const message = { text };
  if (place === undefined || place.file === null) return { ruleId, level, message };
  // GitHub takes none without a line.
  const region = { startLine: place.line ?? 1 };
  const artifactLocation = { uri: encodeURI(place.file), uriBaseId: '%SRCROOT%' };
  return { ruleId, level, message, locations: [{ physicalLocation: { artifactLocation, region } }] };
}
