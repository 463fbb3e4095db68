/** The App's own secrets, gathered from all its settings: none of them may stand in any text that leaves, and in no answer that comes in. Pure. */

export interface SecretSettings {
  readonly privateKey: string;
  readonly webhookSecret: string;
  readonly modelKey: string;
  /** Addresses that may hold credentials: of the model, of the database. A plain path holds none. */
  readonly addresses: readonly string[];
}

/** Every value once, as written and as decoded; those too short to be told from ordinary words are left to the filter. */
export function ownSecrets({ privateKey, webhookSecret, modelKey, addresses }: SecretSettings): readonly string[] {
  const found = [privateKey, webhookSecret, modelKey, ...addresses.flatMap(credentialsIn)];
  return [...new Set(found.filter((value) => value !== ''))];
}

/** User's password, and every value of the query: `?api-key=…`, `?password=…`. A user alone is a name, unless nothing else lets in. */
function credentialsIn(address: string): readonly string[] {
  const url = URL.parse(address);
  if (url === null) return [];
  const written = [url.password === '' ? url.username : url.password, ...valuesOf(url.search)];
  return written.flatMap((value) => [value, decoded(value)]);
}

function valuesOf(search: string): readonly string[] {
  return search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1));
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
