/** Changes as a diff, where `accept` asks for one: https://docs.github.com/rest/using-the-rest-api/getting-started-with-the-rest-api#media-types */
import type { Call, Reply } from './endpoint.ts';
import { gitOfCall } from './git-data.ts';
import { formOf } from './obeyed.ts';

const TYPE = 'application/vnd.github.v3.diff; charset=utf-8';

export function asksForDiff({ headers }: Call): boolean {
  return formOf(headers.get('accept') ?? '') === 'diff';
}

export async function diffReply(call: Call, before: string, after: string): Promise<Reply> {
  const raw = await gitOfCall(call).bytes(['diff', before, after]);
  return { status: 200, raw, headers: { 'content-type': TYPE } };
}
