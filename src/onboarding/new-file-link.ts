/** GitHub's page for a new file, filled in: what is committed there comes from a person. Pure. */

export interface NewFile {
  /** Where people see the repository. */
  readonly url: string;
  readonly branch: string;
  readonly path: string;
  readonly text: string;
}

/** Source: https://docs.github.com/repositories/working-with-files/managing-files/creating-new-files */
export function newFileLink({ url, branch, path, text }: NewFile): string {
  const place = branch.split('/').map(encodeForLink).join('/');
  return `${url}/new/${place}?filename=${encodeForLink(path)}&value=${encodeForLink(text)}`;
}

/** Brackets would end a link in Markdown. */
function encodeForLink(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[()'!*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
