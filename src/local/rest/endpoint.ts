/** What an endpoint is: what it asks of its caller, and a function from a call to a reply. */
import type { z } from 'zod';
import type { Need } from '../access.ts';
import type { Host } from '../host.ts';
import { HttpError, notFound } from '../http-error.ts';
import type { Repository } from '../records.ts';
import { type Actor, loginOf } from '../tokens.ts';

export interface Call {
  readonly host: Host;
  readonly actor: Actor;
  readonly method: string;
  /** Under the repository's present name, with the query. */
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly headers: Headers;
  /** Present on routes with an owner and a repository. */
  readonly repository: Repository | undefined;
}

export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  /** Bytes that are no JSON; `headers` name their type. */
  readonly raw?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** A list that is not paged yet; `body` wraps the page when the answer is an object. */
  readonly items?: readonly unknown[];
  readonly wrap?: (page: readonly unknown[], total: number) => unknown;
}

export interface Endpoint {
  readonly need: Need;
  readonly answer: (call: Call) => Reply | Promise<Reply>;
}

/** Endpoints by `METHOD route`, the route as in GitHub's description. */
export type Endpoints = Readonly<Record<string, Endpoint>>;

/** The call's repository. @throws HttpError 404 */
export function repositoryOf(call: Call): Repository {
  if (!call.repository) throw notFound();
  return call.repository;
}

/** The name of the account that acts. @throws HttpError 401 */
export function actingLogin(call: Call): string {
  const login = loginOf(call.actor);
  if (login === undefined) throw new HttpError(401, 'Requires authentication');
  return login;
}

/** A path parameter that is a number. @throws HttpError 404 */
export function numberParameter(call: Call, name: string): number {
  const value = Number(call.parameters[name]);
  if (!Number.isSafeInteger(value)) throw notFound();
  return value;
}

/** A path parameter. @throws HttpError 404 */
export function textParameter(call: Call, name: string): string {
  const value = call.parameters[name];
  if (value === undefined || value === '') throw notFound();
  return value;
}

/** The body by its schema. @throws HttpError 422 */
export function parseBody<T>(call: Call, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(call.body ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new HttpError(422, `Invalid request.\n\n${issue?.path.join('/') ?? 'body'}: ${issue?.message ?? 'not valid'}`);
}

export const ok = (body: unknown): Reply => ({ status: 200, body });
export const created = (body: unknown): Reply => ({ status: 201, body });
export const noContent: Reply = { status: 204 };
/** A list, paged by `per_page` and `page` with a `link` header. */
export const list = (items: readonly unknown[], wrap?: Reply['wrap']): Reply => ({
  status: 200,
  items,
  ...(wrap ? { wrap } : {}),
});
