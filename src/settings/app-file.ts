/** `app.yml`: what the GitHub App is called, what it may do and what it hears, each with the reason that stands above it. */
import { readFile } from 'node:fs/promises';
import { isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { z } from 'zod';
import { packageFile } from './package-root.ts';

const appFile = z.object({
  name: z.string(),
  description: z.string(),
  url: z.url(),
  default_permissions: z.record(z.string(), z.string()),
  default_events: z.array(z.string()),
});

/** Reasons by what they are for; several in a row that share one have it at the first. */
type Reasons = ReadonlyMap<string, string>;

export interface AppFile {
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly permissions: Readonly<Record<string, string>>;
  readonly events: readonly string[];
  readonly reasons: { readonly permissions: Reasons; readonly events: Reasons };
}

export async function readAppFile(): Promise<AppFile> {
  const document = parseDocument(await readFile(packageFile('app.yml'), 'utf8'));
  const { default_permissions: permissions, default_events: events, ...rest } = appFile.parse(document.toJS());
  const reasons = {
    permissions: reasonsIn(document.get('default_permissions', true)),
    events: reasonsIn(document.get('default_events', true)),
  };
  return { ...rest, permissions, events, reasons };
}

/** The parser has what stands above the first entry as the comment of the whole. */
function reasonsIn(node: unknown): Reasons {
  if (!isMap(node) && !isSeq(node)) return new Map();
  const entries = isMap(node) ? node.items.map(({ key }) => key) : node.items;
  const found = entries.flatMap((entry, index) => {
    const comment = isScalar(entry)
      ? (entry.commentBefore ?? (index === 0 ? node.commentBefore : undefined))
      : undefined;
    return isScalar(entry) && comment ? [[String(entry.value), sentenceOf(comment)] as const] : [];
  });
  return new Map(found);
}

function sentenceOf(comment: string): string {
  return comment.replaceAll(/\s+/g, ' ').trim();
}
