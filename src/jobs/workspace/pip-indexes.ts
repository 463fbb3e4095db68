/** The indexes that the base's `requirements.txt` names, and no other, are asked for what is added. Pure: text in, pip's options out. */
import { linesOf, shown } from './pip-requirements.ts';

/** Where pip looks when nobody says otherwise, and where that index keeps its files. */
const INDEX = 'https://pypi.org/simple';
const FILES_OF_INDEX = 'https://files.pythonhosted.org/';

/** pip takes each option by its first letters too. */
const NAMED = /(?:^| )(-i|--i[a-z-]*|--py[a-z-]*|--ex[a-z-]*)[= ]?(\S+)/g;
const TRUSTED = /(?:^| )--t[a-z-]*[= ](\S+)/g;

/** What a text says of where packages come from. */
export interface Indexes {
  /** pip's options that name them. */
  readonly options: readonly string[];
  /** Addresses on the hosts that are asked. */
  readonly addresses: readonly string[];
  /** Why more cannot come from there, a clause each. */
  readonly strange: readonly string[];
}

/** The indexes that a text names, without who asks there; pip's own where it names none in its place. */
export function indexesOf(text: string): Indexes {
  const lines = linesOf(text).filter((line) => line.startsWith('-'));
  const named = lines.flatMap((line) =>
    [...line.matchAll(NAMED)].map(([, option = '', address = '']) => ({ option, address })),
  );
  const isExtra = ({ option }: { readonly option: string }) => option.startsWith('--ex');
  const index = named.filter((one) => !isExtra(one)).at(-1)?.address ?? INDEX;
  const extra = named.filter(isExtra).map(({ address }) => address);
  const trusted = lines.flatMap((line) => [...line.matchAll(TRUSTED)].map(([, host = '']) => host));
  const addresses = [index, ...extra].map(withoutPerson);
  const [first = INDEX, ...others] = addresses.filter((address) => address !== undefined);
  const ofIndex = addresses.some((address) => address?.startsWith('https://pypi.org/')) ? [FILES_OF_INDEX] : [];
  return {
    options: [
      ...['--index-url', first],
      ...others.flatMap((address) => ['--extra-index-url', address]),
      ...trusted.flatMap((host) => ['--trusted-host', host]),
    ],
    addresses: [first, ...others, ...ofIndex],
    strange: [
      ...[index, ...extra]
        .filter((address) => withoutPerson(address) === undefined)
        .map((address) => `the base names the index ${shown(address)}, which is no plain address`),
      ...lines
        .filter((line) => CLOSED.test(line))
        .map((line) => `the base has ${shown(line)}, beside which nothing is added by a candidate`),
    ],
  };
}

/** It asks no index, or is told more in other files, which may name another. */
const CLOSED = /(?:^| )(?:--no-i|--r(?!equire-h)|--c|-r|-c)/;

function withoutPerson(address: string): string | undefined {
  if (!/^https?:/.test(address) || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  url.username = '';
  url.password = '';
  // What pip would put in from its environment nobody has here.
  return /\$\{|%7B/i.test(url.href) ? undefined : url.href;
}
