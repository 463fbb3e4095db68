/** Whether a file of a repository is one that we wrote, but for what people may say in it. Pure. */

const LABEL = String.raw`(?:'[\w.-]+'|"[\w.-]+"|[\w.-]+)`;
const LABELS = String.raw`(?:${LABEL}|\[ *${LABEL}(?: *, *${LABEL})* *\])`;
const MACHINES = String.raw`(?:${LABELS}|\{ *(?:group|labels): *${LABELS}(?:, *(?:group|labels): *${LABELS})? *\}|\$\{\{ *vars\.\w+ *\}\})`;

/** Of a job: a value that ends where its line does. Whatever else stands there may be read as more than that. */
const PLACE = new RegExp(
  String.raw`^( {4}(?:runs-on(?=: ${MACHINES}(?: +#|$))|timeout-minutes(?=: \d{1,5}(?: +#|$)))):.*$`,
);

/** What some readers of YAML take for the end of a line, and others do not. */
const OTHER_ENDS = /[\p{Cc}\u2028\u2029]/u;

/** No line that is compared can hold it. */
const TAKEN_OUT = '\0';

/** As git writes it on Windows, and as YAML reads it. */
export function withPlainEnds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Whether a workflow is `ours` with other machines, other times and other remarks. In an action, whose lines are a shell's, none of that is a remark. */
export function isMoved(there: string, ours: string): boolean {
  const bare = withoutPlaces(there);
  return bare !== undefined && bare === withoutPlaces(ours);
}

/** No text of ours goes over several lines, so that what begins with `#` is a remark. Undefined where it cannot be told what is a line. */
function withoutPlaces(text: string): string | undefined {
  const lines = withPlainEnds(text).split('\n');
  if (lines.some((line) => OTHER_ENDS.test(line))) return undefined;
  return lines
    .filter((line) => !/^ *(?:#|$)/.test(line))
    .map((line) => line.replace(PLACE, `$1${TAKEN_OUT}`))
    .join('\n');
}
