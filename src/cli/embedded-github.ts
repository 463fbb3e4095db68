/** Reads from the embedded GitHub as one of its people. */
import { LoopError } from '../errors.ts';
import { wire } from '../github/wire.ts';

export interface Reader {
  /** @throws {LoopError} when it is not answered. */
  read(path: string): Promise<unknown>;
  isThere(path: string): Promise<boolean>;
}

export function readerOf({ githubUrl, token }: { readonly githubUrl: string; readonly token: string }): Reader {
  const apiUrl = `${githubUrl}/api/v3`;
  const send = wire({ apiUrl, checked: false });
  const get = async (path: string) => {
    const response = await send(`${apiUrl}${path}`, { headers: { authorization: `Bearer ${token}` } });
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
