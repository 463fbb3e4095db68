/** Reads from the embedded GitHub as one of its people: with a person's token, so the App's guard does not apply. */
import { LoopError } from '../errors.ts';

export interface Reader {
  /** @throws {LoopError} when it is not answered. */
  read(path: string): Promise<unknown>;
  isThere(path: string): Promise<boolean>;
}

export function readerOf({ githubUrl, token }: { readonly githubUrl: string; readonly token: string }): Reader {
  const apiUrl = `${githubUrl}/api/v3`;
  const get = async (path: string) => {
    const response = await fetch(`${apiUrl}${path}`, { headers: { authorization: `Bearer ${token}` } });
    if (response.ok || response.status === 404) return response;
    throw new LoopError(`GET ${path} of the embedded GitHub was answered ${response.status}.`);
  };
  return {
    async read(path) {
      const response = await get(path);
      if (response.ok) return response.json();
      throw new LoopError(`The embedded GitHub has no ${path}.`);
    },
    isThere: async (path) => (await get(path)).ok,
  };
}
