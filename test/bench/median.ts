/** The middle of measured values. */
export function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] ?? Number.NaN;
}
