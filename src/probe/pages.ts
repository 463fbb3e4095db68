/** Whether GitHub's page for a new file takes name and text from its address; a person has to open it. */
import { type Finding, ok, unknown, wrong } from '../doctor/finding.ts';
import { newFileLink } from '../onboarding/new-file-link.ts';
import { branchFor, commitOn, type Scratch, within } from './scratch.ts';

/** What an address has to spell otherwise. */
const text = (mark: string): string => `# The probe ${mark}: a + b & c = "d" # e
name: 'Größe & Maß'
run: |
  echo "100 % of <it>?" && echo 'ä ö ü ß'
`;

export async function prefilledPage(scratch: Scratch): Promise<Finding> {
  const { github, repository, mark, say, hasPerson, longPatienceMs } = scratch;
  if (!hasPerson)
    return unknown(
      'What the page for a new file is filled in with, only a person sees.',
      'Say --person where somebody is there to open a link and commit.',
    );
  const branch = branchFor(scratch, 'page');
  await commitOn(scratch, `refs/heads/${branch}`);
  const path = `loopwright-probe-${mark}.yml`;
  const { url } = await github.repository(repository);
  const minutes = Math.max(1, Math.round(longPatienceMs / 60_000));
  say(
    `Within ${minutes} min, open this page, change nothing, and commit to ${branch}: ${newFileLink({ url, branch, path, text: text(mark) })}`,
  );
  const found = await within({ ...scratch, patienceMs: longPatienceMs }, () => github.file(repository, path, branch));
  if (found === undefined)
    return unknown(`${path} did not come to ${branch} within ${minutes} min.`, 'Probe again, and commit it.');
  const difference = firstDifference(text(mark), found);
  return difference === undefined
    ? ok(`The page for a new file on ${branch} had the name and every character of the text.`)
    : wrong(
        `The page for a new file changed the text: ${difference}.`,
        'Tell the maintainers; until then copy the workflow files by `loopwright init`.',
      );
}

const SHOWN = 20;

function firstDifference(sent: string, found: string): string | undefined {
  if (sent === found) return undefined;
  const [wanted, came] = [[...sent], [...found]];
  const at = wanted.findIndex((letter, index) => letter !== came[index]);
  const place = at === -1 ? wanted.length : at;
  const shown = (letters: readonly string[]): string => JSON.stringify(letters.slice(place, place + SHOWN).join(''));
  const line = wanted.slice(0, place).filter((letter) => letter === '\n').length + 1;
  return `in line ${line} ${shown(wanted)} became ${shown(came)}`;
}
