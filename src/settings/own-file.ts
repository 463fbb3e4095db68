/** Whether a file of a repository is one that we wrote, but for what people may say in it. Pure. */

const PLAIN = String.raw`(?!(?:null|true|false)(?![\w.-]))[A-Za-z0-9_][\w.-]*`;
const LABEL = String.raw`(?:'[A-Za-z0-9_][\w.-]*'|"[A-Za-z0-9_][\w.-]*"|${PLAIN})`;
const LABELS = String.raw`(?:${LABEL}|\[ *${LABEL}(?: *, *${LABEL})* *\])`;
const GROUP = String.raw`(?:'[A-Za-z0-9_][\w./ -]*'|"[A-Za-z0-9_][\w./ -]*"|${PLAIN}(?:/${PLAIN})?)`;
const IN_GROUP = `group: +${GROUP}(?: *, *labels: +${LABELS})?|labels: +${LABELS}(?: *, *group: +${GROUP})?`;
const MACHINES = String.raw`(?:${LABELS}|\{ *(?:${IN_GROUP}) *\}|\$\{\{ *vars\.\w+ *\}\})`;

/** Of a job: a value that ends where its line does. Whatever else stands there may be read as more than that. */
const PLACE = new RegExp(
  String.raw`^( {4}(?:runs-on(?=: ${MACHINES}(?: +#|$))|timeout-minutes(?=: [1-9]\d{0,3}(?: +#|$)))):.*$`,
);

/** What some readers of YAML take for the end of a line, and others do not. */
const OTHER_ENDS = /[\p{Cc}\u2028\u2029]/u;

/** No line that is compared can hold it. */
const TAKEN_OUT = '\0';

/** As git writes it on Windows, and as YAML reads it. */
export function withPlainEnds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

interface Line {
  /** From 1. */
  readonly number: number;
  /** As it is compared. */
  readonly text: string;
}

/** How the lines of a file are compared. */
export type Reading = (text: string) => readonly Line[];

/** With other machines, other times, other lines of remarks and other spaces at the end. No text of ours goes over several lines, so that what begins with `#` is a remark. */
export const asWorkflow: Reading = (text) =>
  linesOf(text)
    .map(({ number, text: line }) => ({ number, text: withoutEnd(line) }))
    .filter(({ text: line }) => !/^ *(?:#|$)/.test(line) || OTHER_ENDS.test(line))
    .map(({ number, text: line }) => ({ number, text: withoutPlace(line) }));

/** As it is: its lines are a shell's, and none of them is a remark to YAML. */
export const asAction: Reading = (text) => linesOf(text.replace(/\n+$/, ''));

function linesOf(text: string): readonly Line[] {
  return text.split('\n').map((line, index) => ({ number: index + 1, text: line }));
}

/** Spaces at the end are none to YAML. */
const withoutEnd = (line: string): string => (OTHER_ENDS.test(line) ? line : line.replace(/ +$/, ''));

function withoutPlace(line: string): string {
  return OTHER_ENDS.test(line) ? line : line.replace(PLACE, `$1${TAKEN_OUT}`);
}

/** The number of the first line that is not as in `ours`, or of the last where more should follow; undefined where all are. */
export function otherLine(there: string, ours: string, read: Reading): number | undefined {
  const [own, wanted] = [read(there), read(ours)];
  const first = own.find(({ text }, index) => text !== wanted[index]?.text);
  if (first !== undefined) return first.number;
  return own.length < wanted.length ? linesOf(there).length : undefined;
}

/** `ours` with the machines and times of a workflow that is there, where it has as many of them in the same order. */
export function withPlacesOf(there: string, ours: string): string {
  const kept = withPlainEnds(there).split('\n').map(withoutEnd).filter(isPlace);
  const lines = ours.split('\n');
  const keyOf = (line: string | undefined) => line?.split(':', 1)[0];
  const own = lines.filter(isPlace);
  if (own.length !== kept.length || own.some((line, index) => keyOf(line) !== keyOf(kept[index]))) return ours;
  const left = kept.values();
  return lines.map((line) => (isPlace(line) ? (left.next().value ?? line) : line)).join('\n');
}

const isPlace = (line: string): boolean => withoutPlace(line) !== line;
