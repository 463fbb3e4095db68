/** What the repository's linter, type checker and scanner find on the head and not on the base. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  type LineOf,
  newFindings,
  printedFindings,
  sarifFindings,
  settingsText,
  type ToolFinding,
} from '../../guard/tool-findings.ts';
import { findingDefect, judgeFindings, liftedNote } from '../../guard/waivers.ts';
import { defect } from '../../loop/defect.ts';
import type { Defect } from '../../loop/measurement.ts';
import { TOOLS, type ToolName, toolsOf } from '../../loop/tools.ts';
import { placeOf, readRegular } from '../../sandbox/inside.ts';
import type { CommandResult } from '../../sandbox/sandbox.ts';
import { said } from '../report/said.ts';
import type { Reading } from '../report/security.ts';
import { type Bench, measured, runShell } from '../workspace/environment.ts';
import { onTreeCopy, type Trees } from '../workspace/trees.ts';

/** `lint_findings`, `type_findings`, `scan_findings`: one for each tool that is configured; none where one side is unknown. */
export async function toolReadings(bench: Bench, trees: Trees): Promise<readonly Reading[]> {
  const tools = toolsOf(bench.brief);
  const readings: Reading[] = [];
  for (const [index, name] of tools.entries()) {
    bench.environment.log(`${name}, on base and head`);
    // They are the same settings for all tools, and count once.
    const settings = index === 0 ? await changedSettings(bench, trees) : [];
    readings.push(await toolReading(bench, trees, { name, settings }));
  }
  return readings;
}

async function toolReading(
  bench: Bench,
  trees: Trees,
  { name, settings }: { readonly name: ToolName; readonly settings: readonly Defect[] },
): Promise<Reading> {
  const command = TOOLS[name].commandIn(bench.brief) ?? '';
  const [base, head] = [await ranIn(bench, trees.base, command), await ranIn(bench, trees.head, command)];
  for (const [side, { problem }] of [['base', base] as const, ['head', head] as const]) {
    if (problem === undefined) continue;
    const message = `What ${JSON.stringify(command)} finds on the ${side} cannot be told: ${problem}`;
    return { measurement: undefined, defects: [defect({ rule: name, about: 'unknown', message }), ...settings] };
  }
  const lines = { base: await linesIn(trees.base, base.findings), head: await linesIn(trees.head, head.findings) };
  const found = newFindings(
    { findings: base.findings, lineOf: lines.base },
    { findings: head.findings.filter(({ file }) => isOfCandidate(bench, file)), lineOf: lines.head },
  );
  const defects = toolDefects(name, found, lines.head);
  const { standing, lifted } = judgeFindings([...defects, ...settings], bench.brief.waivers);
  const measurement = await measured(bench.environment, {
    name: TOOLS[name].measures,
    value: standing.length,
    unit: 'count',
    source: `${JSON.stringify(command)} on the base (${base.findings.length} findings) and on the head (${head.findings.length})${liftedNote(lifted)}`,
    output: JSON.stringify({ base: base.raw, head: head.raw, findings: standing, waived: lifted }, null, 1),
  });
  return { measurement, defects: standing };
}

/** The builder answers for neither the frozen tests nor our own documents. */
function isOfCandidate({ brief }: Bench, file: string): boolean {
  return !file.startsWith('.loopwright/') && brief.tests?.files.some(({ path }) => path === file) !== true;
}

interface Ran {
  readonly findings: readonly ToolFinding[];
  /** Why nothing of it counts, as a clause with what to do. */
  readonly problem?: string;
  /** What it printed, or the file that it wrote. */
  readonly raw: string;
}

/** Stands in a command for the file that it writes. */
const REPORT = '{report}';
const SAID = 1500;

function ranIn(bench: Bench, tree: string, command: string): Promise<Ran> {
  return onTreeCopy(bench, tree, async (copy) => {
    const name = `.loopwright-report-${randomBytes(8).toString('hex')}.sarif`;
    const line = command.replaceAll(REPORT, join(copy, name));
    const result = await runShell(bench, line, copy, { timeoutMs: bench.brief.limits.suiteTimeoutMs });
    const raw = `${result.stdout}\n${result.stderr}`;
    if (result.timedOut) return unknown(raw, 'it did not end in time; raise `limits.suiteSeconds`.');
    if (result.truncated) return unknown(raw, 'it printed too much; have it print findings only.');
    return command.includes(REPORT) ? written(result, await reportIn(copy, name), copy) : printed(result, raw, copy);
  });
}

function unknown(raw: string, problem: string): Ran {
  return { findings: [], raw, problem };
}

/** What it wrote to the file. Its exit code says no more: some end with 1 where they found something. */
function written(result: CommandResult, text: string | undefined, root: string): Ran {
  if (text === undefined) return unknown('', `it wrote nothing to ${REPORT}: ${said(result, SAID)}`);
  const findings = sarifFindings(text, root);
  if (findings !== undefined) return { findings, raw: text };
  return unknown(text, `what it wrote to ${REPORT} is no SARIF 2.1.0 of a run that succeeded: ${said(result, SAID)}`);
}

/** What it printed; where it is red and names no place, nobody knows what it found. */
function printed(result: CommandResult, raw: string, root: string): Ran {
  const { exitCode, stdout } = result;
  if (exitCode === 0) return { findings: sarifFindings(stdout, root) ?? [], raw };
  const findings = sarifFindings(stdout, root) ?? printedFindings(raw, root);
  if (findings.length > 0) return { findings, raw };
  const how = exitCode === undefined ? 'was ended' : `ended with ${exitCode}`;
  return unknown(raw, `it ${how} and named no place of a finding: ${said(result, SAID)}`);
}

const MOST_BYTES = 16 * 1024 * 1024;

/** The command decides what lies there: a link is not followed. */
async function reportIn(copy: string, name: string): Promise<string | undefined> {
  const place = await placeOf(copy, name);
  if (place.refusal !== undefined || place.stats?.isFile() !== true || place.stats.size > MOST_BYTES) return undefined;
  return (await readRegular(place.absolute)).toString('utf8');
}

async function linesIn(tree: string, findings: readonly ToolFinding[]): Promise<LineOf> {
  const texts = new Map<string, readonly string[]>();
  for (const file of new Set(findings.map((one) => one.file))) {
    const text = await reportIn(tree, file);
    if (text !== undefined) texts.set(file, text.split('\n'));
  }
  return (file, line) => texts.get(file)?.[line - 1];
}

function toolDefects(rule: ToolName, findings: readonly ToolFinding[], lineOf: LineOf): readonly Defect[] {
  const seen = new Map<string, number>();
  return findings.map(({ file, line, message }) => {
    const text = line === null ? '' : (lineOf(file, line) ?? '').trim();
    // The same text at two places of a file is two findings.
    const key = JSON.stringify([file, message, text]);
    const serial = (seen.get(key) ?? 0) + 1;
    seen.set(key, serial);
    const place = line === null ? file : `${file}:${line}`;
    const bound = [message, text, String(serial)];
    return findingDefect({ rule, about: place, file, line, message: `${place}: ${message}.`, bound });
  });
}

/** A tool that is told to find nothing finds nothing: who changes its settings is to be looked at. */
async function changedSettings({ brief, repository }: Bench, trees: Trees): Promise<readonly Defect[]> {
  const textOf = async (commit: string, path: string, files: ReadonlyMap<string, string>) =>
    files.has(path) ? (await repository.git(['show', `${commit}:${path}`])).toString('utf8') : '';
  const defects: Defect[] = [];
  for (const path of new Set([...trees.baseFiles.keys(), ...trees.headFiles.keys()])) {
    const [before, after] = [trees.baseFiles.get(path), trees.headFiles.get(path)];
    if (before === after || settingsText(path, '') === undefined) continue;
    const base = settingsText(path, await textOf(brief.base, path, trees.baseFiles));
    const head = settingsText(path, await textOf(brief.candidate, path, trees.headFiles));
    if (base === head) continue;
    const message = `What ${path} sets for linters and type checkers was changed.`;
    const suggestion = 'Put it back as it was; mend what the tools find instead.';
    const bound = [before ?? '', after ?? ''];
    defects.push(findingDefect({ rule: 'tool-settings', about: path, file: path, message, suggestion, bound }));
  }
  return defects;
}
