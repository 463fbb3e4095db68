/** A secondary limit as GraphQL tells it, which says so with 200 too: https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api. Pure. */
interface Told {
  readonly message: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

export function isSecondary({ message, headers }: Told): boolean {
  return Number(headers['retry-after']) > 0 || /\bexceeded a secondary rate limit\b/i.test(message);
}
