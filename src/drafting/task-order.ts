/** The order of tasks by their dependencies. Pure. */
import type { Task } from '../documents/documents.ts';

type Node = Pick<Task, 'id' | 'dependsOn'>;

/** Ids of tasks that wait, directly or not, for themselves. Dependencies that do not exist are ignored here. */
export function tasksInCycles(tasks: readonly Node[]): ReadonlySet<string> {
  const dependencies = new Map(tasks.map(({ id, dependsOn }) => [id, dependsOn]));
  return new Set(tasks.map(({ id }) => id).filter((id) => reachable(id, dependencies).has(id)));
}

/** Everything that a task waits for. */
function reachable(start: string, dependencies: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [...(dependencies.get(start) ?? [])];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    open.push(...(dependencies.get(id) ?? []));
  }
  return found;
}
