/** Whether the comments of one review tell which lines they are about. */
import { type Finding, ok, wrong } from '../doctor/finding.ts';
import { TELL } from './probe.ts';
import { ownFile, pullFor, type Scratch, settled } from './scratch.ts';

/** Neither the first nor the last of the file. */
const LINE = 2;

export async function tellsLines(scratch: Scratch): Promise<Finding> {
  const { github, probing, repository } = scratch;
  const { number } = await pullFor(scratch, 'review');
  const { path } = ownFile(scratch);
  const asked = { path, line: LINE, body: 'About this line.' };
  const id = await probing.review(repository, number, asked);
  const isAsked = (one: { readonly file: string; readonly line?: number | undefined } | undefined): boolean =>
    one?.file === path && one.line === LINE;
  const told = await settled(scratch, async () => (await github.reviewComments(repository, number, id))[0], isAsked);
  if (told === undefined) return wrong('The comment of a review is not among the comments of that review.', TELL);
  return isAsked(told)
    ? ok(`The comment of a review on line ${LINE} tells its line.`)
    : wrong(
        `The comment of a review on line ${LINE} of ${path} tells line ${told.line ?? 'of none'} of ${told.file}.`,
        'Name the line in the words of the comment; tell the maintainers.',
      );
}
