/** Signed addresses of artifacts and logs: whoever has one may read that one file for ten minutes, without a token. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { zipSync } from 'fflate';
import type { Host } from '../host.ts';
import { found, HttpError } from '../http-error.ts';

const VALID_MS = 600_000;
const ZIP = 'application/zip';

export type DownloadKind = 'artifact' | 'job-log' | 'run-logs';

/** The redirect that GitHub answers a download with. */
export function redirectTo(host: Host, kind: DownloadKind, id: number) {
  const expires = host.clock.now().getTime() + VALID_MS;
  const location = `${host.url()}/_local/downloads/${kind}/${id}?expires=${expires}&signature=${signatureOf(host, `${kind}/${id}/${expires}`)}`;
  return { status: 302, headers: { location } };
}

export interface DownloadRequest {
  readonly kind: string;
  readonly id: number;
  readonly expires: string;
  readonly signature: string;
}

/** The file behind a signed address. @throws HttpError 403 for a wrong or old signature */
export async function download(host: Host, { kind, id, expires, signature }: DownloadRequest): Promise<Response> {
  const expected = Buffer.from(signatureOf(host, `${kind}/${id}/${expires}`));
  const given = Buffer.from(signature);
  if (
    expected.length !== given.length ||
    !timingSafeEqual(expected, given) ||
    Number(expires) < host.clock.now().getTime()
  ) {
    throw new HttpError(403, 'Server failed to authenticate the request: the signature is wrong or too old.');
  }
  const read = READERS[kind];
  if (!read) throw new HttpError(404, 'Not Found');
  return read(host, id);
}

function signatureOf(host: Host, text: string): string {
  return createHmac('sha256', host.credentials.webhookSecret).update(text).digest('hex');
}

const READERS: Readonly<Record<string, (host: Host, id: number) => Promise<Response>>> = {
  artifact: async (host, id) => {
    const { file } = found(host.state.artifacts.get(id));
    return new Response(new Uint8Array(await readFile(file)), { headers: { 'content-type': ZIP } });
  },
  'job-log': async (host, id) => {
    const { log } = found(host.state.jobs.get(id));
    return new Response(log, { headers: { 'content-type': 'text/plain; charset=utf-8' } });
  },
  'run-logs': async (host, id) => {
    const { attempt, problem } = found(host.state.runs.get(id));
    const jobs = host.state.jobs.find({ runId: id, attempt });
    const texts = jobs.map(({ name, log }, index) => [`${index}_${name.replaceAll('/', '_')}.txt`, log]);
    const files = problem === undefined ? texts : [...texts, ['problem.txt', problem]];
    const bytes = files.map(([name, text]) => [name, new TextEncoder().encode(text)]);
    return new Response(new Uint8Array(zipSync(Object.fromEntries(bytes))), { headers: { 'content-type': ZIP } });
  },
};
