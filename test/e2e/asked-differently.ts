/** The demo's answers without their mistake, and what its builder does when a reviewer wants two things different. */
import type { Script } from '../../src/demo/script.ts';
import { withoutMistake } from './without-mistake.ts';

/** What is wanted, in the words of the reviewer and in those of the code. */
export const WANTED = [
  {
    path: 'src/search.js',
    body: 'Spaces around the text should not matter.',
    was: 'text.toLowerCase()',
    is: 'text.trim().toLowerCase()',
  },
  {
    path: 'src/page.js',
    body: 'Say what is searched.',
    was: 'aria-label="Search"',
    is: 'aria-label="Search the guestbook"',
  },
] as const;

/** From its second iteration on the builder does what was asked. */
export function asAsked(script: Script): Script {
  const right = withoutMistake(script);
  const again = (steps: Script['tasks'][string][number]) =>
    steps.map((step) => {
      const { content } = step;
      const wanted = WANTED.find(({ path }) => path === step.path);
      return wanted === undefined || typeof content !== 'string'
        ? step
        : { ...step, content: content.replace(wanted.was, wanted.is) };
    });
  const tasks = Object.entries(right.tasks).map(([id, tries]) => [id, [...tries, ...tries.map(again)]]);
  return { ...right, tasks: Object.fromEntries(tasks) };
}
