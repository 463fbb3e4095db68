/** What an event of a stream adds to the answer: each dialect calls it `delta`, and has ids and types beside it. */

export interface Delta {
  /** Where in the answer, so that what is said at one place can be joined: `choices[0].delta.content`. */
  readonly place: string;
  readonly text: string;
}

export function deltasIn(event: unknown): readonly Delta[] {
  const found: Delta[] = [];
  collect({ value: event, place: typeOf(event), isAdded: false }, found);
  return found;
}

interface Part {
  readonly value: unknown;
  readonly place: string;
  /** Whether it stands within a `delta`. */
  readonly isAdded: boolean;
}

function collect(part: Part, found: Delta[]): void {
  const { value, place, isAdded } = part;
  if (typeof value !== 'string') for (const inner of partsOf(part)) collect(inner, found);
  else if (isAdded) found.push({ place, text: value });
}

function partsOf({ value, place, isAdded }: Part): readonly Part[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value))
    return value.map((item: unknown, position) => ({
      value: item,
      place: hasIndex(item) ? place : `${place}[${position}]`,
      isAdded,
    }));
  const members = Object.entries(value);
  const here = `${place}${indexesOf(members)}`;
  return members.map(([key, member]) => ({
    value: member,
    place: here === '' ? key : `${here}.${key}`,
    isAdded: isAdded || key === 'delta',
  }));
}

/** An item that says which one it is stands alone in its list, whichever it is. */
function hasIndex(item: unknown): boolean {
  return typeof item === 'object' && item !== null && 'index' in item && typeof item.index === 'number';
}

/** `index` of chat completions and messages, `output_index`, `content_index` and others of responses. */
function indexesOf(members: readonly (readonly [string, unknown])[]): string {
  return members
    .flatMap(([key, index]) => (key.endsWith('index') && typeof index === 'number' ? [`[${index}]`] : []))
    .join('');
}

/** Of responses a word and a tool's arguments are both called `delta`, in events of different types. */
function typeOf(event: unknown): string {
  const isTyped = typeof event === 'object' && event !== null && 'type' in event;
  return isTyped && typeof event.type === 'string' ? event.type : '';
}
