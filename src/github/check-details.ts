/** What a check run of the repository says beside its verdict: annotations, and the end of its job's log. A job of Actions has the id of its check run. */
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import type { Call } from './github-client.ts';
import { hasStatus } from './github-errors.ts';
import type { Operation } from './github-talk.ts';

const ANNOTATIONS = 20;
const LOG_LINES = 50;
/** So much of the end of a log is kept while it is read; the whole may be larger than a process can hold. */
const LOG_CHARACTERS = 64 * 1024;
/** Bytes after which a log is no longer read: then its end is unknown. */
const LOG_BYTES = 64 * 1024 * 1024;

export const checkDetails: Operation<'checkDetails'> = async (call, checkRun) => {
  const { octokit, here } = call;
  const { data } = await octokit.rest.checks.listAnnotations({
    ...here,
    check_run_id: checkRun,
    per_page: ANNOTATIONS,
  });
  return {
    annotations: data.map(({ path, start_line: line, message }) => `${path}:${line}: ${message ?? ''}`.trim()),
    logEnd: linesOf(await endOfLog(call, checkRun)).slice(-LOG_LINES),
  };
};

export const failedLogEnd: Operation<'failedLogEnd'> = async (call, run_id) => {
  const { octokit, here } = call;
  const { jobs } = (await octokit.rest.actions.listJobsForWorkflowRun({ ...here, run_id })).data;
  const failed = jobs.find(({ conclusion }) => conclusion !== 'success' && conclusion !== 'skipped');
  return failed === undefined ? [] : linesOf(await endOfLog(call, failed.id)).slice(-LOG_LINES);
};

/** Empty where there is no log: the check is another App's, or the log is too old. */
async function endOfLog({ octokit, here }: Call, jobId: number): Promise<string> {
  try {
    const { data } = await octokit.request('GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs', {
      ...here,
      job_id: jobId,
      request: { parseSuccessResponseBody: false },
    });
    return await endOf(data);
  } catch (error) {
    if (hasStatus(error, 404, 410)) return '';
    throw error;
  }
}

async function endOf(stream: unknown): Promise<string> {
  if (!(stream instanceof ReadableStream)) return '';
  const decoder = new TextDecoder();
  let end = '';
  let sizeBytes = 0;
  for await (const part of stream) {
    const bytes = z.instanceof(Uint8Array).parse(part);
    sizeBytes += bytes.length;
    if (sizeBytes > LOG_BYTES) return '';
    end = `${end}${decoder.decode(bytes, { stream: true })}`.slice(-LOG_CHARACTERS);
  }
  return end;
}

/** Each line begins with the time at which it was written. */
const WRITTEN_AT = /^\uFEFF?\d{4}-\d\d-\d\dT[\d:.]+Z ?/;

function linesOf(log: string): readonly string[] {
  return stripVTControlCharacters(log)
    .split(/\r?\n/)
    .map((line) => line.replace(WRITTEN_AT, '').trimEnd())
    .filter((line) => line !== '');
}
