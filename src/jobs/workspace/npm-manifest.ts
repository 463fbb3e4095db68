/** What a package.json asks for. Pure: texts in, sentences out. */
import { z } from 'zod';
import { parseJson } from '../report/json.ts';

const specs = z.record(z.string(), z.unknown());
const manifest = z.looseObject({
  dependencies: specs.optional(),
  devDependencies: specs.optional(),
  optionalDependencies: specs.optional(),
  peerDependencies: specs.optional(),
  overrides: specs.optional(),
});

/** A range of versions, or a tag, of a package in a registry, perhaps under another name; or, in an override, what another line says. */
const SPEC = /^(?:npm:(?:@[\w.-]+\/)?[\w.-]+(?:@|$))?[\w\s.*^~<>=|+-]*$|^\$(?:@[\w.-]+\/)?[\w.-]+$/;

/** What a manifest asks for that no registry keeps, as a folder, an address or git, and that the base's manifest does not ask for: a clause each. */
export function strangeSpecs(before: string, after: string): readonly string[] {
  const known = new Set(specsIn(before));
  return specsIn(after).flatMap((line) => {
    const spec = line.slice(line.indexOf(' ') + 1);
    return SPEC.test(spec) || known.has(line) ? [] : `it asks for \`${line}\`, which no registry keeps`;
  });
}

/** Whether a manifest asks for any package. */
export function asksForPackages(text: string): boolean {
  return specsIn(text).length > 0;
}

/** `name spec`, of all kinds of dependencies. */
function specsIn(text: string): readonly string[] {
  const parsed = manifest.safeParse(parseJson(text));
  if (!parsed.success) return [];
  const { dependencies, devDependencies, optionalDependencies, peerDependencies, overrides } = parsed.data;
  return [dependencies, devDependencies, optionalDependencies, peerDependencies, overrides].flatMap((one) =>
    one === undefined ? [] : leavesOf(one),
  );
}

function leavesOf(named: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(named).flatMap(([name, value]) => {
    if (typeof value === 'string') return `${name} ${value}`;
    const inner = specs.safeParse(value);
    return inner.success ? leavesOf(inner.data) : [];
  });
}
