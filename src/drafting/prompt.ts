/** How a prompt is laid out: skills in the system message, material in delimited blocks of the user message. Pure. */
import { digestOf } from '../guard/digest.ts';

/** A piece of material and who it comes from. */
export interface Block {
  readonly name: string;
  /** Provenance, for example `issue #12, written by @alice`. */
  readonly source: string;
  readonly text: string;
}

/** The system message: the ground rules, then the skills of the chain, in order. Nothing from outside belongs here. */
export function systemOf(skills: readonly { readonly name: string; readonly text: string }[]): string {
  return skills.map(({ name, text }) => `<skill name="${name}">\n${text.trim()}\n</skill>`).join('\n\n');
}

/** The user message. A block's end mark holds a digest of its text, so the text cannot close its own block. */
export function userOf(task: string, blocks: readonly Block[]): string {
  return [...blocks.map(blockText), task].join('\n\n');
}

function blockText({ name, source, text }: Block): string {
  const mark = digestOf(text).slice('sha256:'.length, 'sha256:'.length + 12);
  return `<<<MATERIAL ${mark} "${name}" from ${source.replaceAll('\n', ' ')}\n${text.trimEnd()}\nMATERIAL ${mark}>>>`;
}
