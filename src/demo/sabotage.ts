/** What a visitor may have broken to see it refused: the demo's script with one lie in it, labelled as such wherever it shows. */
import { z } from 'zod';
import type { Script } from './script.ts';

interface Sabotage {
  /** What is done, as a clause. */
  readonly does: string;
  readonly broken: (script: Script) => Script;
}

/** Right for the names, so that it looks right; the messages are never searched. */
const HALF_A_SEARCH = `/** The entries whose name or message contains the text, upper or lower case; all of them for an empty text. */
export function matching(entries, text) {
  const wanted = text.toLowerCase();
  return entries.filter(({ name }) => name.toLowerCase().includes(wanted));
}
`;

const designs = z.array(z.looseObject({ files: z.array(z.object({ path: z.string(), content: z.string() })) }));

export const SABOTAGES = {
  product: {
    does: 'every build searches the names only and says that it searches the messages too',
    broken: (script) => ({
      ...script,
      tasks: {
        ...script.tasks,
        'T-1': (script.tasks['T-1'] ?? []).map((steps) =>
          steps.map((step) => (step.path === 'src/search.js' ? { ...step, content: HALF_A_SEARCH } : step)),
        ),
      },
    }),
  },
  test: {
    does: 'the acceptance tests assert nothing, so that any code passes them',
    broken: (script) => ({
      ...script,
      answers: {
        ...script.answers,
        'acceptance-tests': designs.parse(script.answers['acceptance-tests']).map((design) => ({
          ...design,
          files: design.files.map(({ path, content }) => ({ path, content: emptied(content) })),
        })),
      },
    }),
  },
} as const satisfies Readonly<Record<string, Sabotage>>;
export type SabotageName = keyof typeof SABOTAGES;

/** Each test as it was called, and nothing in it that could fail. */
function emptied(content: string): string {
  return content.replaceAll(/^(test\('.*', async \(\) => \{\n)[\s\S]*?^\}\);/gm, '$1  assert.ok(true);\n});');
}

export function isSabotage(name: string): name is SabotageName {
  return Object.hasOwn(SABOTAGES, name);
}
