/** How text that others wrote stands in a prompt: between marks, so that no sentence in it counts as an instruction. Pure. */
import { digestOf } from './digest.ts';

export interface Material {
  readonly name: string;
  /** Provenance, for example `issue #12, written by @alice`. */
  readonly source: string;
  readonly text: string;
}

/** The end mark holds a digest of the text, so the text cannot close its own block. */
export function markedMaterial({ name, source, text }: Material): string {
  const mark = digestOf(text).slice('sha256:'.length, 'sha256:'.length + 12);
  return `<<<MATERIAL ${mark} "${name}" from ${source.replaceAll('\n', ' ')}\n${text.trimEnd()}\nMATERIAL ${mark}>>>`;
}
