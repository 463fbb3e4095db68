/** A `fetch` that refuses to go on when a request or an answer differs from GitHub's description. */
import type { Contract, Problem } from './contract.ts';

export type Fetch = typeof globalThis.fetch;

/** A request or an answer that GitHub's description does not allow. */
export class ContractError extends Error {
  override name = 'ContractError';
  readonly problems: readonly Problem[];

  constructor(subject: string, problems: readonly Problem[]) {
    super(
      `${subject} differs from GitHub's description: ${problems.map(({ where, message }) => `${where} ${message}`).join('; ')}`,
    );
    this.problems = problems;
  }
}

export interface CheckedFetchOptions {
  readonly fetch: Fetch;
  readonly contract: Contract;
  /** REST base address; requests elsewhere (redirects, GraphQL) are passed on unchecked. */
  readonly apiUrl: string;
  readonly onProblem?: (error: ContractError) => void;
}

/**
 * Wraps `fetch` for Octokit's and Probot's `request.fetch`.
 * @throws ContractError before the wire for a bad request, after it for a bad answer.
 */
export function checkedFetch({ fetch, contract, apiUrl, onProblem }: CheckedFetchOptions): Fetch {
  const base = apiUrl.replace(/\/$/, '');
  const refuse = (subject: string, problems: readonly Problem[]): void => {
    if (problems.length === 0) return;
    const error = new ContractError(subject, problems);
    onProblem?.(error);
    throw error;
  };
  return async (input, init) => {
    const request = new Request(input, init);
    const path = restPathOf(base, request.url);
    if (path === undefined) return fetch(request);
    const subject = `${request.method} ${path}`;
    refuse(`request ${subject}`, contract.request(request.method, path, jsonOf(await request.clone().text())));
    const response = await fetch(request);
    if (response.status < 300 && isJson(response)) {
      refuse(
        `answer ${response.status} to ${subject}`,
        contract.response(request.method, path, response.status, jsonOf(await response.clone().text())),
      );
    }
    return response;
  };
}

/** Path and query below the REST base; undefined when the address is elsewhere. */
export function restPathOf(base: string, url: string): string | undefined {
  if (!url.startsWith(`${base}/`)) return undefined;
  const path = url.slice(base.length);
  return path.startsWith('/graphql') ? undefined : path;
}

function isJson(response: Response): boolean {
  return response.status === 204 || (response.headers.get('content-type') ?? '').startsWith('application/json');
}

function jsonOf(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text);
}
