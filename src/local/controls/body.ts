/** Reading the body of a request below `/_local`. */
import type { HonoRequest } from 'hono';
import type { z } from 'zod';
import { HttpError } from '../http-error.ts';

/** The body by its schema. @throws HttpError 422 that says what is wrong with it */
export async function bodyOf<T>(request: HonoRequest, schema: z.ZodType<T>): Promise<T> {
  const parsed = schema.safeParse(await request.json().catch(() => undefined));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new HttpError(422, `${['body', ...(issue?.path ?? [])].join('.')}: ${issue?.message ?? 'not valid'}`);
}
