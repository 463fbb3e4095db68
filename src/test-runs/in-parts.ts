/** Finds for which of many things something holds that costs a run to ask, but can be asked of many at once. */

/** How often it is asked; what is left then counts as one of which it does not hold. */
const MOST_TRIES = 40;

/** Those that hold in a whole part; a part that does not hold is looked at by halves. */
export async function holdingInParts<Thing>(
  things: readonly Thing[],
  holds: (part: readonly Thing[]) => Promise<boolean>,
): Promise<ReadonlySet<Thing>> {
  const found: Thing[] = [];
  const parts = things.length === 0 ? [] : [things];
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const part = parts.shift();
    if (part === undefined) break;
    if (await holds(part)) found.push(...part);
    else if (part.length > 1) parts.push(...halvesOf(part));
  }
  return new Set(found);
}

function halvesOf<Thing>(things: readonly Thing[]): readonly (readonly Thing[])[] {
  const middle = Math.ceil(things.length / 2);
  return [things.slice(0, middle), things.slice(middle)];
}
