/** Looks at the machine's processes through /proc; where there is none, every answer is empty. */
import { readdirSync, readFileSync } from 'node:fs';

/** Every process below this one, at this moment; read at once, as killing a parent makes its children strangers. */
export function descendantsOf(roots: readonly number[]): number[] {
  const parents = new Map(processIds().map((processId) => [processId, parentOf(processId)]));
  const found = new Set(roots);
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [processId, parent] of parents) if (parent !== undefined && found.has(parent)) found.add(processId);
  }
  return [...found].filter((processId) => !roots.includes(processId));
}

/** Every living process that was started with this variable in its environment, except this program. */
export function processesWith(variable: string): number[] {
  return processIds().filter(
    (processId) => processId !== process.pid && textOf(processId, 'environ').split('\0').includes(variable),
  );
}

function processIds(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** The fourth field of `stat`; the second, the program's name, may contain anything. */
function parentOf(processId: number): number | undefined {
  const fields = textOf(processId, 'stat').split(') ').at(-1)?.split(' ') ?? [];
  return fields[1] === undefined ? undefined : Number(fields[1]);
}

/** A process may end, or belong to somebody else, between the listing and this look. */
function textOf(processId: number, file: 'environ' | 'stat'): string {
  try {
    return readFileSync(`/proc/${processId}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
