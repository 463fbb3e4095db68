/** The repository's own linter, type checker and scanner, as far as its configuration names them. Pure. */
import { z } from 'zod';

export const toolName = z.enum(['lint', 'types', 'scan']);
export type ToolName = z.infer<typeof toolName>;

/** As the configuration and a brief have them. */
const command = z.string().nullish();
export const toolCommands = { lint: command, types: command, scan: command };

interface WithCommands {
  readonly commands: Readonly<Partial<Record<ToolName, z.infer<typeof command>>>>;
}

interface Tool {
  /** The gate that reads how many findings a candidate adds, and the measurement. */
  readonly measures: string;
  readonly commandIn: (settings: WithCommands) => z.infer<typeof command>;
}

export const TOOLS: Readonly<Record<ToolName, Tool>> = {
  lint: { measures: 'lint_findings', commandIn: ({ commands }) => commands.lint },
  types: { measures: 'type_findings', commandIn: ({ commands }) => commands.types },
  scan: { measures: 'scan_findings', commandIn: ({ commands }) => commands.scan },
};

/** Those that VERIFY runs. */
export function toolsOf(settings: WithCommands): readonly ToolName[] {
  return toolName.options.filter((name) => typeof TOOLS[name].commandIn(settings) === 'string');
}
