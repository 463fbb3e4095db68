/** Whether a file of the product can be loaded by itself, with a fault as without. */
import { type Fault, withFault } from '../../syntax/faults.ts';
import type { Bench } from '../workspace/environment.ts';
import { onTreeCopy } from '../workspace/trees.ts';
import { onChanged, type Work } from './trial.ts';

/** A test that asserts whether a file loads would notice a fault that it cannot load with; what never loads by itself cannot be judged so. */
export async function loadsWith(work: Work, fault: Fault, text: string): Promise<boolean> {
  const { bench, trees } = work;
  const changed = new Map([[fault.file, withFault(text, fault)]]);
  const loads = await onChanged(work, changed, (copy) => loadsIn(bench, copy, fault.file));
  return loads === true || !(await onTreeCopy(bench, trees.head, (copy) => loadsIn(bench, copy, fault.file)));
}

const LONGEST_LOAD_MS = 5000;

/** One that takes long has begun its work, so it counts as loaded. */
async function loadsIn({ brief, environment }: Bench, tree: string, path: string): Promise<boolean> {
  const { sandbox } = environment;
  const { exitCode, timedOut } = await sandbox.run({
    argv: path.endsWith('.py') ? importInPython(path) : importInNode(sandbox.node, path),
    directory: tree,
    env: { CI: 'true', PYTHONDONTWRITEBYTECODE: '1' },
    timeoutMs: LONGEST_LOAD_MS,
    outputBytes: brief.limits.outputBytes,
  });
  return timedOut || exitCode === 0;
}

function importInPython(path: string): readonly string[] {
  const text = 'import importlib, sys; sys.path.insert(0, "."); importlib.import_module(sys.argv[1])';
  return ['python3', '-c', text, path.replace(/(?:\/__init__)?\.py$/, '').replaceAll('/', '.')];
}

function importInNode(node: string, path: string): readonly string[] {
  const text = `import(${JSON.stringify(`./${path}`)}).then(() => process.exit(0), () => process.exit(1));`;
  return [node, '--input-type=module', '-e', text];
}
