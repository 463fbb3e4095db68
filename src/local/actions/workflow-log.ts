/** A job's log as GitHub writes it: timestamps, groups, masked secrets, and the annotations found on the way. */
import type { WorkflowAnnotation } from './workflow-types.ts';

export interface WorkflowLog {
  /** Adds one line of the runner's own. */
  readonly write: (line: string) => void;
  /** Adds one line that a step printed, and obeys the `::command::` in it. */
  readonly output: (line: string) => void;
  readonly mask: (secret: string) => void;
  readonly redact: (text: string) => string;
  readonly annotate: (annotation: WorkflowAnnotation) => void;
  readonly text: () => string;
  readonly annotations: () => readonly WorkflowAnnotation[];
}

/** Creates an empty log that never shows one of the secrets, nor one that `::add-mask::` names later. */
export function createWorkflowLog(secrets: readonly string[]): WorkflowLog {
  const masks = new Set<string>();
  const lines: string[] = [];
  const annotations: WorkflowAnnotation[] = [];
  let sizeChars = 0;
  let resumeToken: string | undefined;

  const redact = (text: string): string => {
    const longestFirst = [...masks].sort((a, b) => b.length - a.length);
    return longestFirst.reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
  };
  const mask = (secret: string): void => {
    for (const part of secret.split(/\r?\n/)) if (part.trim() !== '') masks.add(part);
  };
  const write = (line: string): void => {
    if (sizeChars > limitChars) return;
    const stamp = new Date().toISOString().replace('Z', '0000Z');
    const text = `${stamp} ${redact(line)}`;
    sizeChars += text.length;
    lines.push(sizeChars > limitChars ? `${stamp} ##[warning]The log is longer than ${limitChars} characters` : text);
  };
  const annotate = (annotation: WorkflowAnnotation): void => {
    annotations.push({ ...annotation, message: redact(annotation.message) });
    write(`##[${annotation.level === 'failure' ? 'error' : annotation.level}]${annotation.message}`);
  };
  const obey = (command: LogCommand): void => {
    if (command.name === 'add-mask') mask(command.value);
    else if (command.name === 'stop-commands') resumeToken = command.value;
    else if (command.name === 'group') write(`##[group]${command.value}`);
    else if (command.name === 'endgroup') write('##[endgroup]');
    else if (isLevel(command.name)) annotate(annotationOf(levels[command.name], command));
  };
  const output = (line: string): void => {
    if (resumeToken !== undefined) {
      if (line.trim() === `::${resumeToken}::`) resumeToken = undefined;
      else write(line);
      return;
    }
    const command = parseLogCommand(line);
    if (command === undefined) write(line);
    else obey(command);
  };
  for (const secret of secrets) mask(secret);
  return { write, output, mask, redact, annotate, text: () => lines.join('\n'), annotations: () => [...annotations] };
}

const limitChars = 4_000_000;

interface LogCommand {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly value: string;
}

const levels = { notice: 'notice', warning: 'warning', error: 'failure' } as const;
const isLevel = (name: string): name is keyof typeof levels => Object.hasOwn(levels, name);
const knownCommands = new Set(['add-mask', 'stop-commands', 'group', 'endgroup', 'debug', ...Object.keys(levels)]);

/** Source: https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands */
function parseLogCommand(line: string): LogCommand | undefined {
  const [, name, list = '', value = ''] = /^\s*::([a-z-]+)(?: ([^:]*(?::(?!:)[^:]*)*))?::(.*)$/.exec(line) ?? [];
  if (name === undefined || !knownCommands.has(name)) return undefined;
  const pairs = list
    .split(',')
    .map((pair) => pair.split(/=(.*)/s))
    .map(([key = '', text = '']) => [key.trim(), unescapeText(text)] as const);
  return { name, properties: Object.fromEntries(pairs), value: unescapeText(value) };
}

const escapes: Readonly<Record<string, string>> = { '%25': '%', '%0D': '\r', '%0A': '\n', '%3A': ':', '%2C': ',' };
const unescapeText = (text: string): string => text.replace(/%(?:25|0D|0A|3A|2C)/g, (code) => escapes[code] ?? code);

function annotationOf(level: WorkflowAnnotation['level'], { properties, value }: LogCommand): WorkflowAnnotation {
  const line = Number(properties.line);
  return { level, message: value, path: properties.file, line: Number.isInteger(line) ? line : undefined };
}
