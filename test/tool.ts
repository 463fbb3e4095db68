/** How a program below `test/` is asked: its usage after `--help`; one sentence and exit code 2 for what it does not understand. */
import { parseArgs } from 'node:util';
import { complaintAbout, type Option } from '../src/cli/command.ts';

export interface Tool<Flag extends string, Count extends string> {
  /** As in `npm run <name>`. */
  readonly name: string;
  readonly summary: string;
  /** Options without a value, and what each is for. */
  readonly flags: Readonly<Record<Flag, string>>;
  /** Options that take a whole number from 1 on. */
  readonly counts: Readonly<Record<Count, { readonly preset: number; readonly description: string }>>;
}

export interface Asked<Flag extends string, Count extends string> {
  readonly flag: (name: Flag) => boolean;
  readonly count: (name: Count) => number;
}

/** What the program is asked for; where that is its usage, or cannot be understood, the process ends. */
export function asked<Flag extends string, Count extends string>(
  tool: Tool<Flag, Count>,
  argv: readonly string[] = process.argv.slice(2),
): Asked<Flag, Count> {
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(usageOf(tool));
    process.exit(0);
  }
  const complaint = complaintAbout(argv, optionsOf(tool), 0) ?? aboutCounts(tool, valuesOf(tool, argv));
  if (complaint !== undefined) {
    process.stderr.write(`${tool.name}: ${complaint}; \`npm run ${tool.name} -- --help\` shows how it is used.\n`);
    process.exit(2);
  }
  const values = valuesOf(tool, argv);
  return {
    flag: (name) => values[name] === true,
    count: (name) => Number(values[name] ?? tool.counts[name].preset),
  };
}

function optionsOf({ flags, counts }: Tool<string, string>): Readonly<Record<string, Option>> {
  const rows = [
    ...Object.entries(counts).map(([name, { description }]) => [name, { type: 'string', description }] as const),
    ...Object.entries(flags).map(([name, description]) => [name, { type: 'boolean', description }] as const),
  ];
  return Object.fromEntries(rows);
}

function valuesOf(tool: Tool<string, string>, argv: readonly string[]) {
  return parseArgs({ args: [...argv], options: optionsOf(tool) }).values;
}

function aboutCounts({ counts }: Tool<string, string>, values: Readonly<Record<string, unknown>>): string | undefined {
  const wrong = Object.keys(counts).find(
    (name) => values[name] !== undefined && !/^[1-9]\d{0,8}$/.test(`${values[name]}`),
  );
  return wrong === undefined ? undefined : `--${wrong} takes a whole number from 1 on, and got "${values[wrong]}"`;
}

function usageOf({ name, summary, flags, counts }: Tool<string, string>): string {
  const rows = [
    ...Object.entries(counts).map(([count, { preset, description }]) => [
      `--${count} N`,
      `${description}; ${preset} by default`,
    ]),
    ...Object.entries(flags).map(([flag, description]) => [`--${flag}`, description]),
  ];
  const lines = rows.map(([option = '', description]) => `  ${option.padEnd(14)} ${description}`);
  return [`npm run ${name} [-- options]`, '', summary, '', ...lines, ''].join('\n');
}
