/** Networks of their own for processes, joined two by two, as machines are that reach nothing else. Needs root, and iproute2. */
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

/** Between two parties; undefined is the test itself. */
export type Link = readonly [string, string | undefined];

export interface Namespaces {
  /** A program and its arguments, to be started in the party's network. */
  readonly within: (party: string, argv: readonly string[]) => readonly [string, ...string[]];
  /** Where the test reaches the party. */
  readonly addressOf: (party: string) => string;
  /** Where others reach the party, and whoever is not joined to it would. */
  readonly addressesOf: (party: string) => readonly string[];
  readonly close: () => Promise<void>;
}

const ETC = '/etc/netns';
/** What is sent from the ports of servers finds no way out; whoever asks does so from the ports above. */
const NO_ANSWERS = ['pref', '10', 'ipproto', 'tcp', 'sport', '1-32767', 'prohibit'];

/** Each party is called `<name>.test`, by those that are joined to it and by itself. One that is `silent` asks, and answers nobody, as a machine behind a router. */
export async function createNamespaces(
  parties: readonly string[],
  links: readonly Link[],
  silent: readonly string[] = [],
): Promise<Namespaces> {
  const mark = `lw${process.pid % 100_000}`;
  const spaceOf = (party: string) => `${mark}-${party}`;
  const outside = new Map<string, string>();
  const addresses = new Map<string, readonly string[]>();
  const addressesOf = (party: string) => addresses.get(party) ?? [];
  const hosts = new Map(parties.map((party) => [party, [`127.0.0.1 localhost ${party}.test`]]));
  const close = () => remove(parties.map(spaceOf));
  await removeLeft();
  const net = await freeNet();
  try {
    for (const party of parties) {
      await execa('ip', ['netns', 'add', spaceOf(party)]);
      await execa('ip', ['-n', spaceOf(party), 'link', 'set', 'lo', 'up']);
    }
    for (const [index, [one, other]] of links.entries()) {
      const [near, far] = [`${mark}a${index}`, `${mark}b${index}`];
      const [nearAddress, farAddress] = [`${net}.${index}.1`, `${net}.${index}.2`];
      await execa('ip', ['link', 'add', near, 'type', 'veth', 'peer', 'name', far]);
      await joined(near, spaceOf(one), nearAddress);
      await joined(far, other === undefined ? undefined : spaceOf(other), farAddress);
      addresses.set(one, [...addressesOf(one), nearAddress]);
      if (other === undefined) outside.set(one, nearAddress);
      else {
        addresses.set(other, [...addressesOf(other), farAddress]);
        hosts.get(one)?.push(`${farAddress} ${other}.test`);
        hosts.get(other)?.push(`${nearAddress} ${one}.test`);
      }
    }
    for (const party of silent) await execa('ip', ['-n', spaceOf(party), 'rule', 'add', ...NO_ANSWERS]);
    for (const [party, lines] of hosts) {
      await mkdir(join(ETC, spaceOf(party)), { recursive: true });
      await writeFile(join(ETC, spaceOf(party), 'hosts'), `${lines.join('\n')}\n`);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    within: (party, argv) => ['ip', 'netns', 'exec', spaceOf(party), ...argv],
    addressOf: (party) => outside.get(party) ?? '',
    addressesOf,
    close,
  };
}

/** Two bytes of addresses that nobody has here: another test may run at the same time, and both are reached from this machine. */
async function freeNet(): Promise<string> {
  const { stdout } = await execa('ip', ['-4', '-o', 'address']);
  const nets = Array.from({ length: 100 }, (_, step) => `10.${100 + ((process.pid + step) % 100)}`);
  const free = nets.find((net) => !stdout.includes(` ${net}.`));
  if (free === undefined) throw new Error('every net of addresses from 10.100 to 10.199 is taken');
  return free;
}

async function remove(spaces: readonly string[]): Promise<void> {
  for (const space of spaces) {
    await execa('ip', ['netns', 'del', space], { reject: false });
    await rm(join(ETC, space), { recursive: true, force: true });
  }
}

/** What a test that was killed has left would answer at the same addresses. */
async function removeLeft(): Promise<void> {
  const { stdout } = await execa('ip', ['netns', 'list']);
  const left = stdout.matchAll(/^(lw(\d+)-\S+)/gm).filter(([, , pid]) => !existsSync(`/proc/${pid}`));
  await remove([...left].map(([, space = '']) => space));
}

async function joined(device: string, space: string | undefined, address: string): Promise<void> {
  const at = space === undefined ? [] : ['-n', space];
  if (space !== undefined) await execa('ip', ['link', 'set', device, 'netns', space]);
  await execa('ip', [...at, 'address', 'add', `${address}/24`, 'dev', device]);
  await execa('ip', [...at, 'link', 'set', device, 'up']);
}
