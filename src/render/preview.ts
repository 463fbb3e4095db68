/** What people would be asked about an issue, told before any loop starts. Pure. */
import { code, fitted, inlined } from '../documents/markdown.ts';
import { questionText, type ShownQuestion } from './questions.ts';
import { type ModelFacts, scriptedNote } from './words.ts';

export interface Preview {
  readonly issue: { readonly number: number; readonly title: string };
  readonly questions: readonly Omit<ShownQuestion, 'number'>[];
  /** What the call took; undefined where nobody stated a price. */
  readonly usd: number | undefined;
  readonly model: ModelFacts;
}

export function previewComment({ issue, questions, usd, model }: Preview): string {
  const about = `#${issue.number} (${inlined(issue.title)})`;
  const cost = usd === undefined ? 'at an unknown price' : `for ${usd.toFixed(4)} USD`;
  return fitted([
    {
      text:
        questions.length === 0
          ? `**A preview: nothing would be asked about ${about}**; its requirement would be written at once.`
          : `**A preview: this would be asked about ${about}.** Nobody has to answer it here.`,
    },
    ...questions.map((question, index) => ({
      name: `question ${index + 1}`,
      text: questionText({ ...question, number: index + 1 }),
    })),
    ...scriptedNote(model).map((text) => ({ text })),
    { text: `Asked of ${code(model.name)} once, ${cost}. No loop was started.` },
  ]);
}

export function noPreview(reason: string): string {
  return `There is no preview of questions: ${inlined(reason)}`;
}
