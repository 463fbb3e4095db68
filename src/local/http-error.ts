/** An answer of the REST API that is not a success, in GitHub's own shape. */

export class HttpError extends Error {
  override name = 'HttpError';
  readonly status: number;
  readonly errors: readonly unknown[];
  /** Where a redirect leads. */
  readonly location: string | undefined;

  constructor(status: number, message: string, errors: readonly unknown[] = [], location?: string) {
    super(message);
    this.status = status;
    this.errors = errors;
    this.location = location;
  }
}

/** The answer to what does not exist, or must not be known to exist. */
export function notFound(): HttpError {
  return new HttpError(404, 'Not Found');
}

/** GitHub's answer to a read or a write of what is elsewhere now; a write is to be repeated there as it is. */
export function moved(method: string, location: string): HttpError {
  return new HttpError(method === 'GET' || method === 'HEAD' ? 301 : 307, 'Moved Permanently', [], location);
}

/** GitHub's answer to a token whose permissions do not reach. */
export function notAccessible(): HttpError {
  return new HttpError(403, 'Resource not accessible by integration');
}

/** A 422 that names resource, field and code as GitHub does. */
export function validationFailed(resource: string, field: string, message: string): HttpError {
  return new HttpError(422, `Validation Failed: ${message}`, [{ resource, field, code: 'custom', message }]);
}

/** The record, or GitHub's 404. */
export function found<T>(record: T | undefined): T {
  if (record === undefined) throw notFound();
  return record;
}
