/** Whether a file of a repository is one that we wrote, but for what people may say in it. Pure. */

const PLAIN = String.raw`(?!(?:[Nn]ull|NULL|[Tt]rue|TRUE|[Ff]alse|FALSE)(?![\w.-]))[A-Za-z0-9_][\w.-]*`;
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

/** No line can hold it. */
const TAKEN_OUT = '\n';

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
export const asAction: Reading = (text) => linesOf(withoutLast(text, '\n'));

function linesOf(text: string): readonly Line[] {
  return text.split('\n').map((line, index) => ({ number: index + 1, text: line }));
}

/** Spaces at the end are none to YAML. */
const withoutEnd = (line: string): string => (OTHER_ENDS.test(line) ? line : withoutLast(line, ' '));

/** Without those at its end. An expression would look for them at each place, and anybody who may push chooses how many there are. */
function withoutLast(text: string, letter: string): string {
  let end = text.length;
  while (text[end - 1] === letter) end -= 1;
  return text.slice(0, end);
}

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

export const PLACE_KEYS = ['runs-on', 'timeout-minutes'] as const;
export type PlaceKey = (typeof PLACE_KEYS)[number];

/** What people may write there, in one line. */
export const PLACE_FORMS: Readonly<Record<PlaceKey, string>> = {
  'runs-on': 'labels, a group, or one variable of `vars`',
  'timeout-minutes': 'a number',
};

export interface JobPlace {
  readonly key: PlaceKey;
  readonly job: string;
}

interface KeptPlaces {
  readonly text: string;
  /** What is as in `ours` again, because nobody can tell what was meant. */
  readonly setBack: readonly JobPlace[];
}

/** `ours` with what a workflow that is there says under these keys, job by job. */
export function withPlacesOf(there: string, ours: string, keys: readonly PlaceKey[] = PLACE_KEYS): KeptPlaces {
  const nameOf = (place: JobPlace | undefined) => place && `${place.job} ${place.key}`;
  const found = Map.groupBy(jobLines(withPlainEnds(there)), (line) => nameOf(placeOf(line, keys)));
  const setBack: JobPlace[] = [];
  const lines = jobLines(ours).map((line) => {
    const place = placeOf(line, keys);
    const [only, ...more] = place === undefined ? [] : (found.get(nameOf(place)) ?? []);
    if (place === undefined || only === undefined) return line.text;
    const kept = withoutEnd(only.text);
    if (more.length === 0 && withoutPlace(kept) !== kept) return kept;
    setBack.push(place);
    return line.text;
  });
  return { text: lines.join('\n'), setBack };
}

function placeOf({ job, text }: JobLine, keys: readonly PlaceKey[]): JobPlace | undefined {
  const key = keys.find((one) => text.startsWith(`    ${one}:`));
  return job === undefined || key === undefined ? undefined : { key, job };
}

interface JobLine {
  readonly job: string | undefined;
  readonly text: string;
}

/** Each with the job that it stands in, as the files of ours are indented. */
function jobLines(text: string): readonly JobLine[] {
  let isAmongJobs = false;
  let job: string | undefined;
  return text.split('\n').map((line) => {
    const [, name] = /^ {2}([\w-]+): *$/.exec(line) ?? [];
    if (/^[^\s#]/.test(line)) {
      isAmongJobs = /^jobs: *$/.test(line);
      job = undefined;
    } else if (isAmongJobs && name !== undefined) job = name;
    return { job, text: line };
  });
}
