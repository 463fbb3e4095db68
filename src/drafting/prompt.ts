/** How a prompt is laid out: skills in the system message, material in delimited blocks of the user message. Pure. */
import { type Material, markedMaterial } from '../guard/material.ts';

/** A piece of material and who it comes from. */
export type Block = Material;

/** The system message: the ground rules, then the skills of the chain, in order. Nothing from outside belongs here. */
export function systemOf(skills: readonly { readonly name: string; readonly text: string }[]): string {
  return skills.map(({ name, text }) => `<skill name="${name}">\n${text.trim()}\n</skill>`).join('\n\n');
}

/** The user message: the material, each block between its marks, and then the task. */
export function userOf(task: string, blocks: readonly Block[]): string {
  return [...blocks.map(markedMaterial), task].join('\n\n');
}
