/** Chance that derives from the seed alone: the same seed gives the same numbers in the same order. */
import { randomOf } from '../../loop/random-walk.ts';

export interface Random {
  /** In [0, 1). */
  readonly unit: () => number;
  readonly chance: (probability: number) => boolean;
  readonly between: (least: number, most: number) => number;
  /** Whole numbers, both ends included. */
  readonly integer: (least: number, most: number) => number;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  /** One of the rows, by their weights; undefined when all weigh nothing. */
  readonly weighted: <Row extends { readonly weight: number }>(rows: readonly Row[]) => Row | undefined;
  /** Often short, sometimes long: how long things take. */
  readonly around: (mean: number) => number;
}

export function createRandom(seed: number): Random {
  const unit = randomOf(seed);
  const between = (least: number, most: number): number => least + (most - least) * unit();
  const integer = (least: number, most: number): number => Math.floor(between(least, most + 1));
  return {
    unit,
    between,
    integer,
    chance: (probability) => unit() < probability,
    pick(items) {
      const item = items[integer(0, items.length - 1)];
      if (item === undefined) throw new RangeError('There is nothing to pick from.');
      return item;
    },
    weighted(rows) {
      const total = rows.reduce((sum, { weight }) => sum + weight, 0);
      let left = unit() * total;
      return rows.find(({ weight }) => {
        left -= weight;
        return left < 0;
      });
    },
    around: (mean) => -Math.log(1 - unit()) * mean,
  };
}
