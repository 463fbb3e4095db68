/** Tells the embedded GitHub that its App is installed on a repository, with the secret of the printed address. */
import { LoopError } from '../errors.ts';

export interface Installing {
  readonly githubUrl: string;
  readonly key: string;
  /** `owner/name` of the repository. */
  readonly fullName: string;
}

/** The App hears of it as of any installation. @throws {LoopError} when it is not answered so. */
export async function install({ githubUrl, key, fullName }: Installing): Promise<void> {
  const { status } = await fetch(`${githubUrl}/_local/repos/${fullName}/installed`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  });
  if (status === 204) return;
  throw new LoopError(
    `The embedded GitHub answered ${status} when it was to tell of an installation on ${fullName}; its log says why.`,
  );
}
